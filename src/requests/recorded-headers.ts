import { secretNames } from '../values/mask-key.js';
import { ownText } from '../values/own-text.js';

/** Request headers in a journal record, by lower-case name. Secret values are masked, and long values cut, by `…`. */
export type RecordedHeaders = Readonly<Record<string, string>>;

/** All headers of a request, by lower-case name. */
type SentHeaders = Readonly<Record<string, string | undefined>>;

/** Selects the request headers that a record contains; `undefined` if there are none. */
export type HeaderRecorder = (headers: SentHeaders) => RecordedHeaders | undefined;

/** Recorded request headers, besides those whose names start with `x-`. */
const recordedNames = new Set([
  'accept',
  'authorization',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'origin',
  'traceparent',
  'user-agent',
]);

/** Maximum number of recorded `x-` headers of a request. */
const maximumOthers = 16;
/** Maximum lengths of a recorded name and value, in characters. */
const maximumName = 64;
const maximumValue = 256;

/** Maximum number of recent headers that are compared with those of a request. */
const maximumRecent = 4;

const isRecorded = (name: string): boolean =>
  recordedNames.has(name) || (name.startsWith('x-') && name.length <= maximumName);

/** Names of `x-` headers whose values are secrets. Every key counts as one, except an idempotency key. */
const secretName = new RegExp(`^x-(?!.*idempotency).*(?:key|jwt|cookie|${secretNames})`);

/** Scheme of an Authorization header. Text without a known scheme may be a secret itself. */
const scheme = /^(?:Basic|Bearer|Digest|Token|ApiKey) /i;

/** Returns a header's value for a record: secrets masked by `…`, and other values cut to a maximum length. */
function shownValue(name: string, value: string): string {
  if (name === 'authorization') return `${scheme.exec(value)?.[0] ?? ''}…`;
  // Base64 of a JSON object, such as a JSON Web Token, is a credential under any name.
  if (name.startsWith('x-') && (secretName.test(name) || value.startsWith('eyJ'))) return '…';
  return value.length > maximumValue ? ownText(`${value.slice(0, maximumValue - 1)}…`) : value;
}

/** Returns recorded headers with the API key, as it is shown, in the header Authorization. */
export function withShownKey(headers: RecordedHeaders, key: string | undefined): RecordedHeaders {
  const { authorization } = headers;
  return authorization === undefined || !key
    ? headers
    : { ...headers, authorization: authorization.replace('…', () => key) };
}

/** Selects the request headers that a record contains; `undefined` if there are none. */
export function recordHeaders(headers: SentHeaders): RecordedHeaders | undefined {
  const recorded: Record<string, string> = {};
  let others = 0;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || !isRecorded(name)) continue;
    if (name.startsWith('x-') && ++others > maximumOthers) continue;
    recorded[name] = shownValue(name, value);
  }
  for (const _ in recorded) return recorded;
  return undefined;
}

/**
 * Creates a function that selects a request's recorded headers, and returns the same object for equal headers of recent
 * requests. A client mostly repeats its headers, so that the records share one object. Takes 0.1 to 0.4 us.
 */
export function createHeaderRecorder(): HeaderRecorder {
  const recent: RecordedHeaders[] = [];
  let next = 0;
  return (headers) => {
    const recorded = recordHeaders(headers);
    if (recorded === undefined) return undefined;
    for (const each of recent) if (areEqual(each, recorded)) return each;
    recent[next] = recorded;
    next = (next + 1) % maximumRecent;
    return recorded;
  };
}

function areEqual(one: RecordedHeaders, other: RecordedHeaders): boolean {
  for (const name in one) if (one[name] !== other[name]) return false;
  for (const name in other) if (one[name] === undefined) return false;
  return true;
}
