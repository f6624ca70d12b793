import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { jsonText } from '../values/json.js';
import { captureSimulator, parts } from './capture-simulator.js';
import type { Piece } from './piece.js';
import type { StateMachine } from './state-machine.js';

/**
 * Captures the state of a server for a snapshot, in parts that are written one by one. Copies mutable data at once, and
 * reads immutable data during the write. All parts thus show the state at the time of the call.
 */
export function captureMachine(machine: StateMachine): Iterable<Piece> {
  const scenarios: ResolvedScenario[] = [];
  const numberOf = (resolved: ResolvedScenario) => {
    const known = scenarios.indexOf(resolved);
    return known < 0 ? scenarios.push(resolved) - 1 : known;
  };
  const { sandboxes, dropped, lastNumber } = machine.sandboxes.state();
  const server: Piece = {
    kind: 'server',
    atMs: machine.time.lastMs,
    ...machine.state,
    sandboxes: { used: sandboxes.map(({ name }) => name), dropped, lastNumber },
  };
  const own = captureSimulator(machine.sim, numberOf);
  const others = [...sandboxes]
    .sort((a, b) => a.number - b.number)
    .map((sandbox) => captureSimulator(sandbox.sim, numberOf, sandbox));
  function* pieces(): Generator<Piece> {
    yield server;
    for (const { scenario } of scenarios) {
      // Divides a scenario's list of pets, if any, into several parts of the snapshot, because the list can be long.
      const { pets, ...content } = scenario as Scenario & { pets?: unknown };
      if (!Array.isArray(pets)) {
        yield { kind: 'scenario', content: scenario };
        continue;
      }
      yield { kind: 'scenario', content, hasPets: true };
      for (const part of parts(pets, (pet) => jsonText(pet).length)) yield { kind: 'scenarioPets', pets: part };
    }
    yield* own;
    for (const sandbox of others) yield* sandbox;
  }
  return pieces();
}
