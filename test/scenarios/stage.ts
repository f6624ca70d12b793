import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Scenario, Simulator } from '../../src/index.js';
import type { StateMachine } from '../../src/log/state-machine.js';
import { readScenarioAndFiles } from '../../src/node/scenario-files/scenario-files.js';
import { shippedScenarios } from '../../src/node/scenario-files/shipped-scenarios.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { noon } from '../support/frozen.js';
import { openRecorded } from './open-recorded.js';

const folder = fileURLToPath(new URL('../../scenarios/', import.meta.url));
const shipped = shippedScenarios(folder, '.yaml');
const pathOf = (name: string) => `${folder}${name}.yaml`;

/** The names of the files in scenarios/, without the ending; `default` is of the fixtures, and tried everywhere. */
export const fileNames = shipped.names.filter((name) => name !== 'default');

export const textOf = (name: string) => readFileSync(pathOf(name), 'utf8');

const readNamed = async (name: string) => {
  const { scenario } = await readScenarioAndFiles(pathOf(name), { shipped });
  return [name, scenario] as const;
};
const scenarios = new Map(await Promise.all(fileNames.map(readNamed)));

/** A shipped scenario as its file has it. */
export const scenarioOf = (name: string) => scenarios.get(name) as Scenario;

/** One request of a client. */
export interface Call {
  method?: string;
  path?: string;
  body?: string;
  key?: string;
  /** The client gives up on the answer after this long. */
  timeoutMs?: number;
}

/** One answer as a client sees it. */
export interface Seen {
  status: number;
  headers: Headers;
  text: string;
}

/** The service of one client: a simulator whose clock stands still while anyone is busy, and jumps when all wait. */
export interface Stage {
  sim: Simulator;
  /** @throws what `fetch` throws: a network error, or an AbortError when the client gave up */
  send(call?: Call): Promise<Seen>;
  /** What `setTimeout` does: anything that it cannot hold is one millisecond. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** The client's own clock, which knows nothing of the skew of the service. */
  now(): number;
  /** What was sent and what came back, in the order of sending; equal ones in a row are one line. */
  log(): string[];
  /** Lets a client act, to its end. */
  run<Result>(act: (stage: Stage) => Promise<Result>): Promise<Result>;
  /** Ends the recording of everything that happened. @returns its file */
  close(): Promise<{ machine: StateMachine; file: string }>;
  /** Lets things happen until this instant, in seconds since the start. */
  runUntil(seconds: number): Promise<void>;
}

/** Longest wait that `setTimeout` can hold. */
const longestTimerMs = 2 ** 31 - 1;

/** Opens a scenario with a frozen clock. Everything that happens on it is recorded. */
export function open(name: string, changes: Scenario = {}): Stage {
  const written = { ...scenarioOf(name), ...changes };
  const clock = { start: noon, ...written.clock, mode: 'frozen' as const };
  const recorded = openRecorded({ ...written, clock });
  const { sim } = recorded;
  const startMs = sim.clock.now();
  const elapsedMs = () => sim.clock.now() - startMs;
  const lines: { atMs: number; what: string }[] = [];

  const { delayed } = coreOf(sim).state;
  // Everyone else who waits, clients and faults alike, does so on the clock: this is where to see until when.
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
    try {
      await sim.clock.sleep(ms >= 1 && ms <= longestTimerMs ? ms : 1, signal);
    } finally {
      clientsAsleep--;
    }
  };

  /** Waits until whoever has something to do has done it. */
  const settle = async () => {
    for (let turn = 0, quiet = 0; quiet < 3 && turn < 50; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      const faultsWait = delayed.length + waiting.size - clientsAsleep;
      quiet = sending <= faultsWait ? quiet + 1 : 0;
    }
  };

  const moveOn = async (untilMs: number): Promise<boolean> => {
    await settle();
    const nextMs = Math.min(delayed[0]?.dueMs ?? Number.POSITIVE_INFINITY, ...waiting.values());
    if (nextMs > untilMs || nextMs === Number.POSITIVE_INFINITY) return false;
    await recorded.moveTo(Math.max(sim.clock.now(), Math.ceil(nextMs)));
    return true;
  };

  const send: Stage['send'] = async ({ method = 'GET', path = '/pets', body, key = 'free-key', timeoutMs } = {}) => {
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
      const response = await recorded.fetch(`http://petstore.test/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        signal: controller.signal,
        ...(body !== undefined && { body }),
      });
      const { status, headers } = response;
      const retryAfter = headers.get('retry-after');
      line.what = `${method} ${status}${retryAfter === null ? '' : `, Retry-After ${retryAfter}`}`;
      return { status, headers, text: await response.text() };
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
    close: recorded.close,
    send,
    sleep,
    now: () => Date.parse(noon) + elapsedMs(),
    log: () => inRuns(lines),
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
      await recorded.moveTo(startMs + seconds * 1000);
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
