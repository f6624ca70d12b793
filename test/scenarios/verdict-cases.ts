import type { Scenario } from '../../src/index.js';
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

/** Stops before the end of the wait, because its caller has gone. */
const callerGoes =
  (afterMs: number, { isHeard, isReported }: { isHeard: boolean; isReported: boolean }) =>
  async (stage: Stage) => {
    const { headers } = await stage.send();
    await stage.sleep(afterMs);
    if (isReported) stage.sim.journal.report({ call: undefined, result: 'aborted' });
    if (isHeard) throw new Error('nobody waits any more');
    await stage.sleep(Number(headers.get('retry-after')) * 1000 - afterMs);
    await stage.send();
  };

export const verdictCases: Record<string, VerdictCase[]> = {
  'minute-wall': [
    { does: 'waits as told', client: inTurn(2, clients.patient) },
    { does: 'takes the 429 for the end', client: inTurn(2, clients.takesItForTheEnd), names: ['gave-up'] },
    {
      does: 'retries every second',
      client: inTurn(2, clients.every(1000, 6)),
      names: ['early-retry', 'ban-tripped'],
    },
  ],
  'backoff-only': [
    { does: 'waits as told', client: patient },
    {
      does: 'backs off by its own seconds',
      client: loudly(clients.backsOffOnly),
      names: ['early-retry', 'ban-tripped'],
    },
  ],
  'retry-after-clamped': [
    { does: 'waits as told', client: patient },
    { does: 'gives up at once', client: loudly(clients.takesItForTheEnd) },
    { does: 'has a cap of 30 seconds', client: loudly(clients.capsAt(30)), names: ['early-retry'] },
    { does: 'has a cap of 10 seconds', client: loudly(clients.capsAt(10)), names: ['early-retry', 'ban-tripped'] },
  ],
  'retry-after-60-edge': [60, 61, 120, 121].flatMap((seconds): VerdictCase[] => {
    const key = `wait-${seconds}`;
    const changes = { client: { key } };
    return [
      { does: `waits ${seconds} seconds`, client: loudly(clients.patient, { key }), changes },
      { does: `gives up ${seconds} seconds`, client: loudly(clients.takesItForTheEnd, { key }), changes },
      {
        does: `does not believe ${seconds} seconds`,
        client: loudly(clients.believesBelow(seconds), { key }),
        names: ['ban-hammered'],
        changes,
      },
    ];
  }),
  'http-date': [
    { does: 'reads dates', client: patient },
    { does: 'reads the date as a number', client: noWait, names: ['early-retry', 'retry-storm'] },
  ],
  'http-date-past': [
    { does: 'keeps sending with growing waits', client: patient },
    { does: 'waits until the date that has passed', client: loudly(clients.untilTheDate), names: ['retry-storm'] },
    { does: 'fails on the negative wait', client: clients.failsOnOddRetryAfter, names: ['gave-up'] },
  ],
  malformed: [
    { does: 'falls back to Reset', client: patient },
    { does: 'falls back to waits that are long enough', client: loudly(clients.every(8_000, 3)) },
    { does: 'waits for NaN', client: noWait, names: ['early-retry', 'retry-storm'] },
    { does: 'fails on the header', client: clients.failsOnOddRetryAfter, names: ['gave-up'] },
  ],
  fractional: [
    { does: 'rounds up', client: patient },
    {
      does: 'cuts off the fraction',
      client: loudly(clients.cutsOffFractions),
      names: ['early-retry', 'ban-tripped'],
      isOnSecond: true,
    },
    { does: 'fails on the decimal point', client: clients.failsOnOddRetryAfter, names: ['gave-up'] },
  ],
  zero: [
    { does: 'goes on with growing waits', client: patient },
    { does: 'takes 0 for no answer', client: loudly(clients.stopsAtZero), names: ['gave-up'] },
    { does: 'does not wait', client: noWait, names: ['retry-storm'] },
  ],
  huge: [
    { does: 'reports an error to its caller at once', client: patient },
    { does: 'parks the work', client: loudly(clients.parks) },
    {
      does: 'waits by its own fixed seconds',
      client: loudly(clients.backsOffOnly),
      names: ['early-retry', 'ignored-day-window', 'ban-tripped'],
    },
  ],
  'timer-overflow': [
    { does: 'gives up', client: patient },
    { does: 'splits the wait', client: loudly(clients.parks) },
    { does: 'overflows its timer', client: noWait, names: ['early-retry', 'ban-hammered', 'retry-storm'] },
  ],
  missing: [
    { does: 'waits until Reset', client: patient },
    { does: 'reads the missing header as 0', client: noWait, names: ['early-retry', 'retry-storm'] },
  ],
  'html-429': [
    { does: 'goes by the status, with growing waits', client: patient },
    { does: 'parses the page', client: clients.parsesFirst, names: ['gave-up'] },
    { does: 'waits the same each time', client: loudly(clients.every(500, 20)), names: ['no-backoff-growth'] },
  ],
  'epoch-in-retry-after': [
    { does: 'doubts the header', client: patient },
    {
      does: 'waits for as many milliseconds',
      client: loudly(clients.retrying(({ headers }) => Number(headers.get('retry-after')))),
      names: ['overslept'],
    },
    {
      does: 'is stopped in its sleep of fifty-six years',
      client: loudly(clients.parksAsWritten),
      names: ['gave-up'],
      stoppedAfterSeconds: 60,
    },
  ],
  'ms-in-retry-after': [
    { does: 'doubts the header', client: patient },
    { does: 'waits for hours', client: noWait, names: ['overslept'] },
    { does: 'is stopped in its sleep', client: noWait, names: ['gave-up'], stoppedAfterSeconds: 60 },
  ],
  'reset-in-ms': [
    { does: 'sees the magnitude', client: patient },
    {
      does: 'overflows its timer',
      client: loudly(clients.waitsForResetByItsOwnClock),
      names: ['early-retry', 'retry-storm'],
    },
  ],
  'reset-as-delta': [
    { does: 'sees the magnitude', client: patient },
    {
      does: 'reads an instant of 1970',
      client: loudly(clients.waitsForResetByItsOwnClock),
      names: ['early-retry', 'retry-storm'],
    },
  ],
  'clock-skew': [
    { does: 'goes by Retry-After', client: patient },
    { does: 'goes by Reset less the Date of the answer', client: loudly(clients.waitsForResetByDate) },
    {
      does: 'waits for Reset by its own clock',
      client: loudly(clients.waitsForResetByItsOwnClock),
      names: ['early-retry', 'retry-storm'],
    },
  ],
  'clock-skew-ahead': [
    { does: 'goes by Retry-After', client: patient },
    { does: 'goes by Reset less the Date of the answer', client: loudly(clients.waitsForResetByDate) },
    {
      does: 'waits for Reset by its own clock',
      client: loudly(clients.waitsForResetByItsOwnClock),
      names: ['overslept'],
    },
  ],
  '429-with-remaining': [
    { does: 'trusts the status', client: patient },
    { does: 'trusts Remaining', client: loudly(clients.trustsRemaining), names: ['early-retry', 'retry-storm'] },
  ],
  '200-with-remaining-0': [
    { does: 'paces itself', client: (stage) => clients.pacing(stage, 2, newcomer) },
    { does: 'keeps sending, is rejected and waits', client: inTurn(2, clients.patient, newcomer) },
    {
      does: 'takes the success for a refusal, and names its calls',
      client: inTurn(2, clients.takesZeroForRefusal, (n) => ({ ...newcomer(n), headers: { 'x-sim-call': `${n}` } })),
      names: ['duplicate-write'],
    },
    {
      does: 'takes the success for a refusal, and does not name its calls',
      client: inTurn(2, clients.takesZeroForRefusal, newcomer),
      outcome: 'inconclusive',
    },
    {
      does: 'keeps sending, is rejected and retries at once',
      client: inTurn(2, clients.every(1, 3), newcomer),
      names: ['early-retry'],
    },
  ],
  '401-with-remaining-0': [
    { does: 'stops at the first 401', client: patient },
    { does: 'sleeps until Reset', client: loudly(clients.sleepsUntilReset), names: ['retried-401'] },
  ],
  '401-loop': [
    { does: 'stops at the 401', client: patient },
    {
      does: 'treats the 401 like the 429',
      client: loudly(clients.alsoOn401(clients.waitAsTold, 5)),
      names: ['retried-401'],
    },
  ],
  'revoked-mid-run': [
    { does: 'asks for another key', client: clients.changesKey('next-key', 20) },
    { does: 'stops at the first 401', client: inTurn(20, clients.takesItForTheEnd) },
    {
      does: 'keeps sending with the same key',
      client: regardless(20, clients.takesItForTheEnd),
      names: ['retried-401'],
    },
  ],
  'day-wall': [
    { does: 'tells its caller at once', client: inTurn(2, clients.patient) },
    {
      does: 'tries again each minute',
      client: inTurn(2, clients.every(60_000, 5)),
      names: ['ignored-day-window', 'early-retry', 'ban-tripped'],
    },
  ],
  'day-quota-gone': [
    { does: 'waits for the rest of the day', client: patient },
    {
      does: 'knows the minute only',
      client: loudly(clients.every(2_000, 5)),
      names: ['ignored-day-window', 'early-retry', 'ban-tripped'],
    },
  ],
  'minute-mistaken-for-day': [
    { does: 'waits as told', client: patient },
    { does: 'gives up for good', client: loudly(clients.takesItForTheEnd), names: ['gave-up'] },
  ],
  'storm-burns-the-day': [
    { does: 'waits as told', client: patient },
    { does: 'repeats at once', client: loudly(clients.every(1, 11)), names: ['early-retry', 'retry-storm'] },
  ],
  'near-minute-limit': [
    { does: 'paces itself', client: (stage) => clients.pacing(stage, 3) },
    { does: 'is rejected and waits as requested', client: inTurn(3, clients.patient) },
    { does: 'takes the 429 for the end', client: inTurn(3, clients.takesItForTheEnd), names: ['gave-up'] },
  ],
  'parallel-burst': [
    {
      does: 'holds back all of its calls together',
      client: (stage) => clients.sharedGate(stage, 80),
      warned: ['no-jitter'],
    },
    {
      does: 'lets each call try again alone',
      client: sideBySide(80, clients.backsOffOnly),
      names: ['early-retry', 'ban-tripped'],
    },
  ],
  'thundering-herd': [
    { does: 'adds a random wait to each', client: sideBySide(10, addsJitter) },
    { does: 'sends all back in one moment', client: sideBySide(10, clients.readsANumber), names: ['no-jitter'] },
  ],
  'shared-quota': [
    {
      does: 'pauses all callers, and distributes their retries',
      client: (stage) => clients.sharedGate(stage, 100, { spreadMs: 2_000 }),
    },
    {
      does: 'lets each try again by its own backoff',
      client: sideBySide(100, clients.backsOffOnly),
      names: ['early-retry', 'ban-tripped'],
    },
  ],
  shards: [
    {
      does: 'waits, and longer each time',
      client: (stage) => clients.sharedGate(stage, 8, { callers: 4, spreadMs: 500 }),
    },
    {
      does: 'counts only its own requests, and retries at once for a while',
      client: sideBySide(4, clients.every(300, 8)),
      names: ['early-retry', 'ban-tripped'],
    },
    {
      does: 'retries at once with a name for each call',
      client: sideBySide(4, clients.every(1, 4), (n) => ({ headers: { 'x-sim-call': `${n}` } })),
      names: ['early-retry'],
    },
  ],
  'nested-retries': [
    { does: 'makes five attempts', client: patient },
    { does: 'retries in three layers', client: loudly(clients.inLayers(3, 3)), names: ['retry-storm'] },
  ],
  'stubborn-429': [
    { does: 'waits longer each time and gives up', client: patient },
    {
      does: 'comes back every second',
      client: loudly(clients.everySecond),
      names: ['no-backoff-growth', 'retry-storm'],
    },
  ],
  'abort-while-waiting': [
    {
      does: 'ends its wait with its caller, and reports it',
      client: callerGoes(2_000, { isHeard: true, isReported: true }),
    },
    { does: 'ends its wait with its caller', client: callerGoes(2_000, { isHeard: true, isReported: false }) },
    {
      does: 'keeps waiting, and reports when its caller left',
      client: callerGoes(2_000, { isHeard: false, isReported: true }),
      names: ['late-request'],
    },
    {
      does: 'keeps waiting, and reports nothing about its caller',
      client: callerGoes(2_000, { isHeard: false, isReported: false }),
      outcome: 'inconclusive',
    },
    { does: 'takes the 429 for the end', client: loudly(clients.takesItForTheEnd), outcome: 'inconclusive' },
  ],
  'jitter-below': [
    { does: 'adds to Retry-After', client: inTurn(21, addsJitter) },
    { does: 'multiplies Retry-After by 0.9 to 1.1', client: inTurn(21, timesJitter), names: ['early-retry'] },
  ],
  'ban-on-third-strike': [
    { does: 'waits as told', client: patient },
    {
      does: 'retries every two seconds',
      client: loudly(clients.every(2_000, 6)),
      names: ['early-retry', 'ban-tripped', 'ban-hammered'],
    },
  ],
  'sit-out-the-ban': [
    { does: 'keeps silent', client: patient },
    { does: 'asks every two seconds', client: loudly(clients.every(2_000, 10)), names: ['ban-hammered'] },
  ],
  'growing-ban': [
    { does: 'reads each Retry-After', client: inTurn(4, clients.patient) },
    {
      does: 'waits as long as for the first ban every time',
      client: inTurn(4, clients.every(5_000, 4)),
      names: ['early-retry', 'ban-tripped', 'ban-hammered'],
    },
  ],
  'penalty-extends': [
    { does: 'keeps silent', client: patient },
    { does: 'asks every two seconds', client: loudly(clients.every(2_000, 20)), names: ['ban-hammered'] },
  ],
  ...Object.fromEntries(
    ['ban-as-403', 'ban-as-418'].map((name): [string, VerdictCase[]] => [
      name,
      [
        { does: 'obeys Retry-After', client: patient },
        { does: 'stops', client: loudly(clients.takesItForTheEnd) },
        { does: 'asks again at once', client: loudly(clients.every(1, 10)), names: ['ban-hammered', 'early-retry'] },
      ],
    ]),
  ),
  'negative-retry-after': [
    { does: 'goes by Reset', client: patient },
    { does: 'has growing waits that are long enough', client: loudly(clients.every(8_000, 3)) },
    { does: 'hands it to a timer', client: noWait, names: ['early-retry', 'retry-storm'] },
    { does: 'fails on it', client: clients.failsOnOddRetryAfter, names: ['gave-up'] },
  ],
  'post-429': [
    { does: 'sends it again', client: loudly(clients.patient, newcomer(0)) },
    { does: 'repeats no POST', client: loudly(clients.takesItForTheEnd, newcomer(0)), names: ['lost-write'] },
  ],
  'post-body-lost': [
    { does: 'sends the same body again', client: loudly(clients.patient, newcomer(0)) },
    { does: 'has used up the body', client: loudly(clients.losesItsBody, newcomer(0)), names: ['body-changed'] },
  ],
  'post-ambiguous': [
    { does: 'looks before it repeats', client: loudly(clients.looksFirst, newcomer(0)) },
    {
      does: 'repeats nothing, and reports an error to its caller',
      client: loudly(clients.takesItForTheEnd, newcomer(0)),
    },
    {
      does: 'repeats nothing, and ends as if all were well',
      client: regardless(1, clients.takesItForTheEnd, newcomer(0)),
      names: ['gave-up'],
    },
    { does: 'repeats it blindly', client: loudly(clients.repeatsBlindly(), newcomer(0)), names: ['duplicate-write'] },
  ],
  'post-stored-answer-lost': [
    { does: 'looks before it repeats', client: loudly(clients.looksFirst, newcomer(0)) },
    { does: 'repeats nothing, and tells its caller', client: loudly(clients.takesItForTheEnd, newcomer(0)) },
    {
      does: 'repeats nothing, and ends as if all were well',
      client: regardless(1, clients.takesItForTheEnd, newcomer(0)),
      names: ['gave-up'],
    },
    { does: 'repeats it blindly', client: loudly(clients.repeatsBlindly(), newcomer(0)), names: ['duplicate-write'] },
  ],
  'post-answer-late': [
    { does: 'waits that long', client: loudly(clients.takesItForTheEnd, newcomer(0)) },
    { does: 'looks before it repeats', client: loudly(clients.looksFirst, newcomer(0)) },
    {
      does: 'gives up after two seconds and repeats it blindly',
      client: loudly(clients.repeatsBlindly(), newcomer(0)),
      names: ['duplicate-write'],
    },
  ],
  'browser-cannot-see': [
    { does: 'does without the headers', client: loudly(clients.behindCors(clients.patient)) },
    { does: 'reads 0', client: loudly(clients.behindCors(clients.readsANumber)), names: ['retry-storm'] },
  ],
  'flaky-5xx': [
    { does: 'repeats with growing waits', client: inTurn(10, clients.sturdy()) },
    { does: 'takes the first 5xx for the end', client: regardless(10, clients.takesItForTheEnd), names: ['gave-up'] },
    { does: 'is back at once', client: inTurn(10, clients.everyOn5xx(8)), names: ['early-retry'] },
  ],
  slow: [
    { does: 'has patience', client: inTurn(10, clients.takesItForTheEnd) },
    {
      does: 'gives up after half a second and asks again',
      client: inTurn(10, clients.repeatsBlindly({ timeoutMs: 500 })),
      names: ['impatient'],
    },
  ],
  'slow-drip': [
    { does: 'goes on reading', client: loudly(clients.takesItForTheEnd) },
    {
      does: 'has a total timeout of five seconds',
      client: clients.sturdy({ timeoutMs: 5_000, attempts: 3 }),
      names: ['impatient'],
    },
    {
      does: 'allows five seconds, eight times',
      client: clients.sturdy({ timeoutMs: 5_000, attempts: 8 }),
      names: ['impatient', 'retry-storm'],
    },
  ],
  hang: [
    { does: 'has a time limit', client: loudly(clients.sturdy({ timeoutMs: 5_000 })) },
    { does: 'waits for ever', client: clients.takesItForTheEnd, names: ['gave-up'], stoppedAfterSeconds: 120 },
  ],
  'reset-then-ok': [
    { does: 'repeats a GET after a network error', client: inTurn(3, clients.sturdy()) },
    { does: 'takes a network error for the end', client: inTurn(3, clients.patient), names: ['gave-up'] },
    {
      does: 'treats a network error as the end, and starts its next call',
      client: regardless(3, clients.patient),
      names: ['gave-up'],
    },
  ],
  'truncated-json': [
    { does: 'repeats what broke off', client: inTurn(3, clients.sturdy()) },
    {
      does: 'continues as if the list were empty',
      client: regardless(3, clients.takesItForTheEnd),
      names: ['gave-up'],
    },
  ],
};
