import type { Log, LogEntry, NewEntry } from './log.js';

export interface UnkeptLogOptions {
  /** What its entries say of who wrote them. */
  readonly writer: string;
  /** Called with every entry. */
  readonly onEntry?: (entry: LogEntry) => void;
  readonly onClose?: () => void;
}

/** A log from which nothing is ever read again: its entries are applied at once. */
export function createUnkeptLog({ writer, onEntry, onClose }: UnkeptLogOptions): Log {
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
    writeSnapshot: () => Promise.reject(new RangeError('expected no snapshot of a log that is not kept')),
    setAside: () => Promise.reject(new RangeError('expected nothing to be set aside of a log that is not kept')),
    async close() {
      onClose?.();
    },
  };
}
