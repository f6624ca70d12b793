import { rmSync } from 'node:fs';
import { version } from '../control-api/har.js';
import { createRecording } from '../persistence/folder/recording.js';
import type { LogTimeOptions } from '../persistence/log-time.js';
import { type MachineOptions, startMachine } from '../persistence/start-machine.js';
import type { SandboxesOptions } from '../sandboxes/sandboxes.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { fingerprint } from '../values/fingerprint.js';
import { jsonText } from '../values/json.js';
import { type LoggedState, loggedState } from './logged-state.js';
import type { Engine } from './serve-state.js';

export interface RecordingOptions extends Omit<MachineOptions, keyof LogTimeOptions> {
  /** Path of the new recording. */
  readonly file: string;
  readonly resolved: ResolvedScenario;
  /** Name of the scenario, or of its file without the folder. */
  readonly scenarioName: string;
}

/**
 * Limits of sandboxes while a run is recorded, equal to those of a server that records nothing. A replay must remove
 * the same sandboxes at the same times.
 */
export const recordedSandboxes: SandboxesOptions = { idleMs: 600_000, limit: 1_000 };

/** Records all commands in a new file. Opening fails with the system's error if the file cannot be created. */
export const recordingEngine = (options: RecordingOptions): Engine<LoggedState> => ({
  async open() {
    const { file, resolved, scenarioName } = options;
    const hash = fingerprint(jsonText(resolved.scenario));
    const log = createRecording(file, {
      version,
      scenario: { name: scenarioName, hash },
      onLost: ({ message }) =>
        console.error(`Failed to write the recording ${file}; the run continues without it: ${message}`),
    });
    const machine = startMachine(resolved, Date.now(), {
      ...options,
      sandboxes: recordedSandboxes,
      readMs: () => Date.now(),
    });
    const state = loggedState(machine, log);
    await state.run({ kind: 'begin', scenario: resolved.scenario, hash });
    return {
      ...state,
      async close() {
        // Appends a last log entry that changes nothing. The entry contains a hash of the responses to the previous
        // entry, for comparison in a replay of the log.
        await state.run({ kind: 'tick' });
        await state.close();
      },
      discard: () => rmSync(file),
    };
  },
});
