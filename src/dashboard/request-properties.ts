import { formatAskedWait } from '../control-api/wait-words.js';
import { formatWait } from '../values/format-duration.js';
import { requestTarget } from '../values/request-target.js';
import type { Row } from './entry-buffer.js';
import { clockTime, formatThousands } from './format.js';

export type RequestProperties = Record<string, string | undefined>;

/** Properties of a request in the journal, such as its status, by name and as text. Headers and bodies are excluded. */
export function propertiesOf(row: Row): RequestProperties {
  const { after, usage, call, connection } = row;
  return {
    request: requestTarget(row),
    status: row.status ? `${row.status}` : 'no response',
    why: row.inShort,
    time: clockTime(row.atMs),
    key: row.lane.name,
    duration: `${row.durationMs} ms`,
    waited:
      after &&
      `${formatWait(after.waitedMs)}${after.waitMs === undefined ? '' : ` of ${formatAskedWait(after.waitMs)}`}`,
    quota: usage && `${row.window}: ${formatThousands(usage.used)} of ${formatThousands(usage.limit)}`,
    strikes: row.strikes ? `${row.strikes}` : undefined,
    fault: row.fault,
    call,
    connection: connection === undefined ? undefined : `${connection}`,
  };
}
