import type { RequestRecord } from '../../requests/request-record.js';
import { maskedKey } from '../../values/mask-key.js';
import type { Finding } from '../finding.js';

/** Names an API key in a report, which may be shared with others. Default of all reports: the masked key. */
export type NameKey = (key: string) => string;

/** Lists the names of the keys of requests, in the order of the first request. */
export const keyNames = (entries: readonly Pick<RequestRecord, 'token'>[], nameKey: NameKey): string[] => [
  ...new Set(entries.map((entry) => keyName(entry, nameKey))),
];

/** Names the key of a request. */
export const keyName = ({ token }: Pick<RequestRecord, 'token'>, nameKey: NameKey): string =>
  token ? nameKey(token) : 'no key';

/**
 * Creates a function that names the API keys of a finding's requests. The name is empty if the run has only one key.
 * @param entries the judged journal, in the order of arrival
 */
export function createFindingKeys(
  entries: readonly RequestRecord[],
  nameKey: NameKey = maskedKey,
): (finding: Pick<Finding, 'requests'>) => string {
  if (keyNames(entries, nameKey).length < 2) return () => '';
  const nameOf = new Map(entries.map((entry) => [entry.id, keyName(entry, nameKey)]));
  return ({ requests }) => [...new Set(requests.map((id) => nameOf.get(id)))].filter(Boolean).join(', ');
}
