import { version } from '../control-api/har.js';
import { captureMachine } from '../persistence/capture-machine.js';
import { openFileLog } from '../persistence/folder/file-log.js';
import { type Log, LogOpenError, type OpenedLog } from '../persistence/log.js';
import { readMachine } from '../persistence/read-machine.js';
import { type MachineOptions, startMachine } from '../persistence/start-machine.js';
import type { StateMachine } from '../persistence/state-machine.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { fingerprint } from '../values/fingerprint.js';
import { jsonText } from '../values/json.js';
import { type LoggedState, loggedState } from './logged-state.js';
import type { Engine } from './serve-state.js';
import { setDifferenceAside } from './set-difference-aside.js';

export interface DataOptions extends Pick<MachineOptions, 'scenarios' | 'generatePets' | 'onError' | 'sandboxes'> {
  /** Folder that contains the log. */
  readonly folder: string;
  readonly resolved: ResolvedScenario;
  /** Name of the scenario, or of its file without the folder. */
  readonly scenarioName: string;
  /** Whether to delete the folder's existing log first. Default false. */
  readonly reset?: boolean | undefined;
  /** Whether each response waits until its log entry is flushed to the disk, to survive a power loss. Default false. */
  readonly fsync?: boolean | undefined;
}

/** State whose log is in a folder. */
export interface FolderState extends LoggedState {
  /** Whether the folder contained a log, from which the state was restored. */
  readonly isResumed: boolean;
}

/**
 * Size of a scenario from which a new log starts with a snapshot, in characters. The log's first command would be too
 * large.
 */
const largeScenario = 256 * 1024;

/**
 * Opens the log in a folder, or creates one that starts with the scenario. Fails with a `LogOpenError` if the folder is
 * unusable or contains another scenario.
 */
export const folderEngine = (options: DataOptions): Engine<FolderState> => ({ open: () => openFolder(options) });

async function openFolder(options: DataOptions): Promise<FolderState> {
  const { folder, resolved, scenarioName, reset = false, fsync = false } = options;
  const text = jsonText(resolved.scenario);
  const hash = fingerprint(text);
  const notices: string[] = [];
  const open = (isReset: boolean) =>
    openFileLog(folder, { version, scenario: { name: scenarioName, hash }, reset: isReset, flush: fsync });
  const machineOptions: MachineOptions = {
    ...options,
    readMs: () => Date.now(),
    onStepBack: (ms) =>
      console.error(`The machine's time was set back by ${Math.round(ms / 1000)} s; the log's time continues.`),
  };
  const { log, found } = await readLog(open, reset, { scenarioName, folder, resolved, machineOptions, notices });
  const machine = found ?? startMachine(resolved, Date.now(), machineOptions);
  const state = loggedState(machine, log, { notices, generatePets: options.generatePets });
  const { run } = state;

  if (found === undefined) {
    const isLarge = text.length > largeScenario;
    await run({ kind: 'begin', hash, ...(!isLarge && { scenario: resolved.scenario }) });
    if (isLarge) await log.writeSnapshot(log.position, captureMachine(machine));
  } else {
    await run({ kind: 'started' });
    if (machine.state.scenarioHash !== hash) {
      await run({ kind: 'scenario', scenario: resolved.scenario, hash });
      notices.push(
        `The scenario ${scenarioName} has changed since the last start; the new version is loaded, and the pets stay.`,
      );
    }
  }
  return { ...state, isResumed: found !== undefined };
}

interface Reading {
  readonly scenarioName: string;
  readonly folder: string;
  readonly resolved: ResolvedScenario;
  readonly machineOptions: MachineOptions;
  readonly notices: string[];
}

/**
 * Replays a log. If this version responds differently to entries of another one, moves these entries aside and replays
 * the rest.
 */
async function readLog(
  open: (isReset: boolean) => Promise<OpenedLog>,
  isReset: boolean,
  { scenarioName, folder, resolved, machineOptions, notices }: Reading,
): Promise<{ log: Log; found: StateMachine | undefined }> {
  const opened = await open(isReset);
  const { log, identity } = opened;
  try {
    notices.push(...opened.notices);
    if (identity.scenario.name !== scenarioName) {
      throw new LogOpenError(
        `expected ${folder} to contain the scenario ${scenarioName}, got ${identity.scenario.name}; start with ${identity.scenario.name}, use another folder, or start a new log with --data-reset`,
      );
    }
    const { machine, difference } = await readMachine(opened, machineOptions, resolved);
    const isSetAside = difference !== undefined && (await setDifferenceAside(log, difference, notices));
    if (!isSetAside) return { log, found: machine };
  } catch (error) {
    await log.close();
    throw error;
  }
  await log.close();
  return readLog(open, false, { scenarioName, folder, resolved, machineOptions, notices });
}
