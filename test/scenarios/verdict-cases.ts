import type { Scenario } from '../../src/entries/index.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import * as clients from './clients.js';
import type { Call, Stage } from './stage.js';

/** A client of a scenario's description, and its expected verdict. */
export interface VerdictCase {
  does: string;
  /** The complete client. If it throws, its command has failed, so the caller got an error. */
  client: (stage: Stage) => Promise<unknown>;
  /** Rules that must fail the client. A right client has none, and passes. */
  names?: FindingCode[];
  /** Expected outcome, if different from `fail` for a wrong client and `pass` for a right one. */
  outcome?: 'inconclusive';
  /** Expected warnings on a right client. */
  warned?: FindingCode[];
  /** Time after which the run is stopped if the client does not end by itself, in seconds. */
  stoppedAfterSeconds?: number;
  changes?: Scenario;
  /** Whether the run starts on a whole second, as with `exec`. Near the end of a second, rounding hides the mistake. */
  isOnSecond?: boolean;
}

/** Runs a client to its end, or until it is stopped. @returns its end, for the judge */
export async function runCase(
  stage: Stage,
  { client, stoppedAfterSeconds }: Pick<VerdictCase, 'client' | 'stoppedAfterSeconds'>,
) {
  if (stoppedAfterSeconds === undefined) {
    return stage.run(client).then(
      () => ({ hasFailed: false }),
      () => ({ hasFailed: true }),
    );
  }
  client(stage).catch(() => {});
  await stage.runUntil(stoppedAfterSeconds);
  return { isInterrupted: true };
}

/** A client that passes. */
const right = (does: string, client: VerdictCase['client']): VerdictCase => ({ does, client });
/** A client about which the requests do not say enough. */
const undecided = (does: string, client: VerdictCase['client']): VerdictCase => ({
  ...right(does, client),
  outcome: 'inconclusive',
});
/** A client that these rules fail. */
const wrong = (does: string, client: VerdictCase['client'], ...names: FindingCode[]): VerdictCase => ({
  does,
  client,
  names,
});

const newcomer = (n: number): Call => ({ method: 'POST', body: `{"name":"Newcomer ${n}","categoryId":1}` });

/** One call that fails with an error if it does not succeed. */
const loudly =
  (client: clients.Client, call?: Call) =>
  async (stage: Stage): Promise<void> => {
    const { status } = await client(stage, call);
    if (status >= 400) throw new Error(`got ${status}`);
  };

/** Sequential calls of a program that stops at an error. */
const inTurn =
  (count: number, client: clients.Client, callAt: (n: number) => Call | undefined = () => undefined) =>
  async (stage: Stage): Promise<void> => {
    for (let n = 0; n < count; n++) await loudly(client, callAt(n))(stage);
  };

/** Sequential calls of a program for which a failure only ends the call. */
const regardless = (count: number, client: clients.Client, call?: Call) => async (stage: Stage) => {
  for (let n = 0; n < count; n++) await client(stage, call).catch(() => {});
};

const sideBySide =
  (count: number, client: clients.Client, callAt: (n: number) => Call | undefined = () => undefined) =>
  (stage: Stage) =>
    Promise.all(Array.from({ length: count }, (_, n) => client(stage, callAt(n))));

const patient = loudly(clients.patient);
const noWait = loudly(clients.readsANumber);

/** Waits for Retry-After, plus a random time. */
const addsJitter = clients.retrying(
  ({ headers, random }) => Number(headers.get('retry-after')) * 1000 + random() * 1000,
);
const timesJitter = clients.retrying(
  ({ headers, random }) => Number(headers.get('retry-after')) * (900 + random() * 200),
  {
    attempts: 30,
  },
);

/** Stores one call twice: waits as required, and sends the call again after its success. */
const sendsTwice = async (stage: Stage) => {
  await loudly(clients.patient, newcomer(0))(stage);
  await loudly(clients.patient, newcomer(0))(stage);
};
/** Stores one call twice: waits as required, and sends two copies of the call, as a client that hedges. */
const hedges = async (stage: Stage) => {
  const { headers } = await stage.send(newcomer(0));
  await stage.sleep(Number(headers.get('retry-after')) * 1000);
  await Promise.all([stage.send(newcomer(0)), stage.send(newcomer(0))]);
};

