import { setTimeout as sleep } from 'node:timers/promises';
import type { Backend } from '../control/backend.js';
import { LogOpenError } from '../log/log.js';
import { LogMovedError } from '../log/redis/log-moved-error.js';
import { newWriterName } from '../log/redis/open-redis-log.js';
import { StoreAway } from '../log/store-away.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { type ListenOptions, type OpenPort, openPort } from './http/server.js';
import { type OpenReplica, openReplica } from './open-replica.js';
import type { ReplicaOptions } from './read-replica.js';

export interface ServeReplicaOptions
  extends Omit<ReplicaOptions, 'writer' | 'incarnation' | 'onLost' | 'onFatal' | 'onNotice' | 'away'> {
  /** Called when this replica has to end. Default: the sentence goes to standard error and the exit code is 1. */
  readonly onFatal?: (sentence: string) => void;
  /** Called with what happens while it serves. Default: to standard error. */
  readonly onNotice?: (sentence: string) => void;
}

/** A server that serves the state of a log, beside others. */
export interface ServedReplica extends Omit<OpenPort, 'serve' | 'pause'> {
  /** What is served now. */
  readonly backend: Backend;
  /** What it is called in the log, how far it is, and who else is there. */
  readonly replica: string;
  readonly position: number;
  readonly replicas: readonly string[];
  readonly notices: readonly string[];
  load(scenario: Scenario, options?: { reseed?: boolean | undefined }): Promise<void>;
}

/** A log is read in less time than others need to write this many snapshots. */
const mostTries = 5;

/**
 * Serves what the log of a store leads to. While the log is read, every request gets a 503; so, too, when it has to be read
 * again because the store has lost a part of it.
 * @throws {LogOpenError} for a store or a log that cannot be used, and as `listen`
 */
export async function serveReplica(options: ServeReplicaOptions, listenOptions: ListenOptions): Promise<ServedReplica> {
  const { onFatal = endProcess, onNotice = (sentence) => process.stderr.write(`petstore-sim: ${sentence}\n`) } =
    options;
  const { serve, pause, ...port } = await openPort(listenOptions);
  const writer = newWriterName();
  const away = new StoreAway();
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
        if (!(error instanceof LogMovedError)) throw error;
        if (tries === mostTries)
          throw new LogOpenError(`${error.message}; start again, or begin anew with --data-reset`);
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
        away.sayBack();
        onNotice(`The log is read, up to entry ${current.position}.`);
        return;
      } catch (error) {
        if (error instanceof LogOpenError) return end(`Failed to read the log again: ${error.message}`);
        await sleep(waitMs);
      }
    }
  }

  let current = await open(options.reset ?? false).catch(async (error) => {
    await port.close({ graceMs: 0 });
    throw error;
  });
  serve(current.backend);
  return {
    ...port,
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
    async close(how) {
      isClosing = true;
      await port.close(how);
      await current.close();
    },
  };
}

function endProcess(sentence: string): void {
  process.stderr.write(`petstore-sim: ${sentence}\n`);
  process.exit(1);
}
