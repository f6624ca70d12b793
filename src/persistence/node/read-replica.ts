import { version } from '../../control-api/har.js';
import type { ResolvedScenario } from '../../scenario/resolve-scenario.js';
import { pluralize } from '../../values/pluralize.js';
import type { Command } from '../command.js';
import { LogOpenError } from '../log.js';
import type { LogTimeOptions } from '../log-time.js';
import type { OutageLog } from '../outage-log.js';
import type { MachineOptions } from '../start-machine.js';
import type { StateMachine } from '../state-machine.js';
import { readState } from './read-state.js';
import type { RedisAddress } from './redis/address.js';
import { appendTimeoutMs } from './redis/appender.js';
import { StoreRefusedError } from './redis/connection.js';
import { openRedisLog } from './redis/open-redis-log.js';
import type { RedisLog } from './redis/redis-log.js';
import type { StoreTime } from './redis/store-time.js';

export interface ReplicaOptions extends Omit<MachineOptions, keyof LogTimeOptions> {
  readonly address: RedisAddress;
  readonly resolved: ResolvedScenario;
  /** Name of the scenario, or of its file without the folder. */
  readonly scenarioName: string;
  /** Whether to delete the existing log with the server's state from Redis before the start. Default false. */
  readonly reset?: boolean | undefined;
  /** Name of this server in its log entries. `incarnation` counts how often it has opened the log. */
  readonly writer: string;
  readonly incarnation: number;
  /**
   * Periods in which this server rejected requests with a 503, because it could not store them in Redis. After the
   * Redis log is open, the server appends these periods to the log.
   */
  readonly outages: OutageLog;
  /**
   * Called if Redis has lost or changed log entries that this server already applied. The callback must open the log
   * again.
   */
  readonly onLost: (reason: string) => void;
  /** Called if this replica cannot continue and has to exit. */
  readonly onFatal: (sentence: string) => void;
  /** Called with events that the operator should see, such as a lost connection. */
  readonly onNotice: (sentence: string) => void;
  /**
   * Minimum size of the log entries since the last snapshot, in characters, at which the server stores the next
   * snapshot of its state and removes old entries. Default: 16 × 1024 × 1024.
   */
  readonly minimumLogCharacters?: number | undefined;
}

interface ReadOptions extends ReplicaOptions {
  /** Resolves when every command that this server has submitted to its log is applied or rejected. */
  readonly settled: () => Promise<void> | undefined;
}

/** Log that was read to its end, and the state to which its entries lead. */
export interface ReadReplica {
  readonly log: RedisLog;
  readonly machine: StateMachine;
  readonly notices: string[];
}

/**
 * Reads the server's state from its log in Redis, or creates a log that starts with the scenario. Reads the log again
 * after `readState` has moved incompatible entries out of the log.
 * @param hash hash of the scenario
 * @throws {LogOpenError} for an unusable log
 */
export async function readReplica(
  options: ReadOptions,
  hash: string,
  earlierNotices: readonly string[] = [],
): Promise<ReadReplica> {
  const { address, resolved, scenarioName, writer, incarnation, outages, settled, onFatal, onNotice } = options;
  const notices = [...earlierNotices];
  let machine: StateMachine | undefined;
  const opened = await openRedisLog(address, {
    version,
    scenario: { name: scenarioName, hash },
    reset: options.reset ?? false,
    first: { kind: 'begin', scenario: resolved.scenario, hash } satisfies Command,
    writer,
    incarnation,
    mustExist: incarnation > 1,
    minimumLogCharacters: options.minimumLogCharacters,
    host: {
      onLost: options.onLost,
      onDiverged: (sentence) => onFatal(`Failed to continue: ${sentence}; this replica ends.`),
      onDisagreement(position, other) {
        const sentence = `Replica ${other} and this replica responded differently to entry ${position}; this is a bug in the simulator.`;
        if (!notices.some((notice) => notice.includes('responded differently'))) notices.push(sentence);
        onNotice(sentence);
      },
      liveReplicas: () => (machine?.replicas.list() ?? []).map(({ name }) => name),
      onOutage() {
        outages.reportOutage();
        onNotice(
          `The store ${address.shown} is unreachable: requests wait ${appendTimeoutMs / 1_000} s for it, then receive a 503.`,
        );
      },
      async onRecovery(outageMs) {
        // Waits until every request that was pending during the Redis outage is stored, or rejected with a 503. The
        // number of 503 responses in the notice to the operator is then complete.
        await settled();
        const refused = pluralize(outages.reportRecovery(), 'request');
        onNotice(
          `The store ${address.shown} is back after ${(outageMs / 1_000).toFixed(1)} s; ${refused} received a 503.`,
        );
      },
      onError(error) {
        if (error instanceof StoreRefusedError || error instanceof LogOpenError) onNotice(error.message);
        else console.error(error);
      },
    },
  });
  const { log, time } = opened;
  notices.push(...opened.notices.filter((notice) => !notices.includes(notice)));
  const read = await readState(opened, {
    place: address.shown,
    kind: 'name',
    scenarioName,
    resolved,
    machineOptions: machineOptions(options, time),
    notices,
    checkUnused(writtenBy, { replicas, time: { lastMs } }) {
      const isInUse = replicas.list().some((replica) => replica.version !== version) && time.now() - lastMs < goneMs;
      if (isInUse) throw otherVersion(address.name, writtenBy);
    },
  });
  if (read === undefined) return readReplica({ ...options, reset: false }, hash, notices);
  machine = read.machine as StateMachine;
  return { log, machine, notices };
}

/**
 * Creates the error for a Redis log that running servers with another version of petstore-sim use. All servers that
 * share a log must have the same version.
 * @param name name of the log in Redis
 * @param theirs versions of the other servers
 */
export const otherVersion = (name: string, theirs: string) =>
  new LogOpenError(
    `expected every replica of ${name} to be petstore-sim ${version}, got ${theirs}; stop all of them, then start all with one version`,
  );

/**
 * Time without a new entry in the log that servers share in Redis after which all these servers are assumed to have
 * stopped.
 */
const goneMs = 10_000;

const machineOptions = (options: ReplicaOptions, time: StoreTime): MachineOptions => ({
  ...options,
  readMs: () => time.now(),
  isShared: true,
  onStepBack: (ms) =>
    options.onNotice(`The store's time was set back by ${Math.round(ms / 1000)} s; the log's time continues.`),
});
