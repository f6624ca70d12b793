import { version } from '../../control-api/run-report.js';
import type { ResolvedScenario } from '../../scenario/resolve-scenario.js';
import { type FolderLog, LogOpenError, type OpenedLog } from '../log.js';
import { type ReplayDifference, readMachine } from '../read-machine.js';
import type { MachineOptions } from '../start-machine.js';
import type { StateMachine } from '../state-machine.js';

interface StateOptions {
  /** Folder of the server's log, for messages. */
  readonly place: string;
  readonly scenarioName: string;
  readonly resolved: ResolvedScenario;
  readonly machineOptions: MachineOptions;
  /** List to which messages for the user are added, one sentence each. */
  readonly notices: string[];
}

/**
 * Reads a server's state from its opened log. Moves an entry and all later ones to a backup if another version of
 * petstore-sim wrote the entry and responded differently.
 * @returns the state in `machine`, unset for a new log; `undefined` if entries were moved, so that the log was closed
 * and must be opened again
 * @throws {LogOpenError} for a log of another scenario; the log is closed then
 */
export async function readState(
  opened: OpenedLog,
  { place, scenarioName, resolved, machineOptions, notices }: StateOptions,
): Promise<{ machine: StateMachine | undefined } | undefined> {
  const { log, identity } = opened;
  try {
    const { name } = identity.scenario;
    if (name !== scenarioName) {
      throw new LogOpenError(
        `expected ${place} to contain the scenario ${scenarioName}, got ${name}; start with ${name}, use another folder, or start a new log with --data-reset`,
      );
    }
    const { machine, difference } = await readMachine(opened, machineOptions, resolved);
    if (difference === undefined) return { machine };
    if (!(await setAside(log, difference, notices))) return { machine };
  } catch (error) {
    await log.close();
    throw error;
  }
  await log.close();
  return undefined;
}

/**
 * Moves a log entry, and all later entries, to a backup if another version of petstore-sim wrote the entry and this
 * version responds differently. If this version wrote the entry, reports the difference as a bug.
 * @returns whether entries were moved
 */
async function setAside(
  log: FolderLog,
  { position, version: writtenBy }: ReplayDifference,
  notices: string[],
): Promise<boolean> {
  if (writtenBy === version) {
    notices.push(`Entry ${position} has a different response than before; this is a bug in the simulator.`);
    return false;
  }
  const reason = `petstore-sim ${version} responds to entry ${position} differently than ${writtenBy}, which wrote it`;
  notices.push(await log.setAside(position, reason));
  return true;
}

/**
 * Returns a message for the user: the scenario has changed since the last start, its new version is loaded, and the
 * pets are unchanged.
 */
export const scenarioChanged = (scenarioName: string): string =>
  `The scenario ${scenarioName} has changed since the last start; the new version is loaded, and the pets stay.`;
