import type { Backend } from '../control/backend.js';
import { version } from '../control/har.js';
import type { Command } from '../log/command.js';
import { createRecording } from '../log/file/recording.js';
import { createLoggedBackend } from '../log/logged-backend.js';
import { runCommand } from '../log/run-command.js';
import { Sequencer } from '../log/sequencer.js';
import { type MachineOptions, startMachine } from '../log/start-machine.js';
import type { StateMachine } from '../log/state-machine.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { SandboxesOptions } from '../simulator/sandboxes.js';
import { fingerprint } from '../values/fingerprint.js';
import { jsonText } from '../values/json.js';
import { sequencerHost } from './sequencer-host.js';

export interface RecordingOptions extends Pick<MachineOptions, 'scenarios' | 'generatePets'> {
  /** The file to write. */
  readonly file: string;
  readonly resolved: ResolvedScenario;
  /** What the scenario is called where it comes from: its name, or that of its file. */
  readonly scenarioName: string;
}

/** A server of which everything is written down beside the run. */
export interface OpenRecording {
  readonly machine: StateMachine;
  readonly backend: Backend;
  /** Has a command written and applied. */
  run(command: Command): Promise<void>;
  /** Loads the content of the scenario's file, as it is now. @throws {ScenarioError} */
  load(scenario: Scenario, options?: { reseed?: boolean | undefined }): Promise<void>;
  /** Writes what the last answers were, and closes the file. */
  close(): Promise<void>;
}

/** As of a server that keeps nothing; a replay has to drop the same sandboxes at the same instants. */
export const recordedSandboxes: SandboxesOptions = { idleMs: 600_000, limit: 1_000 };

/**
 * Begins a recording with a scenario.
 * @throws what the system says when the file cannot be written
 */
export async function openRecording(options: RecordingOptions): Promise<OpenRecording> {
  const { file, resolved, scenarioName } = options;
  const hash = fingerprint(jsonText(resolved.scenario));
  const log = createRecording(file, {
    version,
    scenario: { name: scenarioName, hash },
    onLost: ({ message }) => console.error(`The recording ${file} cannot be written any more: ${message}`),
  });
  const machine = startMachine(resolved, Date.now(), {
    ...options,
    sandboxes: recordedSandboxes,
    readMs: () => Date.now(),
  });
  const sequencer = new Sequencer(machine, log, sequencerHost);
  const run = (command: Command) => runCommand(sequencer, command);
  await run({ kind: 'begin', scenario: resolved.scenario, hash });
  const health = () => ({ position: log.position, snapshotPosition: 0, notices: [] });
  return {
    machine,
    backend: createLoggedBackend(machine, sequencer, health),
    run,
    load: (scenario, { reseed = false } = {}) =>
      run({ kind: 'scenario', scenario, hash: fingerprint(jsonText(scenario)), reseed }),
    async close() {
      // The hash of the answers to one entry stands in the next.
      await run({ kind: 'tick' });
      await sequencer.close();
      await log.close();
    },
  };
}
