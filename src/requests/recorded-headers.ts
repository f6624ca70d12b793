import { getOrCreate } from '../values/get-or-create.js';
import type { KeyPlace } from '../values/key-place.js';
import { secretNames } from '../values/mask-key.js';
import { ownText } from '../values/own-text.js';

/** Request headers in a journal record, by lower-case name. Secret values are masked, and long values cut, by `…`. */
export type RecordedHeaders = Readonly<Record<string, string>>;

/** All headers of a request, by lower-case name. */
type SentHeaders = Readonly<Record<string, string | undefined>>;

/**
 * Selects the request headers that a record contains; `undefined` without any.
 * @param keyHeader lower-case name of a further header, which has the API key and is recorded masked
 */
export type HeaderRecorder = (headers: SentHeaders, keyHeader?: string) => RecordedHeaders | undefined;

/** Recorded request headers, besides those whose names start with `x-`. */
const recordedNames = new Set([
  'accept',
  'amz-sdk-invocation-id',
  'authorization',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'origin',
  'paypal-request-id',
  'traceparent',
  'user-agent',
]);

/** Maximum number of recorded `x-` headers of a request. */
const maximumOthers = 16;
/** Maximum lengths of a recorded name and value, in characters. */
const maximumName = 64;
const maximumValue = 256;

/** Maximum number of recent headers that are compared with a request's headers. */
const maximumRecent = 4;
/** Maximum number of names of `x-` headers that are known to be, or not to be, those of secrets. */
const maximumNames = 500;

/** Names of `x-` headers whose values are secrets. Every key counts as one, except an idempotency key. */
const secretName = new RegExp(`^x-(?!.*idempotency).*(?:key|jwt|cookie|${secretNames})`);
const isSecretName = (name: string) => secretName.test(name);

/** Scheme of an Authorization header. Text without a known scheme may be a secret itself. */
const scheme = /^(?:Basic|Bearer|Digest|Token|ApiKey) /i;
const withoutCredentials = (authorization: string) =>
  authorization.startsWith('Bearer ') ? 'Bearer …' : `${scheme.exec(authorization)?.[0] ?? ''}…`;

const cutValue = (value: string) =>
  value.length > maximumValue ? ownText(`${value.slice(0, maximumValue - 1)}…`) : value;

/**
 * Writes the recorded headers of a request into an array, each name before its value. Masks secrets, cuts long values.
 * @returns number of written items
 */
function writeHeaders(
  headers: SentHeaders,
  items: string[],
  isSecret: typeof isSecretName,
  keyHeader: string | undefined,
): number {
  let length = 0;
  let others = 0;
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    if (name === keyHeader && name !== 'authorization') {
      items[length++] = name;
      items[length++] = '…';
    } else if (name.startsWith('x-')) {
      if (name.length > maximumName || ++others > maximumOthers) continue;
      items[length++] = name;
      // Base64 of a JSON object, such as a JSON Web Token, is a credential under any name.
      items[length++] = isSecret(name) || value.startsWith('eyJ') ? '…' : cutValue(value);
    } else if (recordedNames.has(name)) {
      items[length++] = name;
      items[length++] = name === 'authorization' ? withoutCredentials(value) : cutValue(value);
    }
  }
  return length;
}

function toHeaders(items: readonly string[], length: number): RecordedHeaders | undefined {
  const headers: Record<string, string> = {};
  for (let at = 0; at < length; at += 2) headers[items[at] as string] = items[at + 1] as string;
  return length === 0 ? undefined : headers;
}

/** Selects the request headers that a record contains; `undefined` without any. */
export function recordHeaders(headers: SentHeaders, keyHeader?: string): RecordedHeaders | undefined {
  const items: string[] = [];
  return toHeaders(items, writeHeaders(headers, items, isSecretName, keyHeader));
}

/**
 * Creates a function that selects a request's recorded headers, and returns the same object for equal headers of recent
 * requests. A client mostly repeats its headers, so that records share an object, which is found in 0.1 to 0.3 us.
 */
export function createHeaderRecorder(): HeaderRecorder {
  const secrets = new Map<string, boolean>();
  const isSecret = (name: string): boolean => {
    if (secrets.size > maximumNames) secrets.clear();
    return getOrCreate(secrets, name, () => isSecretName(name));
  };
  const recent: { readonly items: readonly string[]; readonly headers: RecordedHeaders | undefined }[] = [];
  const items: string[] = [];
  let oldest = 0;
  return (sent, keyHeader) => {
    const length = writeHeaders(sent, items, isSecret, keyHeader);
    for (const each of recent) if (areEqual(items, length, each.items)) return each.headers;
    const headers = toHeaders(items, length);
    recent[oldest] = { items: items.slice(0, length), headers };
    oldest = (oldest + 1) % maximumRecent;
    return headers;
  };
}

/** Whether the first `length` items of an array are the items of another. */
function areEqual(items: readonly string[], length: number, others: readonly string[]): boolean {
  if (length !== others.length) return false;
  for (let at = 0; at < length; at++) if (items[at] !== others[at]) return false;
  return true;
}

/**
 * Returns recorded headers with the shown API key in the header that has it. HTTP Basic and signatures have no key as text.
 * @param place place of the key; default: Authorization
 */
export function withShownKey(headers: RecordedHeaders, key: string | undefined, place?: KeyPlace): RecordedHeaders {
  const name = place?.header ?? 'authorization';
  const value = headers[name];
  return value === undefined || !key || place?.from === 'basic' || place?.from === 'signature'
    ? headers
    : { ...headers, [name]: value.replace('…', () => key) };
}

/**
 * Returns a recorded query with the shown API key in the parameter that has it.
 * @param key shown key; a masked one stays as it was recorded
 */
export function withQueryKey(query: string, key: string | undefined, place?: KeyPlace): string {
  if (!key || key[0] === '…' || !place?.parameter) return query;
  const start = `${place.parameter}=`;
  // The first parameter of that name is the key.
  const part = query.split('&').find((each) => each.startsWith(start));
  return part?.startsWith(`${start}…`) ? query.replace(part, () => start + encodeURIComponent(key)) : query;
}
