import { version } from '../control-api/har.js';
import type { Command } from '../persistence/command.js';
import { LogOpenError } from '../persistence/log.js';
import type { OutageLog } from '../persistence/outage-log.js';
import { readMachine } from '../persistence/read-machine.js';
import type { RedisAddress } from '../persistence/redis/address.js';
import { appendTimeoutMs } from '../persistence/redis/appender.js';
import { openRedisLog } from '../persistence/redis/open-redis-log.js';
import type { RedisLog } from '../persistence/redis/redis-log.js';
import type { StoreTime } from '../persistence/redis/store-time.js';
import type { MachineOptions } from '../persistence/start-machine.js';
import type { StateMachine } from '../persistence/state-machine.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { counted } from '../values/counted.js';
import { setDifferenceAside } from './set-difference-aside.js';

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
  /** What was refused while it was read before, to be told in the log. */
  readonly away: OutageLog;
  /** Called when what was applied is not in the store any more: this is over, and the log is to be opened again. */
  readonly onLost: (reason: string) => void;
  /** Called when this replica has to end. */
  readonly onFatal: (sentence: string) => void;
  /** Called with what happens while it serves. */
  readonly onNotice: (sentence: string) => void;
  /** A log that is shorter is not replaced by a snapshot. Default 16 MiB. */
  readonly leastLogBytes?: number | undefined;
}

interface ReadOptions extends ReplicaOptions {
  /** Resolves when everything that was handed in before is applied or refused. */
  readonly settled: () => Promise<void> | undefined;
}

/** A log that has been read up to its end, and what it leads to. */
export interface ReadReplica {
  readonly log: RedisLog;
  readonly machine: StateMachine;
  readonly notices: string[];
}

/**
 * Reads the log of a store, or begins it with the scenario. Entries of another version that are answered differently now are
 * set aside, and it is read again.
 * @param hash of the scenario
 * @throws {LogOpenError} when it cannot be used
 */
export async function readReplica(
  options: ReadOptions,
  hash: string,
  told: readonly string[] = [],
): Promise<ReadReplica> {
  const { address, resolved, scenarioName, writer, incarnation, away, settled, onFatal, onNotice } = options;
  const notices = [...told];
  let machine: StateMachine | undefined;
  const opened = await openRedisLog(address, {
    version,
    scenario: { name: scenarioName, hash },
    reset: options.reset ?? false,
    first: { kind: 'begin', scenario: resolved.scenario, hash } satisfies Command,
    writer,
    incarnation,
    mustExist: incarnation > 1,
    leastLogBytes: options.leastLogBytes,
    host: {
      onLost: options.onLost,
      onDiverged: (sentence) => onFatal(`Failed to go on: ${sentence}; this replica ends.`),
      onDisagreement(position, other) {
        const sentence = `Entry ${position} was answered otherwise by ${other} than by this replica; this is a bug of the simulator.`;
        if (!notices.some((notice) => notice.includes('otherwise by'))) notices.push(sentence);
        onNotice(sentence);
      },
      liveReplicas: () => (machine?.replicas.list() ?? []).map(({ name }) => name),
      onOutage() {
        away.reportOutage();
        onNotice(
          `The store ${address.shown} is unreachable: requests wait ${appendTimeoutMs / 1_000} s for it, then receive a 503.`,
        );
      },
      async onRecovery(outageMs) {
        // What has waited for it for long may still be refused.
        await settled();
        const refused = counted(away.reportRecovery(), 'request');
        onNotice(`The store ${address.shown} is back after ${(outageMs / 1_000).toFixed(1)} s; ${refused} got a 503.`);
      },
      onError: (error) => console.error(error),
    },
  });
  const { log, birth, time } = opened;
  notices.push(...opened.notices.filter((notice) => !notices.includes(notice)));
  try {
    if (birth.scenario.name !== scenarioName) {
      throw new LogOpenError(
        `expected ${address.shown} to hold the state of the scenario ${scenarioName}, got that of ${birth.scenario.name}; start with that one, use another name, or start a new log with --data-reset`,
      );
    }
    const found = await readMachine(opened, machineOptions(options, time), resolved);
    const { difference } = found;
    machine = found.machine as StateMachine;
    if (difference === undefined) return { log, machine, notices };
    const isOther = difference.version !== version;
    if (
      isOther &&
      machine.replicas.list().some((each) => each.version !== version) &&
      time.now() - machine.time.lastMs < goneMs
    ) {
      throw new LogOpenError(
        `expected every replica of ${address.name} to be petstore-sim ${version}, got ${difference.version}; stop all of them, then start all with one version`,
      );
    }
    if (!(await setDifferenceAside(log, difference, notices))) return { log, machine, notices };
  } catch (error) {
    await log.close();
    throw error;
  }
  await log.close();
  return readReplica({ ...options, reset: false }, hash, notices);
}

/** A log to which nobody has written for so long has no replicas. */
const goneMs = 10_000;

const machineOptions = (options: ReplicaOptions, time: StoreTime): MachineOptions => ({
  ...options,
  readMs: () => time.now(),
  isShared: true,
  onStepBack: (ms) => options.onNotice(`The store's time was set back by ${Math.round(ms / 1000)} s; the log goes on.`),
});
