import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.js';

/** Longest pause before the next attempt to connect to the Redis store. */
const longestWaitMs = 1_000;

export interface KeepConnectedOptions {
  readonly connect: () => Promise<Connection>;
  /**
   * Uses an open connection to the store (Redis), and returns when the connection has ended.
   * @param noteUse to be called once the connection is usable; the growing pauses between connection attempts then
   * start short again
   */
  readonly use: (connection: Connection, noteUse: () => void) => Promise<void>;
  /** Called after the end of each connection to the store, and after each failed attempt to connect. */
  readonly onEnd?: (connection: Connection | undefined) => void;
  readonly onError: (error: unknown) => void;
}

export interface KeptConnection {
  readonly isOver: boolean;
  /**
   * Opens connections one after the other, each after the previous one has ended, until `stop` is called.
   * @param first connection that is already open; default: opens a new one
   */
  run(first?: Connection): Promise<void>;
  stop(): void;
}

/**
 * Creates a loop that keeps a connection to Redis open. After the end of a connection or a failed attempt, the loop
 * pauses and connects again. The pauses grow up to one second.
 */
export function keepConnected({ connect, use, onEnd, onError }: KeepConnectedOptions): KeptConnection {
  let connection: Connection | undefined;
  let isOver = false;
  return {
    get isOver() {
      return isOver;
    },
    async run(first) {
      let next = first;
      let waitMs = 50;
      const noteUse = () => {
        waitMs = 25;
      };
      while (!isOver) {
        try {
          connection = next ?? (await connect());
          if (!isOver) await use(connection, noteUse);
        } catch (error) {
          if (!isOver) onError(error);
        }
        connection?.end();
        next = undefined;
        if (isOver) return;
        onEnd?.(connection);
        await sleep(waitMs);
        waitMs = Math.min(2 * waitMs, longestWaitMs);
      }
    },
    stop() {
      isOver = true;
      connection?.end();
    },
  };
}
