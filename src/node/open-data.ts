import type { Backend } from '../control/backend.js';
import { version } from '../control/har.js';
import { captureMachine } from '../log/capture-machine.js';
import type { Command } from '../log/command.js';
import { openFileLog } from '../log/file/file-log.js';
import { type Log, LogOpenError, type OpenedLog } from '../log/log.js';
import { createLoggedBackend } from '../log/logged-backend.js';
import { readMachine } from '../log/read-machine.js';
import { runCommand } from '../log/run-command.js';
import { Sequencer } from '../log/sequencer.js';
import { type MachineOptions, startMachine } from '../log/start-machine.js';
import type { StateMachine } from '../log/state-machine.js';
import { readStart } from '../scenario/read-start.js';
import { type ResolvedScenario, resolveScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { fingerprint } from '../values/fingerprint.js';
import { jsonText } from '../values/json.js';
import { sequencerHost } from './sequencer-host.js';
import { setDifferenceAside } from './set-difference-aside.js';

export interface DataOptions extends Pick<MachineOptions, 'scenarios' | 'generatePets' | 'onError' | 'sandboxes'> {
  /** Where the log is kept. */
  readonly folder: string;
  readonly resolved: ResolvedScenario;
  /** What the scenario is called where it comes from: its name, or that of its file. */
  readonly scenarioName: string;
  /** Begins anew. Default false. */
  readonly reset?: boolean | undefined;
  /** Whether an answer goes out only when it would outlive a power loss. Default false. */
  readonly fsync?: boolean | undefined;
}

/** A server whose state is kept in a folder. */
export interface OpenData {
  readonly backend: Backend;
  /** Sentences about what was found at the start; empty when all was well. */
  readonly notices: readonly string[];
  /** Whether the folder held a state, so that it goes on; else it has begun. */
  readonly isResumed: boolean;
  /** Loads the content of the scenario's file, as it is now. @throws {ScenarioError} and nothing is written */
  load(scenario: Scenario, options?: { reseed?: boolean | undefined }): Promise<void>;
  close(): Promise<void>;
}

/** A scenario that takes more is not written as the first command, but as a snapshot. */
const largeScenario = 256 * 1024;

/**
 * Opens the state that a folder holds, or begins one with the scenario.
 * @throws {LogOpenError} when the folder cannot be used, or holds the state of another scenario
 */
export async function openData(options: DataOptions): Promise<OpenData> {
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
      console.error(`The machine's time was set back by ${Math.round(ms / 1000)} s; the log goes on.`),
  };
  const { log, found } = await readLog(open, reset, { scenarioName, folder, resolved, machineOptions, notices });
  const machine = found ?? startMachine(resolved, Date.now(), machineOptions);
  const sequencer = new Sequencer(machine, log, sequencerHost);
  const run = (command: Command) => runCommand(sequencer, command);
  const load: OpenData['load'] = (scenario, { reseed = false } = {}) => {
    // Checked before it is written; and as at a start, so that the next one knows it again.
    const { scenario: complete } = resolveScenario(scenario, options.generatePets, readStart);
    return run({ kind: 'scenario', scenario: complete, hash: fingerprint(jsonText(complete)), reseed });
  };

  if (found === undefined) {
    const isLarge = text.length > largeScenario;
    await run({ kind: 'begin', hash, ...(!isLarge && { scenario: resolved.scenario }) });
    if (isLarge) await log.writeSnapshot(log.position, captureMachine(machine));
  } else {
    await run({ kind: 'started' });
    if (machine.state.scenarioHash !== hash) {
      await run({ kind: 'scenario', scenario: resolved.scenario, hash });
      notices.push(`The scenario ${scenarioName} has changed since the last start; it is loaded, and the pets stay.`);
    }
  }
  const health = () => ({ position: log.position, snapshotPosition: log.snapshotPosition, notices });
  return {
    backend: createLoggedBackend(machine, sequencer, health),
    notices,
    isResumed: found !== undefined,
    load,
    async close() {
      await sequencer.close();
      await log.close();
    },
  };
}

interface Reading {
  readonly scenarioName: string;
  readonly folder: string;
  readonly resolved: ResolvedScenario;
  readonly machineOptions: MachineOptions;
  readonly notices: string[];
}

/** Reads a log; entries of another version that are answered differently now are set aside, and it is read again. */
async function readLog(
  open: (isReset: boolean) => Promise<OpenedLog>,
  isReset: boolean,
  { scenarioName, folder, resolved, machineOptions, notices }: Reading,
): Promise<{ log: Log; found: StateMachine | undefined }> {
  const opened = await open(isReset);
  const { log, birth } = opened;
  try {
    notices.push(...opened.notices);
    if (birth.scenario.name !== scenarioName) {
      throw new LogOpenError(
        `expected ${folder} to hold the state of the scenario ${scenarioName}, got that of ${birth.scenario.name}; start with that one, name another folder, or begin anew with --data-reset`,
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
