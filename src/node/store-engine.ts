import { setTimeout as sleep } from 'node:timers/promises';
import { LogOpenError } from '../persistence/log.js';
import { OutageLog } from '../persistence/outage-log.js';
import { LogChangedError } from '../persistence/redis/log-changed-error.js';
import { newWriterName } from '../persistence/redis/open-redis-log.js';
import type { OpenPort } from './http/server.js';
import { type OpenReplica, openReplica } from './open-replica.js';
import type { ReplicaOptions } from './read-replica.js';
import type { Engine, OpenState } from './serve-state.js';

export interface StoreOptions
  extends Omit<ReplicaOptions, 'writer' | 'incarnation' | 'onLost' | 'onFatal' | 'onNotice' | 'away'> {
  /** Called when this replica has to end. Default: the sentence goes to standard error and the exit code is 1. */
  readonly onFatal?: (sentence: string) => void;
  /** Called with events while it serves. Default: to standard error. */
  readonly onNotice?: (sentence: string) => void;
}

/** State in a store that other servers share. All fields follow the log that is open now. */
export interface StoreState extends OpenState, Pick<OpenReplica, 'position' | 'notices' | 'load'> {
  /** Address of the store, without its password. */
  readonly address: string;
  /** Name of this server in the log. */
  readonly replica: string;
  /** Names of all servers. */
  readonly replicas: readonly string[];
}

/** A log is read in less time than others need to write this many snapshots. */
const mostTries = 5;

/**
 * State in a store. While the log is read, every request gets a 503; so, too, when it is read again because the store has
 * lost a part of it. It fails with a `LogOpenError` for a store or a log that cannot be used.
 */
export const storeEngine = (options: StoreOptions): Engine<StoreState> => ({
  listensFirst: true,
  open: (port) => openStore(options, port as OpenPort),
});

async function openStore(options: StoreOptions, { serve, pause }: OpenPort): Promise<StoreState> {
  const { onFatal = endProcess, onNotice = (sentence) => process.stderr.write(`petstore-sim: ${sentence}\n`) } =
    options;
  const writer = newWriterName();
  const away = new OutageLog();
  let incarnation = 0;
  let isClosing = false;

  /** What this replica knows is not to be had any more. */
  const end = (sentence: string) => {
    pause(() => {});
    onFatal(sentence);
  };
  async function open(reset: boolean): Promise<OpenReplica> {
    for (let tries = 1; ; tries++) {
      try {
        const onLost = (reason: string) => void reopen(reason);
        incarnation++;
        return await openReplica({ ...options, reset, writer, incarnation, away, onFatal: end, onNotice, onLost });
      } catch (error) {
        // While it was read, others have written a newer snapshot and dropped what it was read from.
        if (!(error instanceof LogChangedError)) throw error;
        if (tries === mostTries)
          throw new LogOpenError(`${error.message}; start again, or start a new log with --data-reset`);
      }
    }
  }

  async function reopen(reason: string): Promise<void> {
    const { time } = current.machine;
    pause((sandbox) => away.refuseRequest(sandbox, time.liveMs(), time.liveMs()));
    onNotice(`What was applied is not what the store has: ${reason}. The log is read again.`);
    for (let waitMs = 100; !isClosing; waitMs = Math.min(2 * waitMs, 2_000)) {
      try {
        current = await open(false);
        if (isClosing) return await current.close();
        serve(current.backend);
        away.reportRecovery();
        onNotice(`The log is read, up to entry ${current.position}.`);
        return;
      } catch (error) {
        if (error instanceof LogOpenError) return end(`Failed to read the log again: ${error.message}`);
        await sleep(waitMs);
      }
    }
  }

  let current = await open(options.reset ?? false);
  return {
    address: options.address.shown,
    replica: writer,
    get backend() {
      return current.backend;
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

function endProcess(sentence: string): void {
  process.stderr.write(`petstore-sim: ${sentence}\n`);
  process.exit(1);
}
