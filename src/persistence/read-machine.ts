import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { jsonText } from '../values/json.js';
import type { BeginCommand, Command } from './command.js';
import type { FoundEntry, FoundSnapshot } from './log.js';
import { type MachineOptions, resolveLogged, restoreMachine, startMachine } from './start-machine.js';
import type { StateMachine } from './state-machine.js';

/** First log entry to which this version responds differently than the version that wrote the entry. */
export interface ReplayDifference {
  readonly position: number;
  readonly version: string;
}

/** State of a server after all entries of its log. */
export interface ReadMachine {
  /** State after the log's entries; `undefined` for a log without a snapshot and entries. */
  readonly machine: StateMachine | undefined;
  /**
   * First log entry to which this version responds differently than the version that wrote the entry; `undefined`
   * without such an entry. Later entries are applied too.
   */
  readonly difference: ReplayDifference | undefined;
}

/**
 * Reads the state from a log: restores its snapshot, or starts its first scenario, and then applies all entries.
 * @param knownScenario scenario that is already resolved, which saves time
 * @throws {Error} for a log with neither; {ScenarioError} for a scenario that this version rejects
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
 * Creates the state with which a log begins.
 * @param knownScenario scenario that is already resolved, which saves time
 * @throws {Error} for a log that does not begin with a scenario
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
