import { type KeyPlace, keyHeaders, keyParameter, readKey, signedKey, signing } from './key-place.js';
import { isKeyByLength } from './mask-key.js';
import { decoded } from './percent-encoding.js';

/** Credential of a request, wherever the request has it. */
export interface Credential {
  /**
   * Text that all requests of one account share: the key, or the constant part of a credential that is new for each
   * request. `undefined` if the credential is masked, so that those of two accounts look equal.
   */
  readonly account: string | undefined;
  /** The credential as sent, without a scheme such as `Bearer`. A secret. */
  readonly secret: string;
}

/**
 * Reads the credential of a request: the first of Authorization, the usual headers of API keys and the query. Returns
 * `undefined` without one.
 * @param header returns a request header by its lower-case name
 * @param query query as sent, without the question mark
 * @param place the only place that counts; default: all usual ones
 */
export function credentialOf(
  header: (name: string) => string | undefined,
  query: string,
  place?: KeyPlace,
): Credential | undefined {
  if (place !== undefined) {
    const { token } = readKey(place, { header, query });
    return token === undefined ? undefined : whole(token);
  }
  const authorization = header('authorization')?.trim();
  if (authorization) return inAuthorization(authorization);
  for (const name of keyHeaders) {
    const key = header(name)?.trim();
    if (key) return whole(key);
  }
  return inQuery(query);
}

/** Whether a header has a credential: Authorization, cookies, and the usual headers of API keys. */
export const isCredentialHeader = (name: string): boolean =>
  /^(?:authorization|cookie)$/i.test(name) || (keyHeaders as readonly string[]).includes(name.toLowerCase());

function inAuthorization(text: string): Credential {
  const secret = text.slice(text.indexOf(' ') + 1).trim();
  const parts = signing.find(([scheme]) => scheme.test(text))?.[1];
  const constant = parts && text.match(parts)?.sort();
  if (constant) return constantPart(constant.join(), secret);
  return isMasked(text) ? { account: undefined, secret } : whole(secret);
}

/** Credential with a constant part, which may be a word in capitals, such as a realm. */
const constantPart = (account: string, secret: string): Credential => ({
  account: signs.some((sign) => sign.test(account)) ? undefined : account,
  secret,
});

const whole = (secret: string): Credential => ({
  account: isMasked(secret) ? undefined : (accountOfToken(secret) ?? secret),
  secret,
});

/**
 * Account in a JSON Web Token: its subject and client with their issuer. An issuer alone is the account only if it is no
 * URL or host, which has the tokens of many accounts. Returns `undefined` for other keys.
 */
function accountOfToken(token: string): string | undefined {
  const [, payload] = /^eyJ[\w-]*\.(eyJ[\w-]*)\.[\w-]*$/.exec(token) ?? [];
  if (payload === undefined) return undefined;
  try {
    const { iss, ...claims } = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')));
    const own = [claims.sub, claims.client_id, claims.azp];
    if (own.some((claim) => claim !== undefined && claim !== null)) return JSON.stringify([iss, ...own]);
    return iss === undefined || sharedIssuer.test(iss) ? undefined : JSON.stringify([iss]);
  } catch {
    return undefined;
  }
}

const sharedIssuer = /:|\/|^[a-z][\w-]*(?:\.[\w-]+)*\.[a-z]{2,}$/i;

function inQuery(query: string): Credential | undefined {
  for (const parameter of query.split('&')) {
    const [name, value] = nameAndValue(parameter);
    // The scope after the key id of a signed query has the date.
    if (signedKey.test(name) && value !== '') return constantPart(decoded(value).split('/', 1)[0] as string, value);
    if (isKeyParameter(name, value))
      return isMasked(decoded(value)) ? { account: undefined, secret: value } : whole(value);
  }
  return undefined;
}

/**
 * Returns a query without its API keys.
 * @param keyParameter name of a further parameter that has a key; empty without one
 */
export const withoutKeys = (query: string, keyParameter = ''): string =>
  query
    .split('&')
    .filter((parameter) => {
      const [name, value] = nameAndValue(parameter);
      return !isKeyParameter(name, value) && (keyParameter === '' || name !== keyParameter);
    })
    .join('&');

const isKeyParameter = (name: string, value: string): boolean =>
  value !== '' && (keyParameter.test(name) || isKeyByLength(name, value));

/** Splits a parameter of a query. Both texts are empty without `=`. */
function nameAndValue(parameter: string): [name: string, value: string] {
  const at = parameter.indexOf('=');
  return at < 0 ? ['', ''] : [parameter.slice(0, at), parameter.slice(at + 1)];
}

/** Signs of a mask: stars or dots anywhere, or brackets around it. */
const signs = [/^\*$|\*{2}|[•●∙·]{2}|…|\.{3}/, /(?:^|[=" ])(?:\[.*\]|<.*>)(?:$|[",])/];
/** Signs of a mask, and words such as `REDACTED` or `XXXX`. */
const masks = [...signs, /^(?=.{3,40}$)[A-Z]{2,}(?:_[A-Z]+)*$/, /^(?:x{4,}|redacted|masked|filtered|removed)$/i];

/**
 * Whether a program replaced a secret by a text that says nothing of it. A word such as `secret` may be a key of a test,
 * and `null` a mistake of the client.
 */
function isMasked(secret: string): boolean {
  return masks.some((mask) => mask.test(secret) || mask.test(secret.slice(secret.indexOf(' ') + 1).trim()));
}
