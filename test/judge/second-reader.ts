/** One request with its response, as logged on the wire. Instants are Unix milliseconds of the machine. */
export interface Sent {
  atMs: number;
  /** Time of the last byte of the response, or of the end of the connection. */
  doneMs: number;
  connection: number;
  method: string;
  target: string;
  key?: string;
  /** `X-Sim-Call`, otherwise `Idempotency-Key`. */
  call?: string;
  /** Hash of the body, its length, and the name of the pet in it. */
  body?: string;
  bodyBytes?: number;
  pet?: string;
  /** 0 without a response. */
  status: number;
  /** Whether the response arrived whole and is JSON. */
  isReadable?: boolean;
  /** Whether the client closed the connection before the end of the response. */
  isLeft?: boolean;
  /** `code` of an Error body, and names of the pets of a list. */
  code?: string;
  shown?: readonly string[];
  date?: string;
  'retry-after'?: string;
  'x-ratelimit-limit'?: string;
  'x-ratelimit-remaining'?: string;
  'x-ratelimit-reset'?: string;
}

/** End of the client's command, and names of the pets that the store has in addition. */
export interface Ending {
  atMs: number;
  isStopped: boolean;
  exitCode: number;
  stored: readonly string[];
}

/** Needs and expectations of a scenario: its fields `client` and `expect`. */
export interface Expects {
  key: string;
  operation: string;
  calls: number;
  parallel: number;
  served: boolean;
  fail: readonly string[];
  /** Whether the headers of the limits are hidden from the client. */
  hidesHeaders: boolean;
}

export interface Reading {
  outcome: 'pass' | 'fail' | 'inconclusive';
  /** Names of the findings that fail or warn, sorted. */
  findings: string[];
}

const isBan = ({ code }: Sent) => code === 'key_banned';
const isRefused = (one: Sent) => one.status === 429 || isBan(one);
const isServed = ({ status, isReadable, isLeft }: Sent) => status >= 200 && status < 300 && !!isReadable && !isLeft;
const isLost = (one: Sent) =>
  !isRefused(one) && (one.status === 0 || !!one.isLeft || one.status >= 500 || (one.status < 300 && !one.isReadable));
/**
 * Time without a first byte after which a response counts as missing, in milliseconds. Before that, the client is
 * impatient.
 */
const leastTimeLimitMs = 2_000;
const isTimedOut = ({ status, isLeft, atMs, doneMs }: Sent) =>
  status === 0 && !!isLeft && doneMs - atMs >= leastTimeLimitMs;
const callOf = ({ call, method, target, body }: Sent) => call ?? [method, target, body].join(' ');
const spread = (values: readonly number[]) => Math.max(...values) - Math.min(...values);
/** Day limits of the plans (interface document, Limits). */
const dayLimits = ['1000', '10000', '100000'];
const toleranceMs = 50;
const secondMs = 1_000;

/**
 * Second opinion on a run, from the log of the wire alone. It shares no code with the judge, follows
 * docs/judging-clients.md, and knows fewer shapes: one thread of requests, or callers of one call side by side.
 */