/** Stops before the end of the wait, because its caller has gone. */
const callerGoes =
  (afterMs: number, { isHeard, isReported }: { isHeard: boolean; isReported: boolean }) =>
  async (stage: Stage) => {
    const { headers } = await stage.send();
    await stage.sleep(afterMs);
    if (isReported) await stage.reportAborted();
    if (isHeard) throw new Error('nobody waits any more');
    await stage.sleep(Number(headers.get('retry-after')) * 1000 - afterMs);
    await stage.send();
  };

export const verdictCases: Record<string, VerdictCase[]> = {
  'minute-wall': [
    right('waits as told', inTurn(2, clients.patient)),
    wrong('takes the 429 for the end', inTurn(2, clients.takesItForTheEnd), 'gave-up'),
    wrong('retries every second', inTurn(2, clients.every(1000, 6)), 'early-retry', 'ban-tripped'),
  ],
  'backoff-only': [
    right('waits as told', patient),
    wrong('backs off by its own seconds', loudly(clients.backsOffOnly), 'early-retry', 'ban-tripped'),
  ],
  'retry-after-clamped': [
    right('waits as told', patient),
    right('gives up at once', loudly(clients.takesItForTheEnd)),
    wrong('has a cap of 30 seconds', loudly(clients.capsAt(30)), 'early-retry'),
    wrong('has a cap of 10 seconds', loudly(clients.capsAt(10)), 'early-retry', 'ban-tripped'),
  ],
  'retry-after-60-edge': [60, 61, 120, 121].flatMap((seconds): VerdictCase[] => {
    const key = `wait-${seconds}`;
    const changes = { client: { key } };
    return [
      { ...right(`waits ${seconds} seconds`, loudly(clients.patient, { key })), changes },
      { ...right(`gives up ${seconds} seconds`, loudly(clients.takesItForTheEnd, { key })), changes },
      {
        ...wrong(
          `does not believe ${seconds} seconds`,
          loudly(clients.believesBelow(seconds), { key }),
          'ban-hammered',
        ),
        changes,
      },
    ];
  }),
  'http-date': [
    right('reads dates', patient),
    wrong('reads the date as a number', noWait, 'early-retry', 'retry-storm'),
  ],
  'http-date-past': [
    right('keeps sending with growing waits', patient),
    wrong('waits until the date that has passed', loudly(clients.untilTheDate), 'retry-storm'),
    wrong('fails on the negative wait', clients.failsOnOddRetryAfter, 'gave-up'),
  ],
  malformed: [
    right('falls back to Reset', patient),
    right('falls back to waits that are long enough', loudly(clients.every(8_000, 3))),
    wrong('waits for NaN', noWait, 'early-retry', 'retry-storm'),
    wrong('fails on the header', clients.failsOnOddRetryAfter, 'gave-up'),
  ],
  fractional: [
    right('rounds up', patient),
    {
      ...wrong('cuts off the fraction', loudly(clients.cutsOffFractions), 'early-retry', 'ban-tripped'),
      isOnSecond: true,
    },
    wrong('fails on the decimal point', clients.failsOnOddRetryAfter, 'gave-up'),
  ],
  zero: [
    right('goes on with growing waits', patient),
    wrong('takes 0 for no answer', loudly(clients.stopsAtZero), 'gave-up'),
    wrong('does not wait', noWait, 'retry-storm'),
  ],
  huge: [
    right('reports an error to its caller at once', patient),
    right('parks the work', loudly(clients.parks)),
    wrong('hides that it gave up', regardless(1, clients.takesItForTheEnd), 'gave-up'),
    wrong(
      'waits by its own fixed seconds',
      loudly(clients.backsOffOnly),
      'early-retry',
      'ignored-day-window',
      'ban-tripped',
    ),
  ],
  'timer-overflow': [
    right('gives up', patient),
    right('splits the wait', loudly(clients.parks)),
    wrong('hides that it gave up', regardless(1, clients.takesItForTheEnd), 'gave-up'),
    wrong('overflows its timer', noWait, 'early-retry', 'ban-hammered', 'retry-storm'),
  ],
  missing: [
    right('waits until Reset', patient),
    wrong('reads the missing header as 0', noWait, 'early-retry', 'retry-storm'),
  ],
  'html-429': [
    right('goes by the status, with growing waits', patient),
    wrong('parses the page', clients.parsesFirst, 'gave-up'),
    wrong('waits the same each time', loudly(clients.every(500, 20)), 'no-backoff-growth'),
  ],
  'epoch-in-retry-after': [
    right('doubts the header', patient),
    wrong(
      'waits for as many milliseconds',
      loudly(clients.retrying(({ headers }) => Number(headers.get('retry-after')))),
      'overslept',
    ),
    {
      ...wrong('is stopped in its sleep of fifty-six years', loudly(clients.parksAsWritten), 'gave-up'),
      stoppedAfterSeconds: 60,
    },
  ],
  'ms-in-retry-after': [
    right('doubts the header', patient),
    wrong('waits for hours', noWait, 'overslept'),
    { ...wrong('is stopped in its sleep', noWait, 'gave-up'), stoppedAfterSeconds: 60 },
  ],
  'reset-in-ms': [
    right('sees the magnitude', patient),
    wrong('overflows its timer', loudly(clients.waitsForResetByItsOwnClock), 'early-retry', 'retry-storm'),
  ],
  'reset-as-delta': [
    right('sees the magnitude', patient),
    wrong('reads an instant of 1970', loudly(clients.waitsForResetByItsOwnClock), 'early-retry', 'retry-storm'),
  ],
  'clock-skew': [
    right('goes by Retry-After', patient),
    right('goes by Reset less the Date of the answer', loudly(clients.waitsForResetByDate)),
    wrong('waits for Reset by its own clock', loudly(clients.waitsForResetByItsOwnClock), 'early-retry', 'retry-storm'),
  ],
  'clock-skew-ahead': [
    right('goes by Retry-After', patient),
    right('goes by Reset less the Date of the answer', loudly(clients.waitsForResetByDate)),
    wrong('waits for Reset by its own clock', loudly(clients.waitsForResetByItsOwnClock), 'overslept'),
  ],
  '429-with-remaining': [
    right('trusts the status', patient),
    wrong('trusts Remaining', loudly(clients.trustsRemaining), 'early-retry', 'retry-storm'),
  ],
  '200-with-remaining-0': [
    right('paces itself', (stage) => clients.pacing(stage, 2, newcomer)),
    right('keeps sending, is rejected and waits', inTurn(2, clients.patient, newcomer)),
    wrong(
      'takes the success for a refusal, and names its calls',
      inTurn(2, clients.takesZeroForRefusal, (n) => ({ ...newcomer(n), headers: { 'x-sim-call': `${n}` } })),
      'duplicate-write',
    ),
    undecided(
      'takes the success for a refusal, and does not name its calls',
      inTurn(2, clients.takesZeroForRefusal, newcomer),
    ),
    wrong('keeps sending, is rejected and retries at once', inTurn(2, clients.every(1, 3), newcomer), 'early-retry'),
  ],
  '401-with-remaining-0': [
    right('stops at the first 401', patient),
    wrong('sleeps until Reset', loudly(clients.sleepsUntilReset), 'retried-401'),
  ],
  '401-loop': [
    right('stops at the 401', patient),
    wrong('treats the 401 like the 429', loudly(clients.alsoOn401(clients.waitAsTold, 5)), 'retried-401'),
  ],
  'revoked-mid-run': [
    right('asks for another key', clients.changesKey('next-key', 20)),
    right('stops at the first 401', inTurn(20, clients.takesItForTheEnd)),
    wrong('keeps sending with the same key', regardless(20, clients.takesItForTheEnd), 'retried-401'),
  ],
  'day-wall': [
    right('tells its caller at once', inTurn(2, clients.patient)),
    wrong('hides that it gave up', regardless(2, clients.takesItForTheEnd), 'gave-up'),
    wrong(
      'tries again each minute',
      inTurn(2, clients.every(60_000, 5)),
      'ignored-day-window',
      'early-retry',
      'ban-tripped',
    ),
  ],
  'day-quota-gone': [
    right('waits for the rest of the day', patient),
    wrong('knows the minute only', loudly(clients.every(2_000, 5)), 'ignored-day-window', 'early-retry', 'ban-tripped'),
  ],
  'minute-mistaken-for-day': [
    right('waits as told', patient),
    wrong('gives up for good', loudly(clients.takesItForTheEnd), 'gave-up'),
  ],
  'storm-burns-the-day': [
    right('waits as told', patient),
    wrong('repeats at once', loudly(clients.every(1, 11)), 'early-retry', 'retry-storm'),
  ],
  'near-minute-limit': [
    right('paces itself', (stage) => clients.pacing(stage, 3)),
    right('is rejected and waits as requested', inTurn(3, clients.patient)),
    wrong('takes the 429 for the end', inTurn(3, clients.takesItForTheEnd), 'gave-up'),
  ],
  'parallel-burst': [
    {
      ...right('holds back all of its calls together', (stage) => clients.sharedGate(stage, 80)),
      warned: ['no-jitter'],
    },
    wrong('lets each call try again alone', sideBySide(80, clients.backsOffOnly), 'early-retry', 'ban-tripped'),
  ],
  'thundering-herd': [
    right('adds a random wait to each', sideBySide(10, addsJitter)),
    wrong('sends all back in one moment', sideBySide(10, clients.readsANumber), 'no-jitter'),
  ],
  'shared-quota': [
    right('pauses all callers, and distributes their retries', (stage) =>
      clients.sharedGate(stage, 100, { spreadMs: 2_000 }),
    ),
    wrong(
      'lets each try again by its own backoff',
      sideBySide(100, clients.backsOffOnly),
      'early-retry',
      'ban-tripped',
    ),
  ],
  shards: [
    right('waits, and longer each time', (stage) => clients.sharedGate(stage, 8, { callers: 4, spreadMs: 500 })),
    wrong(
      'counts only its own requests, and retries at once for a while',
      sideBySide(4, clients.every(300, 8)),
      'early-retry',
      'ban-tripped',
    ),
    wrong(
      'retries at once with a name for each call',
      sideBySide(4, clients.every(1, 4), (n) => ({ headers: { 'x-sim-call': `${n}` } })),
      'early-retry',
    ),
  ],
  'nested-retries': [
    right('makes five attempts', patient),
    wrong('retries in three layers', loudly(clients.inLayers(3, 3)), 'retry-storm'),
  ],
  'stubborn-429': [
    right('waits longer each time and gives up', patient),
    wrong('comes back every second', loudly(clients.everySecond), 'no-backoff-growth', 'retry-storm'),
  ],
  'abort-while-waiting': [
    right('ends its wait with its caller, and reports it', callerGoes(2_000, { isHeard: true, isReported: true })),
    right('ends its wait with its caller', callerGoes(2_000, { isHeard: true, isReported: false })),
    wrong(
      'keeps waiting, and reports when its caller left',
      callerGoes(2_000, { isHeard: false, isReported: true }),
      'late-request',
    ),
    undecided(
      'keeps waiting, and reports nothing about its caller',
      callerGoes(2_000, { isHeard: false, isReported: false }),
    ),
    undecided('takes the 429 for the end', loudly(clients.takesItForTheEnd)),
  ],
  'jitter-below': [
    right('adds to Retry-After', inTurn(21, addsJitter)),
    wrong('multiplies Retry-After by 0.9 to 1.1', inTurn(21, timesJitter), 'early-retry'),
  ],
  'ban-on-third-strike': [
    right('waits as told', patient),
    wrong('retries every two seconds', loudly(clients.every(2_000, 6)), 'early-retry', 'ban-tripped', 'ban-hammered'),
  ],
  'sit-out-the-ban': [
    right('keeps silent', patient),
    wrong('asks every two seconds', loudly(clients.every(2_000, 10)), 'ban-hammered'),
  ],
  'growing-ban': [
    right('reads each Retry-After', inTurn(4, clients.patient)),
    wrong(
      'waits as long as for the first ban every time',
      inTurn(4, clients.every(5_000, 4)),
      'early-retry',
      'ban-tripped',
      'ban-hammered',
    ),
  ],
  'penalty-extends': [
    right('keeps silent', patient),
    wrong('asks every two seconds', loudly(clients.every(2_000, 20)), 'ban-hammered'),
  ],
  ...Object.fromEntries(
    ['ban-as-403', 'ban-as-418'].map((name): [string, VerdictCase[]] => [
      name,
      [
        right('obeys Retry-After', patient),
        right('stops', loudly(clients.takesItForTheEnd)),
        wrong('asks again at once', loudly(clients.every(1, 10)), 'ban-hammered', 'early-retry'),
      ],
    ]),
  ),
  'negative-retry-after': [
    right('goes by Reset', patient),
    right('has growing waits that are long enough', loudly(clients.every(8_000, 3))),
    wrong('hands it to a timer', noWait, 'early-retry', 'retry-storm'),
    wrong('fails on it', clients.failsOnOddRetryAfter, 'gave-up'),
  ],
  'post-429': [
    right('sends it again', loudly(clients.patient, newcomer(0))),
    wrong('repeats no POST', loudly(clients.takesItForTheEnd, newcomer(0)), 'lost-write'),
    undecided('sends it once more after its success', sendsTwice),
    undecided('retries it twice at once', hedges),
  ],
  'post-body-lost': [
    right('sends the same body again', loudly(clients.patient, newcomer(0))),
    wrong('has used up the body', loudly(clients.losesItsBody, newcomer(0)), 'body-changed'),
    undecided('sends it once more after its success', sendsTwice),
    undecided('retries it twice at once', hedges),
  ],
  ...Object.fromEntries(
    ['post-ambiguous', 'post-stored-answer-lost'].map((name): [string, VerdictCase[]] => [
      name,
      [
        right('looks before it repeats', loudly(clients.looksFirst, newcomer(0))),
        right('repeats nothing, and reports an error to its caller', loudly(clients.takesItForTheEnd, newcomer(0))),
        wrong(
          'repeats nothing, and ends as if all were well',
          regardless(1, clients.takesItForTheEnd, newcomer(0)),
          'gave-up',
        ),
        wrong('repeats it blindly', loudly(clients.repeatsBlindly(), newcomer(0)), 'duplicate-write'),
      ],
    ]),
  ),
  'post-answer-late': [
    right('waits that long', loudly(clients.takesItForTheEnd, newcomer(0))),
    right('looks before it repeats', loudly(clients.looksFirst, newcomer(0))),
    wrong(
      'gives up after two seconds and repeats it blindly',
      loudly(clients.repeatsBlindly(), newcomer(0)),
      'duplicate-write',
    ),
  ],
  'browser-cannot-see': [
    right('does without the headers', loudly(clients.behindCors(clients.patient))),
    wrong('reads 0', loudly(clients.behindCors(clients.readsANumber)), 'retry-storm'),
  ],
  'flaky-5xx': [
    right('repeats with growing waits', inTurn(10, clients.sturdy())),
    wrong('takes the first 5xx for the end', regardless(10, clients.takesItForTheEnd), 'gave-up'),
    wrong('is back at once', inTurn(10, clients.everyOn5xx(8)), 'early-retry'),
  ],
  slow: [
    right('has patience', inTurn(10, clients.takesItForTheEnd)),
    wrong(
      'gives up after half a second and asks again',
      inTurn(10, clients.repeatsBlindly({ timeoutMs: 500 })),
      'impatient',
    ),
  ],
  'slow-drip': [
    right('goes on reading', loudly(clients.takesItForTheEnd)),
    wrong('has a total timeout of five seconds', clients.sturdy({ timeoutMs: 5_000, attempts: 3 }), 'impatient'),
    wrong(
      'allows five seconds, eight times',
      clients.sturdy({ timeoutMs: 5_000, attempts: 8 }),
      'impatient',
      'retry-storm',
    ),
  ],
  hang: [
    right('has a time limit', loudly(clients.sturdy({ timeoutMs: 5_000 }))),
    { ...wrong('waits for ever', clients.takesItForTheEnd, 'gave-up'), stoppedAfterSeconds: 120 },
  ],
  'reset-then-ok': [
    right('repeats a GET after a network error', inTurn(3, clients.sturdy())),
    wrong('takes a network error for the end', inTurn(3, clients.patient), 'gave-up'),
    wrong('treats a network error as the end, and starts its next call', regardless(3, clients.patient), 'gave-up'),
  ],
  'truncated-json': [
    right('repeats what broke off', inTurn(3, clients.sturdy())),
    wrong('continues as if the list were empty', regardless(3, clients.takesItForTheEnd), 'gave-up'),
  ],
};
