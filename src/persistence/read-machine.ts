import { anyOperation } from '../scenario/operations.js';
import { readStart } from '../scenario/read-start.js';
import { type ResolvedScenario, resolveScenario } from '../scenario/resolve-scenario.js';
import { jsonText } from '../values/json.js';
import type { BeginCommand, Command } from './command.js';
import type { FoundEntry, FoundSnapshot } from './log.js';
import { type MachineOptions, restoreMachine, startMachine } from './start-machine.js';
import type { StateMachine } from './state-machine.js';

/** An entry whose answers are other ones than the version that wrote it gave. */
export interface Difference {
  readonly position: number;
  readonly version: string;
}

/** What a log leads to. */
export interface ReadMachine {
  /** `undefined` for a log without a snapshot and without entries. */
  readonly machine: StateMachine | undefined;
  /** The first entry that is answered differently now; the machine is as if there were none. */
  readonly difference: Difference | undefined;
}

/**
 * Applies what a log holds to the state of its snapshot, or to the scenario that it begins with.
 * @param known a scenario that has been resolved already
 * @throws {Error} where it holds neither; {ScenarioError} for a scenario that this version does not take
 */
export async function readMachine(
  { snapshot, entries }: { snapshot: FoundSnapshot | undefined; entries: AsyncIterable<FoundEntry> },
  options: MachineOptions,
  known?: ResolvedScenario,
): Promise<ReadMachine> {
  let machine = snapshot && (await restoreMachine(snapshot.pieces, options, known));
  let difference: Difference | undefined;
  const given = new Map<number, { hash: string; version: string }>();
  for await (const entry of entries) {
    machine ??= beginMachine(entry, options, known);
    const { position, version, answered = [] } = entry;
    for (const [earlier, hash] of answered) {
      const { hash: now = hash, version: writtenBy = version } = given.get(earlier) ?? {};
      if (now !== hash) difference ??= { position: earlier, version: writtenBy };
      given.delete(earlier);
    }
    given.set(position, { hash: machine.apply(entry).hash, version });
  }
  return { machine, difference };
}

/**
 * A server before the first entry of its log.
 * @param known a scenario that has been resolved already
 * @throws {Error} for a log that begins with something else than a scenario
 */
export function beginMachine(first: FoundEntry, options: MachineOptions, known?: ResolvedScenario): StateMachine {
  const scenario = scenarioOf(first);
  const isKnown = known !== undefined && jsonText(known.scenario) === jsonText(scenario);
  return startMachine(
    isKnown ? known : resolveScenario(scenario, options.generatePets, readStart, anyOperation),
    first.atMs,
    options,
  );
}

function scenarioOf({ commands }: FoundEntry) {
  const [first] = commands as readonly Command[];
  const { scenario } = first?.kind === 'begin' ? (first as BeginCommand) : {};
  if (scenario !== undefined) return scenario;
  throw new Error('Failed to read the log: expected the scenario that it begins with, or a snapshot, got neither');
}
