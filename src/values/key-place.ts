import { decoded } from './percent-encoding.js';

/**
 * Place of the API key in a request: `bearer`, `basic` and `token` are schemes of Authorization, `signature` is the key id
 * of a signed request, `one` counts all requests as those of one key.
 */
export type KeyFrom = 'bearer' | 'basic' | 'token' | 'signature' | 'one' | `header ${string}` | `query ${string}`;

/** Pattern of a `KeyFrom`. Names are those of a header (RFC 9110 section 5.1) and of a query parameter. */
export const keyFromPattern = /^(?:bearer|basic|token|signature|one|header [!#$%&'*+.^`|~\w-]+|query [^\s=&#?]+)$/;

export const expectedKeyFrom = 'bearer, basic, token, header NAME, query NAME, signature or one';

/** Place of the API key, of a `KeyFrom`. */
export interface KeyPlace {
  readonly from: KeyFrom;
  /** Lower-case name of the header that has the key; empty if no header has it. */
  readonly header: string;
  /** Name of the query parameter that has the key; empty if none has it. */
  readonly parameter: string;
}

export function toKeyPlace(from: KeyFrom): KeyPlace {
  const [kind, name = ''] = from.split(' ');
  const header = kind === 'header' ? name.toLowerCase() : kind === 'query' || kind === 'one' ? '' : 'authorization';
  return { from, header, parameter: kind === 'query' ? name : '' };
}

/** API key of a request, or why it has none. Plain JSON, which the log stores instead of the request's credential. */
export interface SentKey {
  readonly token?: string | undefined;
  /** Message of the 401 to a request without a usable key. Default: that of the main service. */
  readonly problem?: string | undefined;
  /** Whether the request has a key in another place than the one that is read. */
  readonly isElsewhere?: true | undefined;
}

/** Parts of a request that may have a key. */
export interface KeyedCall {
  header(name: string): string | undefined;
  readonly query: string;
}

/** Headers with an API key, in the order in which they are read, after Authorization. */
export const keyHeaders = [
  'x-api-key',
  'api-key',
  'apikey',
  'x-goog-api-key',
  'ocp-apim-subscription-key',
  'private-token',
  'x-auth-token',
  'x-shopify-access-token',
] as const;

/** Schemes whose credentials are new for each request, with their constant parts. */
export const signing: readonly (readonly [scheme: RegExp, parts: RegExp])[] = [
  // AWS Signature Version 4, and those of Google Cloud Storage and Azure like it. The scope after the key id has the date.
  [/^(?:AWS4|GOOG4|HMAC)-/i, /\bCredential=[^/&,;\s]+/gi],
  // RFC 5849. Google sent plain tokens under this scheme, too.
  [/^OAuth\s/i, /\boauth_(?:consumer_key|token)="?[^",\s]+/gi],
  [/^Digest\s/i, /\b(?:username|realm)\*?="?[^",]+/gi],
  [/^Hawk\s/i, /\bid="[^"]+/gi],
  [/^Signature\s/i, /\bkeyId="[^"]+/gi],
  [/^(?:AWS|SharedKey(?:Lite)?)\s/i, /^\S+\s+[^:]+(?=:)/g],
];

/** Key id of a signed query of AWS or Google Cloud Storage. */
export const signedKey = /^x-(?:amz|goog)-credential$/i;

/** Name of a query parameter that has an API key. */
export const keyParameter = /^(?:api[-_]?key|access_token)$/i;

/** Form of the credential in a header Authorization. */
export const formOf = (authorization: string): 'bearer' | 'basic' | 'token' | 'signature' =>
  signing.some(([scheme, parts]) => scheme.test(authorization) && authorization.match(parts))
    ? 'signature'
    : ((/^(bearer|basic) /i.exec(authorization)?.[1]?.toLowerCase() as 'bearer' | undefined) ?? 'token');

/**
 * Reads the API key of a request at a place. Keys in other places have no effect.
 * @param only key that `one` charges
 */
