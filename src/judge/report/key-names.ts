import type { RequestRecord } from '../../requests/request-record.js';
import { maskedKey } from '../../values/mask-key.js';
import type { Finding } from '../finding.js';

/** API keys of the default scenario and of `petstore-sim demo`, which the documentation publishes. */
export const publicKeys = [
  ...['free-key', 'pro-key', 'business-key', 'enterprise-key', 'revoked-key'],
  ...['wrong-client', 'right-client'],
];

/**
 * Names API keys in reports, which may be shared with others. The public keys appear in full, and all other keys
 * masked. Equal masked names get numbers.
 * @param tokens API keys in the order in which equal masked names are numbered
 */
export function keyNames(tokens: Iterable<string | undefined>): Map<string | undefined, string> {
  const names = new Map<string | undefined, string>();
  const taken = new Map<string, number>();
  for (const token of tokens) {
    if (names.has(token)) continue;
    const name = token === undefined ? 'no key' : publicKeys.includes(token) ? token : maskedKey(token);
    const number = (taken.get(name) ?? 0) + 1;
    taken.set(name, number);
    names.set(token, number === 1 ? name : `${name} (${number})`);
  }
  return names;
}

/**
 * Creates a function that names the API keys of a finding's requests. The name is empty if the run has only one key.
 * @param entries the judged journal, in the order of arrival
 */
export function createFindingKeys(entries: readonly RequestRecord[]): (finding: Pick<Finding, 'requests'>) => string {
  const names = keyNames(entries.map(({ token }) => token));
  if (names.size < 2) return () => '';
  const nameOf = new Map(entries.map(({ id, token }) => [id, names.get(token)]));
  return ({ requests }) => [...new Set(requests.map((id) => nameOf.get(id)))].filter(Boolean).join(', ');
}
