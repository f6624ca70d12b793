import { judge } from '../judge/judge.js';
import type { Verdict } from '../judge/judge-run.js';
import { createSimulatorFrom } from '../petstore/create-simulator.js';
import type { RequestRecord } from '../requests/request-record.js';
import { clientOf, type ScenarioClient } from '../scenario/client.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { eventLoopTurn, fakeClock, fakeTime, frozenTime, startMs } from './virtual-time.js';

/** Context of a run, which the client function receives. */
export interface HuntContext extends Omit<ScenarioClient, 'key'> {
  /** A `fetch` function whose requests the simulator answers. */
  fetch: typeof fetch;
  /** Waits in simulated time. Rejects with the reason of `signal` if aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Current time of the client, in Unix milliseconds. Replaces `Date.now()`, unless the test runner's fake timers are
   * installed.
   */
  now(): number;
  /** Base URL of the API for `fetch`. */
  baseUrl: string;
  /** API key that the client must use. */
  apiKey: string;
  /**
   * Operation that the client function should call, such as `listPets`. If the function reads this field, the hunt (the
   * search for failing scenarios) also tries other operations.
   */
  operation: string;
  /**
   * Number of calls that the client should make. If the client function reads this property, the hunt (the search for a
   * scenario that breaks the client) also tries other numbers of calls.
   */
  calls: number;
  /**
   * Number of calls that the client should make concurrently. If the client reads this property, the hunt (the search
   * for a scenario that breaks the client) also varies the number.
   */
  parallel: number;
}

/** A client as a function. It makes its calls and returns, or throws if it gives up. */
export type HuntClient = (context: HuntContext) => unknown;

/** Reason for ending a run although the client had not ended. */
export type StopReason =
  /** The run was stopped, because the client had sent the maximum number of requests. */
  | 'requests'
  /**
   * The run was stopped, because the client had waited the maximum number of times or until the maximum simulated time.
   */
  | 'time'
  /** The client waited without a timeout for a response that never comes. */
  | 'unanswered'
  /** The simulated client neither ended nor continued, although no response and no timer was pending. */
  | 'stalled';

/** Result of running a client in one scenario. */
export interface TrialRun {
  sim: Simulator;
  verdict: Verdict;
  entries: readonly RequestRecord[];
  /** Return value of the client, or the error that it threw. */
  result?: unknown;
  error?: unknown;
  stop: StopReason | undefined;
  /**
   * Names of the optional context fields that the client function read: `operation`, `calls` or `parallel`. The hunt
   * (the search for failing scenarios) then varies these fields.
   */
  read: ReadonlySet<string>;
}

const baseUrl = 'http://petstore.test/v1';
/**
 * Maximum number of waits in one client run of the bug search `hunt`. A client with more waits probably loops forever.
 */
const maximumWaits = 10_000;
/** Number of event-loop turns without work of the client after which it is assumed to wait for a timer or response. */
const quietTurns = 2;
/** Number of idle event-loop turns (about 20 ms in total) after which a client without timers counts as stalled. */
const stalledTurns = 5_000;

/**
 * Runs a client in virtual time with a new simulator, and judges the client.
 * @param maximumRequests after this number of requests, the run ends
 * @throws {Error} if the client waits with real timers
 */
export async function runInProcess(
  client: HuntClient,
  resolved: ResolvedScenario,
  maximumRequests: number,
): Promise<TrialRun> {
  const fake = fakeClock();
  fake?.reset();
  fake?.setSystemTime(startMs);
  const { clock: clockStart } = resolved;
  const mode = fake === undefined ? 'frozen' : 'real';
  const sim = createSimulatorFrom(
    { ...resolved, clock: { ...clockStart, startMs: clockStart.startMs ?? startMs, mode } },
    { onWarning: () => {} },
  );
  const { clock } = coreOf(sim).state;
  clock.onStandstill = undefined;
  const time = fake === undefined ? frozenTime(clock) : fakeTime(fake);
  const timersBefore = realTimers();

  let requests = 0;
  let waits = 0;
  let events = 0;
  let stop: StopReason | undefined;
  let isOver = false;
  let underWay = 0;
  const never = new Promise<never>(() => {});

  const send: typeof fetch = async (input, init) => {
    events++;
    if (stop !== undefined) return never;
    if (requests === maximumRequests) {
      stop = 'requests';
      return never;
    }
    requests++;
    underWay++;
    try {
      return await sim.fetch(input, init);
    } finally {
      events++;
      underWay--;
    }
  };
  const read = new Set<string>();
  const { key, ...asked } = clientOf(resolved.scenario);
  const context: HuntContext = {
    fetch: send,
    sleep(ms, signal) {
      events++;
      return time.sleep(ms, signal);
    },
    now: time.now,
    baseUrl,
    apiKey: key,
    get operation() {
      read.add('operation');
      return asked.operation;
    },
    get calls() {
      read.add('calls');
      return asked.calls;
    },
    get parallel() {
      read.add('parallel');
      return asked.parallel;
    },
  };

  /** Runs the client's code, without advancing virtual time, until the client waits for a response or a timer. */
  const settle = async (turns: number) => {
    for (let quiet = 0, seen = events; quiet < turns && !isOver && stop === undefined; quiet++) {
      await eventLoopTurn();
      if (seen !== events) quiet = 0;
      seen = events;
    }
  };

  let outcome: Pick<TrialRun, 'result' | 'error'> = {};
  const act = async () => client(context);
  const done = act()
    .then(
      (result) => ({ result }),
      (error) => ({ error }),
    )
    .then((ended) => {
      outcome = ended;
      isOver = true;
    });
  while (!isOver && stop === undefined) {
    await settle(quietTurns);
    if (isOver || stop !== undefined) break;
    const step = time.step();
    if (step === 'moved' && ++waits < maximumWaits) continue;
    if (step !== 'nothing') stop = 'time';
    else if (underWay > 0) stop = 'unanswered';
    else {
      const before = events;
      await settle(stalledTurns);
      if (realTimers() > timersBefore) throw realTimerError(sim);
      if (!isOver && events === before) stop = 'stalled';
    }
  }
  if (isOver) await done;
  const hasFailed = 'error' in outcome;
  const verdict = judge(sim, { isOver: true, end: isOver ? { hasFailed } : { isInterrupted: true } });
  return { sim, verdict, entries: sim.journal.query(), ...outcome, stop: isOver ? undefined : stop, read };
}

/** Counts the timers that keep the Node process alive. Returns 0 in a browser, which has no such count. */
function realTimers(): number {
  const { process } = globalThis;
  return process?.getActiveResourcesInfo?.().filter((kind) => kind === 'Timeout').length ?? 0;
}

function realTimerError(sim: Simulator): Error {
  const last = sim.journal.query().at(-1);
  const after = last === undefined ? '' : ` after the ${last.status} of ${last.method} ${last.path}`;
  return new Error(
    `Failed to hunt: expected the client to wait in simulated time, but it started a real timer${after}. ` +
      'Use sleep of its context, hunt(async ({ fetch, sleep }) => { ... }), or call vi.useFakeTimers() or ' +
      'jest.useFakeTimers() before. If neither is possible, run the client as a command: petstore-sim hunt -- COMMAND.',
  );
}