export function readKey({ from, header, parameter }: KeyPlace, call: KeyedCall, only?: string): SentKey {
  if (from === 'one') return { token: only };
  const text = parameter === '' ? call.header(header)?.trim() : parameterOf(call.query, parameter);
  const token = from === 'signature' ? signerOf(text ?? '', call.query) : text && tokenIn(from, text);
  if (token && /^[^\s,]+$/.test(token)) return { token };
  const name = from.split(' ')[1];
  const found = text && name !== undefined ? undefined : placeOf(call);
  if (found !== undefined && found !== from) {
    const wanted = from === 'bearer' ? 'Bearer token' : `key ${name === undefined ? 'by' : 'in'} ${name ?? from}`;
    const place = found.split(' ')[1] ?? 'Authorization';
    const flag = place === 'Authorization' ? found : `'${found}'`;
    return { problem: `There is no ${wanted}, but a key in ${place}: use --key-from ${flag}.`, isElsewhere: true };
  }
  if (from === 'bearer') return {};
  return { problem: `There is no API key; send "${sentKeyText(from, '<API_KEY>')}".` };
}

/** Finds a usual place where a request has a key. */
export function placeOf(call: KeyedCall): KeyFrom | undefined {
  const authorization = call.header('authorization')?.trim();
  if (authorization) return /\s/.test(authorization) ? formOf(authorization) : undefined;
  const named = keyHeaders.find((name) => call.header(name));
  if (named !== undefined) return `header ${named}`;
  for (const [parameter] of parametersOf(call.query)) {
    if (signedKey.test(parameter)) return 'signature';
    if (keyParameter.test(parameter)) return `query ${parameter}`;
  }
  return undefined;
}

function tokenIn(from: KeyFrom, text: string): string | undefined {
  if (from === 'bearer') return /^bearer +(\S+)$/i.exec(text)?.[1];
  if (from === 'token') return /^(?:\S+ +)?(\S+)$/.exec(text)?.[1];
  if (from !== 'basic') return text;
  try {
    // The password is the key if the user name is empty, as for Azure DevOps.
    const [user, password] = atob(/^basic +(\S+)$/i.exec(text)?.[1] ?? '').split(/:(.*)/s);
    return user || password;
  } catch {
    return undefined;
  }
}

/**
 * Returns the name of the key that signed a request: an access key id, a user name or a token. `undefined` without a
 * signature.
 */
function signerOf(authorization: string, query: string): string | undefined {
  const parts = signing.find(([scheme]) => scheme.test(authorization))?.[1];
  // Of the consumer and the token of OAuth 1, and of the realm and the user of Digest, the second is the account.
  const last = parts && authorization.match(parts)?.sort().at(-1);
  if (last !== undefined) return last.replace(/^[^=\s]*[=\s]\s*"?/, '');
  return parametersOf(query)
    .find(([name]) => signedKey.test(name))?.[1]
    .split('/', 1)[0];
}

/** Splits a query into names and values, percent-decoded only: a `+` of a key is no space. */
const parametersOf = (query: string): [name: string, value: string][] =>
  query.split('&').map((parameter) => {
    const [name = '', value = ''] = parameter.split(/=(.*)/s);
    return [name, decoded(value)];
  });

const parameterOf = (query: string, name: string) => parametersOf(query).find(([each]) => each === name)?.[1];

/** Query that sends a key, without `?`; empty for a key in a header. */
export const sentQuery = (from: KeyFrom, key: string): string =>
  from.startsWith('query ') ? sentKeyText(from, encodeURIComponent(key)).slice(1) : '';

/** Header or query that sends a key, for a message. */
export function sentKeyText(from: KeyFrom, key: string): string {
  const [kind, name] = from.split(' ');
  if (kind === 'header') return `${name}: ${key}`;
  if (kind === 'query') return `?${name}=${key}`;
  return `Authorization: ${kind === 'basic' ? `Basic BASE64(${key}:)` : kind === 'signature' ? `AWS4-HMAC-SHA256 Credential=${key}/...` : `${kind === 'bearer' ? 'Bearer' : kind} ${key}`}`;
}
