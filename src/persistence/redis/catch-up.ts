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
     * Resolves when the log's last entry is applied. Also resolves if the store does not respond, and after
     * `appendTimeoutMs` at the latest.
     * @param appliedId returns the id of the last applied entry
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
     * Resolves the waits for this log entry and for earlier entries.
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
