import type { Log, LogEntry, NewEntry } from './log.js';

export interface TransientLogOptions {
  /** Function that the log calls with each appended entry. */
  readonly onEntry?: (entry: LogEntry) => void;
  readonly onClose?: () => void;
}

/** Creates a log without storage. Its entries apply immediately. */
export function createTransientLog({ onEntry, onClose }: TransientLogOptions = {}): Log {
  let position = 0;
  return {
    get position() {
      return position;
    },
    snapshotPosition: 0,
    snapshotIsDue: false,
    async append({ atMs, commands, answered }: NewEntry) {
      position++;
      const entry: LogEntry = {
        position,
        atMs,
        ...(answered !== undefined && answered.length > 0 && { answered }),
        commands,
      };
      onEntry?.(entry);
      return entry;
    },
    writeSnapshot: () => Promise.reject(new RangeError('Failed to write a snapshot: this log has no storage')),
    async close() {
      onClose?.();
    },
  };
}
