import { useMemo } from 'preact/hooks';
import type { JournalEntry } from '../control-api/journal-entry.js';
import { readEntry } from './detail.js';
import { Drawer, type DrawerProps } from './drawer.js';
import type { Row } from './entry-buffer.js';
import { escapeBidiControls } from './format.js';
import { propertiesOf, type RequestProperties } from './request-properties.js';
import type { Session } from './session.js';
import { useValue } from './session-hooks.js';

interface CompareProps extends DrawerProps {
  session: Session;
  rows: readonly [Row, Row];
}

/** Compares two requests in a table and marks the differences. */
export function Compare({ session, rows, onClose, onLink }: CompareProps) {
  const read = (row: Row) => readEntry(session, row).catch(() => undefined);
  const whole = useValue(useMemo(() => Promise.all(rows.map(read)), [session, ...rows])) ?? [];
  const [one, other] = rows.map((row, index) => ({ ...propertiesOf(row), ...partsOf(whole[index]) })) as [
    RequestProperties,
    RequestProperties,
  ];
  const names = Object.keys({ ...one, ...other }).filter((name) => one[name] || other[name]);
  const title = `Requests ${rows[0].id} and ${rows[1].id}`;
  return (
    <Drawer name={title} title={title} isWide onClose={onClose} onLink={onLink}>
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
    </Drawer>
  );
}

/** Parts of a request and its response by name: headers and bodies. */
const partsOf = ({
  headers,
  requestHeaders,
  requestBody,
  responseBody,
}: Partial<JournalEntry> = {}): RequestProperties => ({
  ...requestHeaders,
  'request body': requestBody && escapeBidiControls(requestBody.text.slice(0, 2_000)),
  ...headers,
  'response body': responseBody && escapeBidiControls(responseBody.text.slice(0, 2_000)),
});
