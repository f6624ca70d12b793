import { version } from '../../control-api/run-report.js';
import type { ResolvedScenario } from '../../scenario/resolve-scenario.js';
import type { Engine } from '../../server/serve-state.js';
import { fingerprint } from '../../values/fingerprint.js';
import { jsonText } from '../../values/json.js';
import { captureMachine } from '../capture-machine.js';
import type { Log, OpenedLog } from '../log.js';
import type { LogTimeOptions } from '../log-time.js';
import { type MachineOptions, startMachine } from '../start-machine.js';
import type { StateMachine } from '../state-machine.js';
import { openFileLog } from './folder/file-log.js';
import { type LoggedState, loggedState } from './logged-state.js';
import { readState, scenarioChanged } from './read-state.js';

export interface DataOptions extends Omit<MachineOptions, keyof LogTimeOptions> {
  /** Folder with the log that stores the server's state for a restart (`--data`). */
  readonly folder: string;
  readonly resolved: ResolvedScenario;
  /** Name of the scenario, or of its file without the folder. */
  readonly scenarioName: string;
  /** Whether to delete the folder's existing log first. Default false. */
  readonly reset?: boolean | undefined;
  /** Whether each response waits until its log entry is flushed to the disk, to survive a power loss. Default false. */
  readonly fsync?: boolean | undefined;
}

/** Opened state of a server that stores all changes in a folder (`--data`), as an append-only log. */
export interface FolderState extends LoggedState {
  /** Whether the folder of `--data` already contained a log, from which the server's state was restored. */
  readonly isResumed: boolean;
}

/**
 * Maximum size of the scenario in a new log's first entry, in characters. A snapshot file stores a larger scenario,
 * because an entry with it would be too large.
 */
const largeScenario = 256 * 1024;

/**
 * Creates an engine that stores the server's state in a folder, for a restart. Its `open` reads the folder's log, or
 * creates a log that starts with the scenario. It rejects with a `LogOpenError` if the folder is unusable or its log
 * has a scenario of another name.
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
  const reading = { place: folder, scenarioName, resolved, machineOptions, notices } as const;
  const { log, found } = await readLog(open, reset, reading);
  const machine = found ?? startMachine(resolved, Date.now(), machineOptions);
  const state = loggedState(machine, log, { notices });
  const { run } = state;

  if (found === undefined) {
    const isLarge = text.length > largeScenario;
    await run({ kind: 'begin', hash, ...(!isLarge && { scenario: resolved.scenario }) });
    if (isLarge) await log.writeSnapshot(log.position, captureMachine(machine));
  } else {
    await run({ kind: 'started' });
    if (machine.state.scenarioHash !== hash) {
      await run({ kind: 'scenario', scenario: resolved.scenario, hash });
      notices.push(scenarioChanged(scenarioName));
    }
  }
  return { ...state, isResumed: found !== undefined };
}

/**
 * Opens the log in a folder, and reads the server's state from the log. Repeats both steps if `readState` moved
 * incompatible entries of another petstore-sim version to a backup.
 */
async function readLog(
  open: (isReset: boolean) => Promise<OpenedLog>,
  isReset: boolean,
  options: Parameters<typeof readState>[1],
): Promise<{ log: Log; found: StateMachine | undefined }> {
  const opened = await open(isReset);
  options.notices.push(...opened.notices);
  const read = await readState(opened, options);
  return read === undefined ? readLog(open, false, options) : { log: opened.log, found: read.machine };
}
