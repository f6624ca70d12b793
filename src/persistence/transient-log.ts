import type { Log, LogEntry, NewEntry } from './log.js';

export interface TransientLogOptions {
  /** Name of this server, which each log entry contains as its writer. */
  readonly writer: string;
  /** Function that the log calls with each appended entry. */
  readonly onEntry?: (entry: LogEntry) => void;
  readonly onClose?: () => void;
}

/** Creates a log without storage. Its entries apply immediately. */
export function createTransientLog({ writer, onEntry, onClose }: TransientLogOptions): Log {
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
        incarnation: 1,
        sequence: position,
        writer,
        atMs,
        ...(answered !== undefined && answered.length > 0 && { answered }),
        commands,
      };
      onEntry?.(entry);
      return entry;
    },
    writeSnapshot: () => Promise.reject(new RangeError('Failed to write a snapshot: this log has no storage')),
    setAside: () => Promise.reject(new RangeError('Failed to set entries aside: this log has no storage')),
    async close() {
      onClose?.();
    },
  };
}
