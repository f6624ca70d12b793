import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine, OpenedState } from '../../server/serve-state.js';
import type { OpenPort } from '../../server/server.js';
import { LogOpenError } from '../log.js';
import { OutageLog } from '../outage-log.js';
import { endProcess } from './folder/end-process.js';
import { type OpenReplica, openReplica } from './open-replica.js';
import type { ReplicaOptions } from './read-replica.js';
import { StoreRefusedError } from './redis/connection.js';
import { LogChangedError } from './redis/log-changed-error.js';
import { newWriterName } from './redis/open-redis-log.js';

export interface StoreOptions
  extends Omit<ReplicaOptions, 'writer' | 'incarnation' | 'onLost' | 'onFatal' | 'onNotice' | 'outages'> {
  /**
   * Called with the reason, as a sentence, if this server cannot continue. Default: writes the sentence to standard
   * error and exits with code 1.
   */
  readonly onFatal?: (sentence: string) => void;
  /** Called with events that the operator should see. Default: writes to standard error. */
  readonly onNotice?: (sentence: string) => void;
}

/**
 * State of a server whose append-only log is in a Redis store that other servers share. The fields change if the server
 * has to read the log again.
 */
export interface StoreState extends OpenedState, Pick<OpenReplica, 'position' | 'notices' | 'load'> {
  /** Address of the Redis store that contains the server's state, without the password. */
  readonly address: string;
  /** Name of this server among the replicas. */
  readonly replica: string;
  /** Names of all live replicas, the running servers that share a log in Redis. */
  readonly replicas: readonly string[];
}

/**
 * Maximum number of attempts to read the log that servers share in Redis. An attempt fails if another server replaces
 * log entries by a snapshot during the attempt.
 */
const maximumTries = 5;

/**
 * Creates the function that opens the server's state, whose log is in Redis. Until the server has read the log,
 * requests get a 503. If Redis loses entries, the server reads the log again. Opening fails with a `LogOpenError` for
 * an unusable store or log.
 */
export const storeEngine = (options: StoreOptions): Engine<StoreState> => ({
  listensFirst: true,
  open: (port) => openStore(options, port as OpenPort),
});

async function openStore(options: StoreOptions, { serve, pause }: OpenPort): Promise<StoreState> {
  const { onFatal = endProcess, onNotice = (sentence) => process.stderr.write(`petstore-sim: ${sentence}\n`) } =
    options;
  const writer = newWriterName();
  const outages = new OutageLog();
  let incarnation = 0;
  let isClosing = false;

  /** Responds to all later requests with 503 and calls the option `onFatal`, which by default ends the process. */
  const end = (sentence: string) => {
    pause(() => {});
    onFatal(sentence);
  };
  async function open(reset: boolean): Promise<OpenReplica> {
    for (let tries = 1; ; tries++) {
      try {
        const onLost = (reason: string) => void reopen(reason);
        incarnation++;
        return await openReplica({ ...options, reset, writer, incarnation, outages, onFatal: end, onNotice, onLost });
      } catch (error) {
        // Reads the shared log again from its newest snapshot. Another server has replaced log entries by this snapshot
        // while they were read.
        if (!(error instanceof LogChangedError)) throw error;
        if (tries === maximumTries)
          throw new LogOpenError(`${error.message}; start again, or start a new log with --data-reset`);
      }
    }
  }

  async function reopen(reason: string): Promise<void> {
    const { time } = current.machine;
    pause((sandbox) => outages.refuseRequest(sandbox, time.liveMs(), time.liveMs()));
    onNotice(`The store lost entries: ${reason}. The log is read again.`);
    for (let waitMs = 100; !isClosing; waitMs = Math.min(2 * waitMs, 2_000)) {
      try {
        current = await open(false);
        if (isClosing) return await current.close();
        serve(current.simulators);
        outages.reportRecovery();
        onNotice(`The log was read again, up to entry ${current.position}.`);
        return;
      } catch (error) {
        if (error instanceof LogOpenError) return end(`Failed to read the log again: ${error.message}`);
        await sleep(waitMs);
      }
    }
  }

  let current = await open(options.reset ?? false).catch((error: unknown) => {
    throw error instanceof StoreRefusedError ? new LogOpenError(error.message) : error;
  });
  return {
    address: options.address.shown,
    replica: writer,
    get simulators() {
      return current.simulators;
    },
    get position() {
      return current.position;
    },
    get replicas() {
      return current.machine.replicas.list().map(({ name }) => name);
    },
    get notices() {
      return current.notices;
    },
    load: (scenario, how) => current.load(scenario, how),
    async close() {
      isClosing = true;
      await current.close();
    },
  };
}
