import type { ApiCall } from '../adapters/api-call.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { createSimulatorFrom } from '../simulator/simulator.js';

/** A call of a client as it can be made again. */
export interface RecordedCall {
  readonly atMs: number;
  readonly call: ApiCall;
}

/** The headers of a request that decide its answer. */
const telling = ['authorization', 'content-type', 'origin'];

/** Keeps what of a call decides its answer; a body and headers that an adapter holds are gone later. */
export function recordCall(call: ApiCall, atMs: number): RecordedCall {
  const headers = new Map(telling.map((name) => [name, call.header(name)]));
  const { method, path, query, baseUrl, body } = call;
  return { atMs, call: { method, path, query, baseUrl, body, header: (name) => headers.get(name) } };
}

/** What a simulator with a scenario answers to calls at their own instants, each answer as one text to compare. */
export function replay(resolved: ResolvedScenario, calls: readonly RecordedCall[]): string[] {
  const startMs = calls[0]?.atMs ?? 0;
  const sim = createSimulatorFrom({ ...resolved, clock: { startMs, mode: 'frozen' } }, {});
  return calls.map(({ atMs, call }) => {
    sim.clock.set(Math.max(atMs, sim.clock.now()));
    const answer = sim.handle(call);
    if (answer instanceof Promise) {
      // The delay of a fault, on a clock that stands still.
      answer.catch(() => {});
      return 'delayed';
    }
    return JSON.stringify([answer.status, answer.headers, answer.body, answer.wire]);
  });
}