export function readWire(log: readonly Sent[], ending: Ending, expects: Expects): Reading {
  const sent = [...log].sort((a, b) => a.atMs - b.atMs);
  const [failing, warning] = [new Set<string>(), new Set<string>()];
  const tested = new Set<string>();
  const blame = (name: string, isFault: boolean) =>
    (isFault || expects.fail.includes(name) ? failing : warning).add(name);
  const sameCalls = (one: Sent) => sent.filter((other) => callOf(other) === callOf(one));
  const after = (one: Sent) => sent.slice(sent.indexOf(one) + 1);

  // A run starts on a whole second of the service's clock; a later Date is up to a second behind that clock.
  const offsets = sent.flatMap(({ atMs, date }, at) =>
    date === undefined ? [] : [Date.parse(date) - atMs + (at === 0 ? 0 : secondMs)],
  );
  const serviceAheadMs = sent[0]?.date === undefined ? Math.min(...offsets) : (offsets[0] as number);

  /** Instants of both promises of a response. */
  const promises = (one: Sent): { retry?: number; reset?: number } => {
    if (expects.hidesHeaders || !(isRefused(one) || one.status === 503)) return {};
    const { 'retry-after': after = '', 'x-ratelimit-reset': resetText = '' } = one;
    const date = / GMT$/.test(after) ? Math.max(one.doneMs, Date.parse(after) - serviceAheadMs) : Number.NaN;
    const retry = /^\d+(\.\d+)?$/.test(after) ? one.doneMs + Number(after) * secondMs : date;
    const size = /^\d+$/.test(resetText) && isRefused(one) ? Number(resetText) : Number.NaN;
    const reset = size < 1e8 ? one.doneMs + size * secondMs : (size > 1e11 ? size : size * secondMs) - serviceAheadMs;
    return {
      ...(!Number.isNaN(retry) && { retry }),
      ...(!Number.isNaN(reset) && (reset > one.atMs || Number.isNaN(retry)) && { reset }),
    };
  };
  const dueMs = (one: Sent) => {
    const { retry = Number.POSITIVE_INFINITY, reset = Number.POSITIVE_INFINITY } = promises(one);
    const due = Math.min(retry, reset);
    return due === Number.POSITIVE_INFINITY ? undefined : due;
  };
  const earlyMs = (told: Sent, one: Sent) => (dueMs(told) ?? one.atMs) - one.atMs;
  /** Wait before each request after a refusal. The next wait may be twice as long, with a tenth for jitter. */
  const waits = new Map<Sent, number>();
  const patienceMs = (told: Sent) => {
    const askedMs = (dueMs(told) ?? 0) - told.doneMs;
    return Math.max(10_000, askedMs / 2, 2.2 * (waits.get(told) ?? 0) - askedMs);
  };

  const overlaps = sent.some((one, at) =>
    sent.slice(0, at).some(({ doneMs, isLeft }) => doneMs > one.atMs + (isLeft ? toleranceMs : 0)),
  );
  const calls = new Set(sent.map(callOf));
  const isThread = expects.parallel === 1 && !overlaps;

  // Waits after refusals.
  let told: Sent | undefined;
  let refusalsInRow = 0;
  const unreturned: Sent[] = [];
  const refusals: Sent[] = [];
  for (const one of sent) {
    const read = refusals.filter(({ doneMs }) => doneMs <= one.atMs);
    const aged = read.filter(({ doneMs }) => doneMs < one.atMs - secondMs);
    const own = isThread
      ? told
      : unreturned
          .filter((each) => callOf(each) === callOf(one) && (each.call ? read : aged).includes(each))
          .sort((a, b) => (dueMs(a) ?? 0) - (dueMs(b) ?? 0))[0];
    const gate = isThread ? undefined : aged.at(-1);
    const answered = sent.filter((each) => each.atMs < one.atMs && !isRefused(each) && !isLost(each)).length;
    // The next call of a free caller, if that cannot be told from an early retry.
    const isAnyone =
      own !== undefined &&
      !isThread &&
      one.call === undefined &&
      (calls.size === 1 || sameCalls(one).filter((each) => !isRefused(each) && !isLost(each)).length > 1) &&
      unreturned.length < Math.min(expects.parallel, expects.calls - answered) &&
      earlyMs(own, one) > toleranceMs;
    if (isAnyone) blame('no-shared-gate', false);
    else if (own !== undefined) {
      unreturned.splice(unreturned.indexOf(own), 1);
      waits.set(one, one.atMs - own.doneMs);
      for (const name of ['early-retry', 'ban-tripped', 'ban-hammered', 'no-shared-gate']) tested.add(name);
      const { retry, reset } = promises(own);
      const isAfterReset = isThread && isRefused(one) && retry !== undefined && (reset ?? one.atMs + 1) <= one.atMs;
      const byMs = isAfterReset ? retry - one.atMs : earlyMs(own, one);
      if (byMs > toleranceMs) blame('early-retry', isRefused(one) || one.status === 503);
      const isOfDay = dayLimits.includes(own['x-ratelimit-limit'] ?? '');
      if (isOfDay) tested.add('ignored-day-window');
      if (isOfDay && byMs > toleranceMs) blame('ignored-day-window', true);
      const lateMs = -earlyMs(own, one);
      const backoffMs = Math.min(60_000, Math.max(secondMs, (dueMs(own) ?? 0) - own.doneMs) * 2 ** refusalsInRow);
      if (lateMs >= 0 && dueMs(own) !== undefined) tested.add('overslept');
      if (lateMs > Math.max(patienceMs(own), refusalsInRow > 1 ? backoffMs : 0)) blame('overslept', false);
    } else if (gate !== undefined && unreturned.length < expects.parallel && earlyMs(gate, one) > toleranceMs)
      // All callers are waiting, so none can start another call.
      blame('no-shared-gate', false);
    if (isBan(one)) {
      const knew = isThread ? told : aged.at(-1);
      if (knew !== undefined && !isBan(knew)) blame('ban-tripped', true);
      const banned = (isThread ? read : aged).findLast(isBan);
      if (banned !== undefined && earlyMs(banned, one) > toleranceMs) blame('ban-hammered', true);
    }
    if (isRefused(one)) {
      told = one;
      refusalsInRow++;
      refusals.push(one);
      unreturned.push(one);
    } else if (isServed(one) || [400, 401, 404].includes(one.status)) {
      told = undefined;
      refusalsInRow = 0;
      if (isThread) refusals.length = 0;
    }
    const busy = sent.slice(0, sent.indexOf(one)).findLast((each) => callOf(each) === callOf(one));
    if (isThread && busy?.status === 503 && !isRefused(busy)) {
      tested.add('early-retry');
      if (earlyMs(busy, one) > toleranceMs) blame('early-retry', isRefused(one) || one.status === 503);
    }
  }

  // Attempts per call without a usable response.
  for (const all of new Map(sent.map((one) => [callOf(one), sameCalls(one)])).values()) {
    let tries: Sent[] = [];
    const judge = () => {
      // Each caller has a separate call among the attempts, as long as there are calls.
      const before = all.filter((one) => isServed(one) && one.atMs < (tries[0]?.atMs ?? 0)).length;
      const callers = Math.max(1, Math.min(expects.parallel, expects.calls - before));
      const attempts = isThread ? tries.length : Math.ceil(tries.length / callers);
      if (attempts > 1) tested.add('retry-storm');
      const obeys = tries.slice(1).every((one, at) => earlyMs(tries[at] as Sent, one) <= toleranceMs);
      const gaps = tries.slice(1).map(({ atMs }, at) => atMs - (tries[at] as Sent).atMs);
      const isSpared = Math.min(...gaps) >= 25_000 || (obeys && attempts <= 6 * expects.calls && expects.calls > 1);
      const asksToWait = tries.slice(0, -1).every((one) => {
        const { retry, reset = 0 } = promises(one);
        return (retry ?? reset) - one.doneMs >= secondMs;
      });
      if (attempts > 6 && !isSpared) blame('retry-storm', !(obeys && asksToWait));
      judgeGrowth(tries);
      tries = [];
    };
    for (const one of all) {
      const before = tries.at(-1);
      if (before !== undefined && one.atMs - Math.max(before.doneMs, dueMs(before) ?? 0) >= 45_000) judge();
      if (tries.length > 0 || isRefused(one) || isLost(one)) tries.push(one);
      if (!isRefused(one) && !isLost(one)) judge();
    }
    judge();
  }

  function judgeGrowth(tries: readonly Sent[]) {
    const waits: number[] = [];
    const whole: number[] = [];
    for (const [at, one] of tries.entries()) {
      const before = tries[at - 1];
      if (!isThread || before === undefined || !isRefused(before) || earlyMs(before, one) > 0) continue;
      whole.push(one.atMs - before.doneMs);
      waits.push(Math.max(0, one.atMs - (promises(before).retry ?? before.doneMs)));
    }
    if (waits.length + (tries.slice(-1).some(isRefused) ? 1 : 0) < 3) return;
    tested.add('no-backoff-growth');
    const [least, most] = [Math.min(...waits), Math.max(...waits)];
    const steps = waits.slice(1).map((ms, at) => ms - (waits[at] as number));
    const isLonger = most >= 2 * least || steps.length === 1 || (steps.at(-1) ?? 0) >= 1.3 * (steps[0] ?? 0);
    const rises = steps.every((ms) => ms > -40) && most - least > 80 && isLonger;
    // A wait of less than half of the one before is random; latency is not.
    const isRandom = whole.slice(1).some((ms, at) => ms + 100 < ((whole[at] as number) + 100) / 2);
    if (most + 100 <= 3 * (least + 100) && !rises && !isRandom) blame('no-backoff-growth', false);
  }

  // Callers that retry together.
  const backMs = Math.min(...sent.filter(isRefused).map((one) => dueMs(one) ?? Number.POSITIVE_INFINITY)) - toleranceMs;
  const before = sent.filter(({ atMs }) => atMs < backMs);
  // A caller that retried before has one refusal more than those that waited.
  const herd = before.filter(isRefused).slice(Math.max(0, before.length - expects.parallel));
  const back = sent.filter(({ atMs }) => atMs >= backMs).slice(0, herd.length);
  if (!isThread && Math.min(herd.length, back.length) >= 5 && spread(herd.map(({ atMs }) => atMs)) <= secondMs) {
    tested.add('no-jitter');
    const waits = back.map(({ atMs }, at) => atMs - (herd[at] as Sent).doneMs);
    if (Math.min(spread(back.map(({ atMs }) => atMs)), spread(waits)) <= toleranceMs) blame('no-jitter', false);
  }

  // Writes.
  const writes = sent.filter(({ method }) => method === 'POST');
  for (const pet of new Set(writes.map(({ pet }) => pet))) {
    const tries = writes.filter((one) => one.pet === pet);
    const last = tries.at(-1) as Sent;
    const stored = ending.stored.filter((name) => name === pet).length;
    if (tries.some((one) => isLost(one) || (isServed(one) && one.doneMs - one.atMs >= secondMs)))
      tested.add('duplicate-write');
    if (stored > 1 && ending.stored.length > expects.calls && tries.slice(0, -1).every(isLost))
      blame('duplicate-write', true);
    if (tries.some(isRefused) && (stored > 0 || !ending.isStopped)) tested.add('lost-write');
    if (isRefused(last) && stored === 0 && !ending.isStopped && (ending.exitCode === 0 || expects.served))
      blame('lost-write', expects.served);
  }
  for (const [at, one] of writes.entries()) {
    const before = writes[at - 1];
    if (before === undefined || !(isRefused(before) || isLost(before))) continue;
    tested.add('body-changed');
    if (one.body !== before.body && (one.bodyBytes ?? 0) < (before.bodyBytes ?? 0)) blame('body-changed', true);
  }

  // Keys that are not valid.
  const invalid = sent.filter(({ status, key, code }) => status === 401 && key !== undefined && code !== 'key_banned');
  if (invalid.length > 0) tested.add('retried-401');
  const repeats = invalid.filter(({ atMs }) => atMs >= (invalid[0] as Sent).doneMs + (isThread ? 0 : secondMs));
  if (repeats.length > 1 && !sent.some((one) => isServed(one) && one.atMs > (invalid[0] as Sent).atMs))
    blame('retried-401', true);

  // Responses that the client abandoned, and calls without a final response.
  const endsWithCommand = ({ doneMs }: Sent) => ending.atMs - doneMs < 200;
  for (const one of sent.filter(({ method }) => method === 'GET')) {
    const lastedMs = one.doneMs - one.atMs;
    if (!one.isLeft && one.status > 0 && lastedMs >= 500) tested.add('impatient');
    const again = after(one).some((each) => callOf(each) === callOf(one) && each.atMs - one.doneMs < 60_000);
    if (one.isLeft && !isTimedOut(one) && !endsWithCommand(one) && lastedMs >= toleranceMs && again) {
      tested.add('impatient');
      blame('impatient', false);
    }
  }
  const servedCount = sent.filter(isServed).length;
  const answered = sent.filter((one) => !isRefused(one) && !isLost(one)).length;
  const last = sent.at(-1);
  const failed = sent.filter((one) => isRefused(one) || (isLost(one) && !(ending.isStopped && endsWithCommand(one))));
  const isWaiting = (one: Sent) =>
    ending.isStopped && (dueMs(one) ?? one.doneMs + 60_000) + 3 * patienceMs(one) >= ending.atMs;
  const lastTries = failed.filter((one) => sameCalls(one).at(-1) === one && !isWaiting(one));
  const givenUp = lastTries.filter(({ method, pet }) => method === 'GET' || !ending.stored.includes(pet ?? ''));
  const isMissing = failed.length > 0 && !ending.isStopped && sent.length >= expects.calls && answered < expects.calls;
  const unknown = lastTries.filter((one) => one.method === 'POST' && isLost(one));
  const isUnsaid = ending.exitCode === 0 && !ending.isStopped;
  const looked = (one: Sent) => after(one).some(({ shown }) => shown?.includes(one.pet ?? ''));
  if (failed.some((one) => !isWaiting(one) || one !== last)) tested.add('gave-up');
  if (unknown.some((one) => !looked(one)) && isUnsaid) blame('gave-up', expects.served);
  const isGivenUp = givenUp.some((one) => !unknown.includes(one)) || (isMissing && unknown.length === 0);
  if (isGivenUp && answered < expects.calls && (isUnsaid || expects.served)) blame('gave-up', expects.served);

  // Waits that the client ended, and pauses before a refusal.
  if (!ending.isStopped && last !== undefined && isRefused(last)) {
    for (const name of ['early-retry', 'ban-tripped', 'ban-hammered']) tested.add(name);
    if (dayLimits.includes(last['x-ratelimit-limit'] ?? '')) tested.add('ignored-day-window');
    if (ending.atMs - last.doneMs >= secondMs && ending.atMs < (dueMs(last) ?? 0)) tested.add('late-request');
  }
  for (const [at, one] of sent.slice(0, -1).entries()) {
    const resetMs = Number(one['x-ratelimit-reset']) * secondMs - serviceAheadMs;
    if (isServed(one) && one['x-ratelimit-remaining'] === '0' && (sent[at + 1] as Sent).atMs >= resetMs - toleranceMs)
      tested.add('proactive');
  }

  // Inconclusive without a requirement of the scenario, or without one of its rules.
  const named = [...expects.fail, ...(expects.served ? ['gave-up'] : [])];
  const about = named.length > 0 ? [...named, 'proactive'] : [...tested];
  const wanted = sent.filter(
    ({ key, method }) => key === expects.key && (method === 'POST') === (expects.operation === 'createPet'),
  );
  const isUnmet =
    wanted.length === 0 ||
    (expects.calls > 1 &&
      wanted.slice(-1).some(isServed) &&
      servedCount + writes.filter(isLost).length < expects.calls);
  const firstWait = sent.findIndex((one) => dueMs(one) !== undefined);
  const isOneByOne =
    !overlaps &&
    firstWait >= 0 &&
    firstWait < sent.length - 1 &&
    firstWait + 1 < Math.min(expects.calls, expects.parallel) &&
    sent.every((one, at) => at === 0 || earlyMs(sent[at - 1] as Sent, one) <= toleranceMs);
  const isStoppedInWait =
    ending.isStopped &&
    last !== undefined &&
    ((isRefused(last) && isWaiting(last)) || (!!last.isLeft && ending.atMs - last.doneMs <= 2 * secondMs));
  const isWrongKey = invalid.length === sent.length && !expects.fail.includes('retried-401');
  const isTested = about.some((name) => tested.has(name));
  const isKnown = !isUnmet && !isOneByOne && !isStoppedInWait && !isWrongKey && isTested;
  return {
    outcome: failing.size > 0 ? 'fail' : isKnown ? 'pass' : 'inconclusive',
    findings: [...new Set([...failing, ...warning])].sort(),
  };
}
