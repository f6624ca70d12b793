import type { EntryRow, Fields } from './entry-row.js';

/**
 * Three groups (`first`, `second`, `third`) of fields in a row of the request list. Consecutive rows often have equal
 * values in a whole group, so the group's JSON text is reused.
 */
const first = ['key', 'keyId', 'plan', 'operation', 'method', 'path', 'query', 'status', 'code', 'window'] as const;
const second = [
  'exempt',
  'cost',
  'refusal',
  'promisedAt',
  'bannedUntil',
  'toldUntil',
  'sincePromiseMs',
  'after',
  'strikes',
  'strike',
  'episode',
  'storedId',
  'fault',
  'refusedBy',
  'unreadable',
  'assumption',
] as const;
const third = ['call', 'inShort'] as const;

type Row = Fields<EntryRow>;

/**
 * Creates a function that writes the journal's rows (one per request) as JSON. Omits the closing brace, so that the
 * caller can append fields. Reuses the text of values that consecutive rows share, which takes half the time of
 * `JSON.stringify`.
 */
export function createRowWriter(): (row: Row) => string {
  const firstMembers = createMembers(first);
  const secondMembers = createMembers(second);
  const thirdMembers = createMembers(third);
  return (row) => {
    const { id, time, durationMs, remaining, usage, connection } = row;
    const start = `{"id":${id},"time":"${time}","durationMs":${numberText(durationMs as number)}${firstMembers(row)}`;
    const left = remaining === undefined ? '' : `,"remaining":${numberText(remaining)}`;
    const used =
      usage === undefined
        ? ''
        : `,"usage":{"limit":${numberText(usage.limit)},"used":${numberText(usage.used)},"resetAt":"${usage.resetAt}"}`;
    const on = connection === undefined ? '' : `,"connection":${connection}`;
    return `${start}${left}${used}${secondMembers(row)}${on}${thirdMembers(row)}`;
  };
}

/** Writes a number as JSON. NaN, which a header changed by a fault can produce, becomes `null`. */
const numberText = (value: number) => (Number.isFinite(value) ? `${value}` : 'null');

/**
 * Creates a function that writes some fields of a journal row as JSON. If these fields have the same values in the next
 * row, the function returns the previous text again, which is faster.
 */
function createMembers(fields: readonly (keyof Row)[]): (row: Row) => string {
  let last: Row | undefined;
  let text = '';
  const isLikeLast = (row: Row) => {
    if (last === undefined) return false;
    for (const field of fields) if (row[field] !== last[field]) return false;
    return true;
  };
  return (row) => {
    if (!isLikeLast(row)) {
      const json = JSON.stringify(Object.fromEntries(fields.map((field) => [field, row[field]]))).slice(1, -1);
      text = json && `,${json}`;
      last = row;
    }
    return text;
  };
}

/** Maximum number of cached header names. A scenario can invent any number of headers. */
const maximumHeaders = 100;

/**
 * Creates a function that writes headers as JSON members. Caches each header's last text, because most values repeat.
 */
export function createHeadersWriter(): (headers: Readonly<Record<string, string>>) => string {
  const known = new Map<string, { value: string; member: string }>();
  return (headers) => {
    let members = '';
    for (const name in headers) {
      const value = headers[name] as string;
      let last = known.get(name);
      if (last?.value !== value) {
        last = { value, member: `${JSON.stringify(name)}:${JSON.stringify(value)}` };
        if (known.size >= maximumHeaders) known.clear();
        known.set(name, last);
      }
      members += members === '' ? last.member : `,${last.member}`;
    }
    return members;
  };
}
