import type { Backend } from '../control/backend.js';
import { version } from '../control/har.js';
import type { Command } from '../log/command.js';
import { LogOpenError } from '../log/log.js';
import { createLoggedBackend } from '../log/logged-backend.js';
import type { RedisAddress } from '../log/redis/address.js';
import { StoreAwayError } from '../log/redis/connection.js';
import { runCommand } from '../log/run-command.js';
import { Sequencer } from '../log/sequencer.js';
import type { StateMachine } from '../log/state-machine.js';
import { readStart } from '../scenario/read-start.js';
import { resolveScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { coreOf } from '../simulator/simulator.js';
import { fingerprint } from '../values/fingerprint.js';
import { jsonText } from '../values/json.js';
import { type ReplicaOptions, readReplica } from './read-replica.js';
import { sequencerHost } from './sequencer-host.js';

/** A server whose state is that of a log which others serve as well. */
export interface OpenReplica {
  readonly backend: Backend;
  readonly machine: StateMachine;
  /** The entry that is applied last. */
  readonly position: number;
  /** Sentences about what was found at the start and later; empty when all is well. */
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
  const { address, resolved, scenarioName, writer } = options;
  const hash = fingerprint(jsonText(resolved.scenario));
  let isOpen = false;
  let isLost = false;
  const settled = () => sequencer.settled();
  const { log, machine, notices } = await readReplica({ ...options, settled, onLost }, hash);
  const sequencer = new Sequencer(machine, log, sequencerHost, options.away);
  const run = (command: Command) => runCommand(sequencer, command);
  const beat = setInterval(() => {
    sequencer.submit(machine.replicas.has(writer) ? { kind: 'beat' } : { kind: 'join', version });
  }, beatMs);
  function onLost(reason: string): void {
    isLost = true;
    clearInterval(beat);
    abandon(machine);
    if (isOpen) options.onLost(reason);
  }
  const close = async () => {
    clearInterval(beat);
    if (isLost) return;
    await sequencer.close();
    await run({ kind: 'part' }).catch(() => {});
    await log.close();
  };

  try {
    await run({ kind: 'join', version });
    await othersAreOfThisVersion(machine, address, () => isLost);
    const { scenarioHash } = machine.state;
    if (scenarioHash !== hash) {
      await run({ kind: 'scenario', scenario: resolved.scenario, hash, after: scenarioHash });
      notices.push(`The scenario ${scenarioName} has changed since the last start; it is loaded, and the pets stay.`);
    }
    if (isLost) throw new StoreAwayError('The store lost entries while the log was joined.');
    isOpen = true;
  } catch (error) {
    await close();
    throw error;
  }
  const health = () => ({
    position: log.position,
    snapshotPosition: log.snapshotPosition,
    notices,
    ...log.health,
    engine: 'redis' as const,
    name: address.name,
    replica: writer,
    replicas: machine.replicas.list().map(({ name }) => name),
    atMs: machine.time.lastMs,
  });
  return {
    backend: createLoggedBackend(machine, sequencer, health),
    machine,
    get position() {
      return log.position;
    },
    notices,
    load(scenario, { reseed = false } = {}) {
      // Checked before it is written; and as at a start, so that the next one knows it again.
      const { scenario: complete } = resolveScenario(scenario, options.generatePets, readStart);
      const { scenarioHash: after } = machine.state;
      return run({ kind: 'scenario', scenario: complete, hash: fingerprint(jsonText(complete)), reseed, after });
    },
    close,
  };
}

/** Nobody will answer what waits in it. */
function abandon({ sim, sandboxes }: StateMachine): void {
  for (const each of [sim, ...sandboxes.sims()]) coreOf(each).state.clock.waiting?.giveUp();
}

/**
 * What two versions make of one entry may differ, so that they share no log. Whoever joins while another version is there goes
 * again; one that was ended and could not say so is gone after a while.
 */
async function othersAreOfThisVersion(
  { replicas }: StateMachine,
  { name }: RedisAddress,
  isLost: () => boolean,
): Promise<void> {
  const found = new Map(replicas.list().map((each) => [each.name, each.lastMs]));
  for (;;) {
    const others = replicas.list().filter((each) => each.version !== version);
    if (others.length === 0 || isLost()) return;
    if (others.some((each) => each.lastMs > (found.get(each.name) ?? Number.POSITIVE_INFINITY))) {
      const theirs = others.map((each) => `${each.version} (${each.name})`).join(', ');
      throw new LogOpenError(
        `expected every replica of ${name} to be petstore-sim ${version}, got ${theirs}; stop all of them, then start all with one version`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
