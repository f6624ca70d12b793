import { useEffect, useState } from 'preact/hooks';
import type { JournalEntry } from '../control-api/journal-entry.js';
import type { Row } from './entry-buffer.js';
import { clockTime, target, visible } from './format.js';
import type { Session } from './session.js';

interface CompareProps {
  session: Session;
  rows: readonly [Row, Row];
  onClose(): void;
  onLink: (() => void) | undefined;
}

/** Compares two requests in a table and marks the differences. */
export function Compare({ session, rows, onClose, onLink }: CompareProps) {
  const [whole, setWhole] = useState<readonly (JournalEntry | undefined)[]>([]);
  const ids = rows.map(({ id }) => id).join();
  useEffect(() => {
    let isWanted = true;
    const read = (row: Row) => session.source.send<JournalEntry>('GET', `/journal/${row.id}`).catch(() => undefined);
    void Promise.all(rows.map(read)).then((found) => isWanted && setWhole(found));
    return () => {
      isWanted = false;
    };
  }, [session, ids]);
  const [one, other] = rows.map((row, index) => factsOf(row, whole[index])) as [Facts, Facts];
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return (
    <section class="detail compare" aria-label={`Requests ${ids.replace(',', ' and ')}`}>
      <header>
        <h2>
          Requests {rows[0].id} and {rows[1].id}
        </h2>
        <span>
          {onLink && (
            <button type="button" class="quiet" onClick={onLink}>
              copy link
            </button>
          )}
          <button type="button" class="quiet" aria-label="Close" onClick={onClose}>
            ✕
          </button>
        </span>
      </header>
      <table>
        <thead>
          <tr>
            <td />
            <th>request {rows[0].id}</th>
            <th>request {rows[1].id}</th>
          </tr>
        </thead>
        <tbody>
          {names.map((name) => (
            <tr key={name} class={one[name] === other[name] ? 'same' : 'differs'}>
              <th>
                {one[name] !== other[name] && <span aria-hidden="true">≠ </span>}
                {name}
              </th>
              <td>{one[name]}</td>
              <td>{other[name]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

type Facts = Record<string, string | undefined>;

/** Returns the properties in which two requests can differ, as texts by name. */
function factsOf(row: Row, entry: JournalEntry | undefined): Facts {
  const { after, usage } = row;
  return {
    time: clockTime(row.atMs),
    key: row.lane.name,
    request: `${row.method} ${target(row)}`,
    status: row.status ? String(row.status) : 'no response',
    why: row.inShort ?? '',
    duration: `${row.durationMs} ms`,
    waited: after && `${after.waitedMs} ms${after.waitMs === undefined ? '' : ` of ${after.waitMs} ms`}`,
    quota: usage && `${row.window}: ${usage.used} of ${usage.limit}`,
    strikes: String(row.strikes),
    fault: row.fault,
    'request body': entry?.requestBody && visible(entry.requestBody.text.slice(0, 2_000)),
    ...entry?.headers,
    'response body': entry?.responseBody && visible(entry.responseBody.text.slice(0, 2_000)),
  };
}
