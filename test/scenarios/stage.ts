import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import { listen } from '../../src/entries/node.js';
import { generatePets } from '../../src/entries/seed.js';
import type { StateMachine } from '../../src/persistence/state-machine.js';
import { readScenarioAndFiles } from '../../src/scenario-files/scenario-files.js';
import { shippedScenarios } from '../../src/scenario-files/shipped-scenarios.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { seededFraction } from '../../src/values/seeded-random.js';
import { noon } from '../support/frozen.js';
import type { Init, Reply as Seen, Send, Stack } from '../support/http-stacks.js';
import { openRecorded } from './open-recorded.js';

export type { Seen };

const folder = fileURLToPath(new URL('../../scenarios/', import.meta.url));
const shipped = shippedScenarios(folder, '.yaml');
const pathOf = (name: string) => `${folder}${name}.yaml`;

/**
 * Names of the files in scenarios/, without the extension. `default` comes from the fixtures, and is tested elsewhere.
 */
export const fileNames = shipped.names.filter((name) => name !== 'default');

export const textOf = (name: string) => readFileSync(pathOf(name), 'utf8');

const readNamed = async (name: string) => {
  const { scenario } = await readScenarioAndFiles(pathOf(name), { shipped });
  return [name, scenario] as const;
};
const scenarios = new Map(await Promise.all(fileNames.map(readNamed)));

/** A shipped scenario, as in its file. */
export const scenarioOf = (name: string) => scenarios.get(name) as Scenario;

/** One request of a client. */
export interface Call {
  method?: string;
  path?: string;
  body?: string;
  key?: string;
  headers?: Readonly<Record<string, string>>;
  /** Timeout of the client, in milliseconds. */
  timeoutMs?: number;
}

/** Environment of one client: a simulator whose clock stops while work is in progress, and jumps when all wait. */
export interface Stage {
  sim: Simulator;
  /** @throws the errors of `fetch`: a network error, or an AbortError when the client gives up */
  send(call?: Call): Promise<Seen>;
  /** Timer like `setTimeout`: delays above its maximum become one millisecond. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** The client's own clock, independent of the skew of the service. */
  now(): number;
  /** The client's random numbers from 0 to 1 (exclusive), equal in every run with the same seed. */
  random(): number;
  /** Requests with their responses, in the order of sending; consecutive equal ones are one line. */
  log(): string[];
  /** Reports that the client's caller has gone. */
  reportAborted(): Promise<void>;
  /** Runs a client to its end. */
  run<Result>(act: (stage: Stage) => Promise<Result>): Promise<Result>;
  /** Lets time pass until this instant, in seconds since the start. */
  runUntil(seconds: number): Promise<void>;
}

/** Maximum delay of `setTimeout`, in milliseconds. */
const longestTimerMs = 2 ** 31 - 1;

interface Options {
  /** Changes to the scenario's file. */
  changes?: Scenario | undefined;
  /** Phase of the second at which the client starts, in milliseconds. Default 0. */
  phaseMs?: number;
  /** Seed of the client's random numbers and of timer delays up to 15 ms. Without a seed, timers are exact. */
  seed?: number | undefined;
}

type OnHead = (head: Pick<Seen, 'status' | 'headers'>) => void;

/** Transport between client and simulator. */
interface Transport {
  send(host: Host, path: string, init: Init & { key: string }, onHead: OnHead): Promise<Seen>;
  /** Maximum number of requests in flight; unknown in the same process. */
  connections?: number;
}

const inProcess: Transport = {
  async send({ fetch }, path, { key, headers: more, method, body, signal }, onHead) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...more };
    const init = { method, headers, signal, body } as RequestInit;
    const response = await fetch(`http://petstore.test/v1${path}`, init);
    onHead(response);
    return { status: response.status, headers: response.headers, text: await response.text() };
  },
};

/** Simulator and clock of a stage. */
interface Host {
  sim: Simulator;
  fetch: typeof fetch;
  moveTo(ms: number): Promise<void>;
  reportAborted: Stage['reportAborted'];
}

/** A stage that is recorded completely. */
export interface RecordedStage extends Stage {
  /** Ends the recording. @returns its file, and its state machine */
  close(): Promise<{ machine: StateMachine; file: string }>;
}

/** Opens a scenario with a frozen clock, for clients in the same process. Everything is recorded. */
export function open(name: string, changes: Scenario = {}): RecordedStage {
  let close: RecordedStage['close'] | undefined;
  const stage = openOver(inProcess, name, { changes }, (scenario) => {
    const recorded = openRecorded(scenario);
    close = recorded.close;
    return recorded;
  });
  return Object.assign(stage, { close: close as RecordedStage['close'] });
}

/** The clock is stopped on purpose, so there is no reason to warn. */
function hostInMemory(scenario: Scenario): Host {
  const sim = createSimulator({ scenario, generatePets, onWarning: () => {} });
  return {
    sim,
    fetch: sim.fetch,
    moveTo: async (ms) => sim.clock.set(ms),
    reportAborted: async () => sim.journal.report({ call: undefined, result: 'aborted' }),
  };
}

/** Opens a scenario for clients over real connections, as with `exec`: refusals are held back briefly. */
export async function serve(name: string, { connect, connections }: Stack, options: Options = {}) {
  let baseUrl = '';
  const sends = new Map<string, Send>();
  const send: Transport['send'] = async (_, path, { key, ...init }, onHead) => {
    const sendWithKey = sends.get(key) ?? connect(baseUrl, key);
    sends.set(key, sendWithKey);
    const seen = await sendWithKey(path, init);
    onHead(seen);
    return seen;
  };
  const stage = openOver({ send, connections }, name, options);
  const server = await listen(stage.sim, { port: 0, holdRefusals: true });
  baseUrl = server.baseUrl;
  return { ...stage, close: () => server.close({ graceMs: 0 }) };
}

