import { setTimeout as sleep } from 'node:timers/promises';
import { appendTimeoutMs } from './appender.js';
import { compareIds } from './compare-ids.js';
import type { Connection } from './connection.js';
import type { StreamEntries } from './stream-entries.js';

/**
 * Lets reads wait until this replica has applied all entries that the shared log contained when the read arrived. A
 * read then sees all earlier changes.
 * @param key Redis key of the log's stream
 */
export function createCatchUp(key: string) {
  let waiting: { readonly id: string; readonly resolve: () => void }[] = [];
  return {
    /**
     * Waits until this server has applied the last entry of the shared log in Redis. Also ends, without an error, if
     * the request to Redis fails, and after `appendTimeoutMs` at the latest.
     * @param appliedId returns the id of the last entry that this server has applied
     */
    async wait(connection: Connection | undefined, appliedId: () => string): Promise<void> {
      if (connection === undefined) return;
      const wait = new AbortController();
      const tooLong = sleep(appendTimeoutMs, undefined, wait).catch(() => {});
      const last = connection.call('XREVRANGE', key, '+', '-', 'COUNT', 1).then(
        (reply) => {
          const [[id] = ['0-0']] = reply as StreamEntries;
          if (compareIds(id, appliedId()) <= 0) return;
          return new Promise<void>((resolve) => waiting.push({ id, resolve }));
        },
        () => {},
      );
      await Promise.race([last, tooLong]);
      wait.abort();
    },

    /**
     * Resolves the promises of reads that wait for this log entry or an earlier one.
     * @param id id of the entry that this server has just applied
     */
    applied(id: string): void {
      if (waiting.length === 0) return;
      const isApplied = (each: { id: string }) => compareIds(each.id, id) <= 0;
      for (const { resolve } of waiting.filter(isApplied)) resolve();
      waiting = waiting.filter((each) => !isApplied(each));
    },

    /** Ends all waits for later log entries, because the log is closed. */
    end(): void {
      for (const { resolve } of waiting.splice(0)) resolve();
    },
  };
}
