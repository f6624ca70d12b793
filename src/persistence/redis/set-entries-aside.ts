import type { Connection } from './connection.js';
import type { StoreKeys } from './keys.js';
import type { LogCursor } from './log-cursor.js';
import type { StreamEntries } from './stream-entries.js';

const readEntries = 200;

/**
 * Moves all log entries from position `from` on to a separate Redis stream.
 * @param start cursor of any log entry before position `from`
 * @param reason reason for the move, contained in the returned message
 * @returns message for the server's operator
 */
export async function setEntriesAside(
  connection: Connection,
  keys: StoreKeys,
  { start, from, reason }: { start: LogCursor; from: number; reason: string },
): Promise<string> {
  const aside = keys.aside(String(from));
  let { id: last, position } = start;
  let count = 0;
  for (;;) {
    const entries = (await connection.call('XRANGE', keys.log, `(${last}`, '+', 'COUNT', readEntries)) as StreamEntries;
    for (const [id, fields] of entries) {
      last = id;
      position++;
      if (position < from) continue;
      await connection.transaction([
        ['XADD', aside, id, ...fields],
        ['XDEL', keys.log, id],
      ]);
      count++;
    }
    if (entries.length === 0) break;
  }
  return `Entry ${from} and all after it, ${count} in all, were set aside as ${aside}, because ${reason}.`;
}
