import { createSimulatorFrom } from '../petstore/create-simulator.js';
import type { PlainCall } from '../requests/plain-call.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';

/** An API call of the client, and its time in Unix milliseconds. */
export interface RecordedCall {
  readonly atMs: number;
  readonly call: PlainCall;
}

/**
 * Sends recorded API calls to a new simulator, each at its recorded time. Returns each response as text for a
 * comparison.
 */
export function responsesTo(calls: readonly RecordedCall[], resolved: ResolvedScenario): string[] {
  const startMs = calls[0]?.atMs ?? 0;
  const sim = createSimulatorFrom({ ...resolved, clock: { startMs, mode: 'frozen' } }, { onWarning: () => {} });
  return calls.map(({ atMs, call }) => {
    sim.clock.set(Math.max(atMs, sim.clock.now()));
    const answer = sim.handle(call);
    if (answer instanceof Promise) {
      // Represents every delayed response by the text `delayed`, so that two delayed responses count as equal. Does not
      // wait for the response, because a delay on a frozen clock never ends.
      answer.catch(() => {});
      return 'delayed';
    }
    return JSON.stringify([answer.status, answer.headers, answer.body, answer.wire]);
  });
}
