import { version } from '../../control-api/har.js';
import { coreOf } from '../../simulator/simulator.js';
import { fingerprint } from '../../values/fingerprint.js';
import { jsonText } from '../../values/json.js';
import type { StateMachine } from '../state-machine.js';
import { type LoggedState, loggedState } from './logged-state.js';
import { otherVersion, type ReplicaOptions, readReplica } from './read-replica.js';
import { scenarioChanged } from './read-state.js';
import type { RedisAddress } from './redis/address.js';
import { StoreUnavailableError } from './redis/connection.js';

/** State of one replica: a server that shares its log with other servers, in a Redis store. */
export interface OpenReplica extends LoggedState {
  readonly position: number;
}

/**
 * Interval at which an idle replica appends a heartbeat entry to the shared log. The other replicas count a replica
 * without recent entries as gone.
 */
const heartbeatMs = 2_000;

/**
 * Reads the log of a Redis store to its end, and joins the servers that share this log.
 * @throws {LogOpenError} for an unusable log; {StoreUnavailableError} if the store is unreachable
 */
export async function openReplica(options: ReplicaOptions): Promise<OpenReplica> {
  const { address, resolved, scenarioName, writer } = options;
  const hash = fingerprint(jsonText(resolved.scenario));
  let isOpen = false;
  let isLost = false;
  const settled = () => state.sequencer.settled();
  const { log, machine, notices } = await readReplica({ ...options, settled, onLost }, hash);
  const state = loggedState(machine, log, {
    notices,
    outages: options.outages,
    isShared: true,
    health: () => ({
      ...log.health,
      engine: 'redis',
      name: address.name,
      replica: writer,
      replicas: machine.replicas.list().map(({ name }) => name),
      atMs: machine.time.lastMs,
    }),
  });
  const { run, sequencer } = state;
  const heartbeat = setInterval(() => {
    sequencer.submit(machine.replicas.has(writer) ? { kind: 'beat' } : { kind: 'join', version });
  }, heartbeatMs);
  function onLost(reason: string): void {
    isLost = true;
    clearInterval(heartbeat);
    abandonRequests(machine);
    if (isOpen) options.onLost(reason);
  }
  const close = async () => {
    clearInterval(heartbeat);
    if (isLost) return;
    await sequencer.close();
    await run({ kind: 'part' }).catch(() => {});
    await log.close();
  };

  try {
    await run({ kind: 'join', version });
    await checkVersions(machine, address, () => isLost);
    const { scenarioHash } = machine.state;
    if (scenarioHash !== hash) {
      await run({ kind: 'scenario', scenario: resolved.scenario, hash, after: scenarioHash });
      notices.push(scenarioChanged(scenarioName));
    }
    if (isLost) throw new StoreUnavailableError('The store lost entries while the log was joined.');
    isOpen = true;
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...state,
    get position() {
      return log.position;
    },
    close,
  };
}

/**
 * Ends all delayed requests of a server that shares its log with other servers. Called if the server must discard its
 * state, because the log in Redis has lost or changed entries.
 */
function abandonRequests({ sim, sandboxes }: StateMachine): void {
  for (const each of [sim, ...sandboxes.sims()]) coreOf(each).state.clock.scheduledWork?.giveUp();
}

/**
 * Checks that all server processes sharing the state (replicas) run this version of petstore-sim, because other
 * versions may respond differently. Waits until a stopped replica of another version no longer counts as live.
 * @throws {LogOpenError} if a replica of another version is live
 */
async function checkVersions({ replicas }: StateMachine, { name }: RedisAddress, isLost: () => boolean): Promise<void> {
  const found = new Map(replicas.list().map((replica) => [replica.name, replica.lastMs]));
  for (;;) {
    const others = replicas.list().filter((replica) => replica.version !== version);
    if (others.length === 0 || isLost()) return;
    if (others.some((replica) => replica.lastMs > (found.get(replica.name) ?? Number.POSITIVE_INFINITY))) {
      throw otherVersion(name, others.map((replica) => `${replica.version} (${replica.name})`).join(', '));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
