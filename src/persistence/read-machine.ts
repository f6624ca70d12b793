import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { jsonText } from '../values/json.js';
import type { BeginCommand, Command } from './command.js';
import type { FoundEntry, FoundSnapshot } from './log.js';
import { type MachineOptions, resolveLogged, restoreMachine, startMachine } from './start-machine.js';
import type { StateMachine } from './state-machine.js';

/**
 * First log entry whose responses differ between this version of petstore-sim and the version that wrote the entry: its
 * number in the log, and the version that wrote it.
 */
export interface ReplayDifference {
  readonly position: number;
  readonly version: string;
}

/** Result of rebuilding a server's state from the append-only log of its changes. */
export interface ReadMachine {
  /** State of the server after all entries of the log; `undefined` for a log without a snapshot and entries. */
  readonly machine: StateMachine | undefined;
  /**
   * First log entry whose responses differ between this version of petstore-sim and the version that wrote the entry;
   * `undefined` if all responses are equal. `machine` is the state after all entries, including those after the
   * difference.
   */
  readonly difference: ReplayDifference | undefined;
}

/**
 * Rebuilds a server's state from the append-only log of its changes. Begins with the log's snapshot, or without one
 * with the scenario in the first entry, and then applies the entries in order.
 * @param knownScenario a scenario that is already resolved; saves time if the log contains the same scenario
 * @throws {Error} if a log without a snapshot does not begin with a scenario; {ScenarioError} for a scenario that this
 * version rejects
 */
export async function readMachine(
  { snapshot, entries }: { snapshot: FoundSnapshot | undefined; entries: AsyncIterable<FoundEntry> },
  options: MachineOptions,
  knownScenario?: ResolvedScenario,
): Promise<ReadMachine> {
  let machine = snapshot && (await restoreMachine(snapshot.pieces, options, knownScenario));
  let difference: ReplayDifference | undefined;
  const expected = new Map<number, { hash: string; version: string }>();
  for await (const entry of entries) {
    machine ??= startFromFirstEntry(entry, options, knownScenario);
    const { position, version, answered = [] } = entry;
    for (const [earlier, hash] of answered) {
      const { hash: now = hash, version: writtenBy = version } = expected.get(earlier) ?? {};
      if (now !== hash) difference ??= { position: earlier, version: writtenBy };
      expected.delete(earlier);
    }
    expected.set(position, { hash: machine.apply(entry).hash, version });
  }
  return { machine, difference };
}

/**
 * Creates a server's state from the first entry of its log, which contains the scenario.
 * @param knownScenario the same scenario, if already resolved, to save time
 * @throws {Error} if the entry contains no scenario
 */
export function startFromFirstEntry(
  first: FoundEntry,
  options: MachineOptions,
  knownScenario?: ResolvedScenario,
): StateMachine {
  const scenario = scenarioOf(first);
  const isKnown = knownScenario !== undefined && jsonText(knownScenario.scenario) === jsonText(scenario);
  return startMachine(isKnown ? knownScenario : resolveLogged(scenario, options), first.atMs, options);
}

function scenarioOf({ commands }: FoundEntry) {
  const [first] = commands as readonly Command[];
  const { scenario } = first?.kind === 'begin' ? (first as BeginCommand) : {};
  if (scenario !== undefined) return scenario;
  throw new Error('Failed to read the log: expected an initial scenario or a snapshot, got neither');
}
