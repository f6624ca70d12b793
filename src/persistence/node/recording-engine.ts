import { rmSync } from 'node:fs';
import { version } from '../../control-api/run-report.js';
import type { SandboxesOptions } from '../../sandboxes/sandboxes.js';
import type { ResolvedScenario } from '../../scenario/resolve-scenario.js';
import type { Engine } from '../../server/serve-state.js';
import { fingerprint } from '../../values/fingerprint.js';
import { jsonText } from '../../values/json.js';
import type { LogTimeOptions } from '../log-time.js';
import { type MachineOptions, startMachine } from '../start-machine.js';
import { createRecording } from './folder/recording.js';
import { type LoggedState, loggedState } from './logged-state.js';

export interface RecordingOptions extends Omit<MachineOptions, keyof LogTimeOptions> {
  /** Path of the new recording. */
  readonly file: string;
  readonly resolved: ResolvedScenario;
  /** Name of the scenario, or of its file without the folder. */
  readonly scenarioName: string;
  /** Called once if the recording can no longer be written. The run continues without it. */
  readonly onLost?: ((message: string) => void) | undefined;
}

/**
 * Limits for the sandboxes in a recorded run. The limits equal a server's default limits. A replay uses the same
 * limits, so that the same sandboxes are removed at the same times.
 */
export const recordedSandboxes: SandboxesOptions = { idleMs: 600_000, limit: 1_000 };

/**
 * Creates an engine that applies API requests and control operations, and records them in a new file. The engine's
 * method `open` rejects if the file cannot be created.
 */
export const recordingEngine = (options: RecordingOptions): Engine<LoggedState> => ({
  async open() {
    const { file, resolved, scenarioName, onLost } = options;
    const hash = fingerprint(jsonText(resolved.scenario));
    const log = createRecording(file, {
      version,
      scenario: { name: scenarioName, hash },
      onLost: ({ message }) =>
        onLost?.(`failed to write the recording ${file}; the run continues without it: ${message}`),
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
        // Appends a last entry without effect to the recording. The entry contains a hash of the previous entry's
        // responses, which were not known when that entry was written. A replay compares its own responses with the
        // hash.
        await state.run({ kind: 'tick' });
        await state.close();
      },
      discard: () => rmSync(file),
    };
  },
});
