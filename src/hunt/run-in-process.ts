import { judge } from '../judge/judge.js';
import type { Verdict } from '../judge/judge-run.js';
import type { RequestRecord } from '../requests/request-record.js';
import { clientOf, type ScenarioClient } from '../scenario/client.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { coreOf, createSimulatorFrom, type Simulator } from '../simulator/simulator.js';
import { fakeClock, fakeTime, frozenTime, startMs, turn } from './virtual-time.js';

/** Everything that one run of a client may use. */
export interface HuntContext extends Omit<ScenarioClient, 'key'> {
  /** The simulator as a `fetch`. */
  fetch: typeof fetch;
  /** Waits in simulated time, as a promise of `setTimeout` does in real time. Rejects with the reason of `signal`. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** The client's clock, in Unix milliseconds: use it instead of `Date.now()`, unless fake timers replace that. */
  now(): number;
  /** Base URL of the API, for `fetch`. */
  baseUrl: string;
  /** The API key of the scenario's client. */
  apiKey: string;
  /** The operation that the scenario asks for. A client that reads it is searched with each operation. */
  operation: string;
  /** The number of calls that the scenario asks for. A client that reads it is searched with several. */
  calls: number;
  /** Number of concurrent calls. A client that reads it is searched with several. */
  parallel: number;
}

/** A client in the same process: it makes its calls and returns, or throws if it gives up. */
export type HuntClient = (context: HuntContext) => unknown;

/** Why a run ended before its client did. */
export type Stop =
  /** The client sent as many requests as a run may have. */
  | 'requests'
  /** It waited beyond the longest simulated time, or too often. */
  | 'time'
  /** A response never comes, and the client has no time limit. */
  | 'unanswered'
  /** It waits, and neither a response nor a timer can end that. */
  | 'stalled';

/** One run of a client in one scenario. */
export interface ClientRun {
  sim: Simulator;
  verdict: Verdict;
  entries: readonly RequestRecord[];
  /** The client's return value, or the error that it threw. */
  result?: unknown;
  error?: unknown;
  stop: Stop | undefined;
  /** The optional fields of its context that the client has read. */
  read: ReadonlySet<string>;
}

const baseUrl = 'http://petstore.test/v1';
/** Waits of one run; a client that waits more often polls a clock. */
const mostSteps = 10_000;
/** Turns of the event loop without an event, after which a client has nothing more to do at this instant. */
const quietTurns = 2;
/** The same, after which a client that waits for nothing known is stalled; about 20 ms. */
const stalledTurns = 5_000;

/**
 * Runs a client in virtual time against its own simulator, and judges it.
 * @param maximumRequests later requests get no response, and the run ends
 * @throws {Error} when the client waits by real timers
 */
export async function runInProcess(
  client: HuntClient,
  resolved: ResolvedScenario,
  maximumRequests: number,
): Promise<ClientRun> {
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
  let steps = 0;
  let events = 0;
  let stop: Stop | undefined;
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

  /** Runs everything that is due at this instant. */
  const settle = async (turns: number) => {
    for (let quiet = 0, seen = events; quiet < turns && !isOver && stop === undefined; quiet++) {
      await turn();
      if (seen !== events) quiet = 0;
      seen = events;
    }
  };

  const outcome: Pick<ClientRun, 'result' | 'error'> = {};
  const act = async () => client(context);
  const done = act().then(
    (result) => {
      outcome.result = result;
      isOver = true;
    },
    (error) => {
      outcome.error = error;
      isOver = true;
    },
  );
  while (!isOver && stop === undefined) {
    await settle(quietTurns);
    if (isOver || stop !== undefined) break;
    const step = time.step();
    if (step === 'moved' && ++steps < mostSteps) continue;
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

/** Number of timers that keep Node's process alive; 0 in a browser, which has no such count. */
function realTimers(): number {
  const { process } = globalThis;
  return process?.getActiveResourcesInfo?.().filter((kind) => kind === 'Timeout').length ?? 0;
}

function realTimerError(sim: Simulator): Error {
  const last = sim.journal.query().at(-1);
  const after = last === undefined ? '' : ` after the ${last.status} of ${last.method} ${last.path}`;
  return new Error(
    `Failed to hunt: expected the client to wait by simulated time, got a real timer${after}. ` +
      'Pass it the sleep of its context, hunt(async ({ fetch, sleep }) => { ... }), or call vi.useFakeTimers() or ' +
      'jest.useFakeTimers() before. For a client that can do neither: petstore-sim hunt -- COMMAND.',
  );
}
