import type { Backend } from '../control/backend.js';
import { version } from '../control/har.js';
import type { Command } from '../log/command.js';
import { LogOpenError } from '../log/log.js';
import { createLoggedBackend } from '../log/logged-backend.js';
import { readMachine } from '../log/read-machine.js';
import type { RedisAddress } from '../log/redis/address.js';
import { openRedisLog } from '../log/redis/open-redis-log.js';
import type { StoreTime } from '../log/redis/store-time.js';
import { Sequencer } from '../log/sequencer.js';
import type { MachineOptions } from '../log/start-machine.js';
import type { StateMachine } from '../log/state-machine.js';
import { readStart } from '../scenario/read-start.js';
import { type ResolvedScenario, resolveScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { fingerprint } from '../values/fingerprint.js';
import { jsonText } from '../values/json.js';
import { sequencerHost } from './sequencer-host.js';

export interface ReplicaOptions extends Pick<MachineOptions, 'scenarios' | 'generatePets' | 'sandboxes'> {
  readonly address: RedisAddress;
  readonly resolved: ResolvedScenario;
  /** What the scenario is called where it comes from: its name, or that of its file. */
  readonly scenarioName: string;
  /** Begins anew. Default false. */
  readonly reset?: boolean | undefined;
  /** What this process is called in the log, and how many times it has opened it before. */
  readonly writer: string;
  readonly incarnation: number;
  /** Called when what was applied is not in the store any more: this is over, and the log is to be opened again. */
  readonly onLost: (reason: string) => void;
  /** Called when this replica has to end. */
  readonly onFatal: (sentence: string) => void;
  readonly leastLogBytes?: number | undefined;
}

/** A server whose state is that of a log which others serve as well. */
export interface OpenReplica {
  readonly backend: Backend;
  readonly machine: StateMachine;
  readonly position: number;
  /** Sentences about what was found at the start; empty when all was well. */
  readonly notices: readonly string[];
  /** Loads the content of the scenario's file, as it is now. @throws {ScenarioError} and nothing is written */
  load(scenario: Scenario, options?: { reseed?: boolean | undefined }): Promise<void>;
  /** Tells the others that it goes, when everything is written. */
  close(): Promise<void>;
}

/** Others know by it that a replica is there, when it has nothing else to write. */
const beatMs = 2_000;

/**
 * Reads the log of a store up to its end and joins its replicas.
 * @throws {LogOpenError} when the log cannot be used; {StoreAwayError} when the store cannot be reached
 */
export async function openReplica(options: ReplicaOptions): Promise<OpenReplica> {
  const { address, resolved, scenarioName, writer, incarnation, onFatal } = options;
  const hash = fingerprint(jsonText(resolved.scenario));
  let machine: StateMachine | undefined;
  const opened = await openRedisLog(address, {
    version,
    scenario: { name: scenarioName, hash },
    reset: options.reset ?? false,
    first: { kind: 'begin', scenario: resolved.scenario, hash } satisfies Command,
    writer,
    incarnation,
    leastLogBytes: options.leastLogBytes,
    host: {
      onLost: options.onLost,
      onDiverged: (sentence) => onFatal(`Failed to go on: ${sentence}; this replica ends.`),
      liveReplicas: () => (machine?.replicas.list() ?? []).map(({ name }) => name),
      onError: (error) => console.error(error),
    },
  });
  const { log, birth, time } = opened;
  const notices = [...opened.notices];
  try {
    if (birth.scenario.name !== scenarioName) {
      throw new LogOpenError(
        `expected ${address.shown} to hold the state of the scenario ${scenarioName}, got that of ${birth.scenario.name}; start with that one, use another name, or begin anew with --data-reset`,
      );
    }
    machine = (await readMachine(opened, machineOptions(options, time), resolved)).machine as StateMachine;
  } catch (error) {
    await log.close();
    throw error;
  }
  const known = machine;
  const sequencer = new Sequencer(known, log, sequencerHost);
  const run = (command: Command) =>
    new Promise<void>((resolve, reject) => {
      sequencer.submit(command, (result) => ('error' in result ? reject(result.error) : resolve()));
    });
  await run({ kind: 'join', version });
  if (known.state.scenarioHash !== hash) {
    await run({ kind: 'scenario', scenario: resolved.scenario, hash });
    notices.push(`The scenario ${scenarioName} has changed since the last start; it is loaded, and the pets stay.`);
  }
  const beat = setInterval(() => {
    sequencer.submit(known.replicas.has(writer) ? { kind: 'beat' } : { kind: 'join', version });
  }, beatMs);
  const health = () => ({
    position: log.position,
    snapshotPosition: log.snapshotPosition,
    notices,
    ...log.health,
    engine: 'redis' as const,
    name: address.name,
    replica: writer,
    replicas: known.replicas.list().map(({ name }) => name),
    atMs: known.time.lastMs,
  });
  return {
    backend: createLoggedBackend(known, sequencer, health),
    machine: known,
    get position() {
      return log.position;
    },
    notices,
    load(scenario, { reseed = false } = {}) {
      const { scenario: complete } = resolveScenario(scenario, options.generatePets, readStart);
      return run({ kind: 'scenario', scenario: complete, hash: fingerprint(jsonText(complete)), reseed });
    },
    async close() {
      clearInterval(beat);
      await sequencer.close();
      await run({ kind: 'part' }).catch(() => {});
      await log.close();
    },
  };
}

const machineOptions = (options: ReplicaOptions, time: StoreTime): MachineOptions => ({
  ...options,
  readMs: () => time.now(),
  isShared: true,
  onStepBack: (ms) => console.error(`The store's time was set back by ${Math.round(ms / 1000)} s; the log goes on.`),
});
