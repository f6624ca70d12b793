import type { LogHealth } from '../../control-api/control-operation.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import type { OpenedState } from '../../server/serve-state.js';
import { fingerprint } from '../../values/fingerprint.js';
import { jsonText } from '../../values/json.js';
import type { Command } from '../command.js';
import type { Log } from '../log.js';
import { createLoggedSimulators } from '../logged-simulators.js';
import { Sequencer } from '../sequencer.js';
import type { StateMachine } from '../state-machine.js';
import { submitCommand } from '../submit-command.js';
import { sequencerHost } from './sequencer-host.js';

/**
 * State of a server that changes only by commands, such as requests. Each command is first appended to a log, from
 * which the state can be restored, and then applied.
 */
export interface LoggedState extends OpenedState {
  readonly machine: StateMachine;
  readonly sequencer: Sequencer;
  /** Sentences for the user about problems of the log, such as lost entries. Empty without problems. */
  readonly notices: readonly string[];
  /** Appends a command to the server's log, then applies the command to the state. */
  run(command: Command): Promise<void>;
  /**
   * Checks a scenario, appends a command with the scenario to the log, and loads the scenario.
   * @throws {ScenarioError} for mistakes in the scenario
   */
  load(scenario: Scenario, options?: { reseed?: boolean | undefined }): Promise<void>;
}

interface LoggedStateOptions {
  readonly notices?: readonly string[];
  /** Additional health data of the log in `GET /__sim/health`, if the log is stored in Redis. */
  readonly health?: () => Partial<LogHealth>;
}

/**
 * Connects a server's state to the append-only log that stores every change of the state (`--data` or `--record`).
 * `close` stores the pending changes and closes the log.
 */
export function loggedState(
  machine: StateMachine,
  log: Log,
  { notices = [], health }: LoggedStateOptions = {},
): LoggedState {
  const sequencer = new Sequencer(machine, log, sequencerHost);
  const run = (command: Command) => submitCommand(sequencer, command);
  const simulators = createLoggedSimulators(machine, sequencer, () => ({
    position: log.position,
    snapshotPosition: log.snapshotPosition,
    notices,
    ...health?.(),
  }));
  return {
    machine,
    sequencer,
    simulators,
    notices,
    run,
    load(scenario, { reseed = false } = {}) {
      // Adds all defaults to the logged scenario, so that its hash is comparable with that of a restarted server's
      // scenario.
      const { scenario: complete } = machine.sim.check(scenario);
      return run({ kind: 'scenario', scenario: complete, hash: fingerprint(jsonText(complete)), reseed });
    },
    async close() {
      await sequencer.close();
      await log.close();
    },
  };
}