function openOver(
  transport: Transport,
  name: string,
  { changes = {}, phaseMs = 0, seed }: Options,
  hostOf = hostInMemory,
): Stage {
  const written = { ...scenarioOf(name), ...changes };
  const wallMs = new Date(written.clock?.start ?? noon).getTime() + phaseMs;
  const clock = { ...written.clock, start: new Date(wallMs).toISOString(), mode: 'frozen' as const };
  const host = hostOf({ ...written, clock });
  const { sim } = host;
  const startMs = sim.clock.now();
  const elapsedMs = () => sim.clock.now() - startMs;
  let drawn = 0;
  const random = () => seededFraction(seed ?? 1, drawn++);
  const lines: { atMs: number; what: string }[] = [];

  const { delayed } = coreOf(sim).state;
  // All others that wait, clients and faults, wait on the clock, which shows the next due time.
  const waiting = new Map<object, number>();
  const clockSleep = sim.clock.sleep.bind(sim.clock);
  sim.clock.sleep = async (ms, signal) => {
    const sleeper = {};
    waiting.set(sleeper, sim.clock.now() + ms);
    try {
      await clockSleep(ms, signal);
    } finally {
      waiting.delete(sleeper);
    }
  };

  let sending = 0;
  let clientsAsleep = 0;
  const sleep: Stage['sleep'] = async (ms, signal) => {
    clientsAsleep++;
    const lateMs = seed === undefined ? 0 : Math.floor(random() * 16);
    try {
      await sim.clock.sleep((ms >= 1 && ms <= longestTimerMs ? ms : 1) + lateMs, signal);
    } finally {
      clientsAsleep--;
    }
  };

  /** Waits until all pending work is done. */
  const settle = async () => {
    const { connections } = transport;
    for (let turn = 0, quiet = 0; quiet < 3; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      const faultsWait = delayed.length + waiting.size - clientsAsleep;
      if (connections === undefined) {
        // The number of arrived requests is unknown. In the same process, all work is done within some turns.
        quiet = sending <= faultsWait || turn > 50 ? quiet + 1 : 0;
      } else if (Math.min(sending, connections) === faultsWait) quiet++;
      else {
        quiet = 0;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }
  };

  const moveOn = async (untilMs: number): Promise<boolean> => {
    await settle();
    const nextMs = Math.min(delayed[0]?.dueMs ?? Number.POSITIVE_INFINITY, ...waiting.values());
    if (nextMs > untilMs || nextMs === Number.POSITIVE_INFINITY) return false;
    await host.moveTo(Math.max(sim.clock.now(), Math.ceil(nextMs)));
    return true;
  };

  const send: Stage['send'] = async ({ path = '/pets', key = 'free-key', timeoutMs, ...init } = {}) => {
    const { method = 'GET' } = init;
    const line = { atMs: elapsedMs(), what: `${method} no answer` };
    lines.push(line);
    const controller = new AbortController();
    const done = new AbortController();
    if (timeoutMs !== undefined)
      sleep(timeoutMs, done.signal).then(
        () => controller.abort(),
        () => {},
      );
    sending++;
    try {
      return await transport.send(host, path, { ...init, method, key, signal: controller.signal }, (head) => {
        const retryAfter = head.headers.get('retry-after');
        line.what = `${method} ${head.status}${retryAfter === null ? '' : `, Retry-After ${retryAfter}`}`;
      });
    } catch (error) {
      line.what = controller.signal.aborted ? `${method} given up` : `${line.what}, connection lost`;
      throw error;
    } finally {
      sending--;
      done.abort();
    }
  };

  const stage: Stage = {
    sim,
    send,
    sleep,
    now: () => wallMs + elapsedMs(),
    random,
    log: () => inRuns(lines),
    reportAborted: host.reportAborted,
    async run(act) {
      let isOver = false;
      const result = act(stage).finally(() => {
        isOver = true;
      });
      result.catch(() => {});
      while (!isOver) {
        const moved = await moveOn(Number.POSITIVE_INFINITY);
        if (!moved && !isOver) throw new Error(`The client waits for what never comes:\n${stage.log().join('\n')}`);
      }
      return result;
    },
    async runUntil(seconds) {
      while (await moveOn(startMs + seconds * 1000));
      await host.moveTo(startMs + seconds * 1000);
      await settle();
    },
  };
  return stage;
}

/** `0s GET 200`, `0s, 60 times: GET 200`, `0s, 1s, 3s: GET 429` or `0s to 9s, every 1s: GET 429`. */
function inRuns(lines: readonly { atMs: number; what: string }[]): string[] {
  const runs: { times: number[]; what: string }[] = [];
  for (const { atMs, what } of lines) {
    const last = runs.at(-1);
    if (last?.what === what) last.times.push(atMs);
    else runs.push({ times: [atMs], what });
  }
  return runs.map(({ times, what }) =>
    times.length === 1 ? `${atTimes(times)} ${what}` : `${atTimes(times)}: ${what}`,
  );
}

function atTimes(times: readonly number[]): string {
  const [first = 0, second = 0] = times;
  const last = times.at(-1) as number;
  if (times.length > 1 && first === last) return `${first / 1000}s, ${times.length} times`;
  const isEven = times.every((time, n) => time === first + n * (second - first));
  if (times.length > 3 && isEven) return `${first / 1000}s to ${last / 1000}s, every ${(second - first) / 1000}s`;
  return times.map((time) => `${time / 1000}s`).join(', ');
}
