import type { ObservedRequest } from '../requests/request-record.js';
import { groupBy } from '../values/group-by.js';
import {
  anchorOf,
  type ClientPage,
  type ClientSettings,
  clientSettings,
  type SettingKind,
  settingKinds,
} from './client-settings.js';
import type { Finding, Remedy } from './finding.js';

/** Names of the packages on which a client's project depends, by the page of docs/clients of their language. */
export type Dependencies = Partial<Record<ClientPage, ReadonlySet<string>>>;

type SentRequest = Pick<ObservedRequest, 'id' | 'client' | 'isWrite' | 'status'>;

/**
 * Lists the libraries that sent the requests of failures and warnings, with the settings that end these findings.
 * @param requests requests of the run, with the User-Agents that name the library
 * @param dependencies dependencies of the client's project; without them, a User-Agent that names only a runtime, such
 * as `node`, may be that of the runtime's own client
 */
export function remediesFor(
  findings: readonly Finding[],
  requests: readonly SentRequest[],
  dependencies?: Dependencies,
): Remedy[] {
  const faults = findings.filter(isFault);
  if (faults.length === 0) return [];
  const byId = new Map(requests.map((request) => [request.id, request]));
  const kinds = new Map<string | undefined, Set<SettingKind>>();
  for (const { code, requests: ids } of faults) {
    const kind = settingKinds[code];
    const sent = ids.flatMap((id) => byId.get(id) ?? []);
    if (kind === undefined || (code === 'gave-up' && sent.some(isUncertainWrite))) continue;
    for (const { client } of sent) kinds.set(client, (kinds.get(client) ?? new Set()).add(kind));
  }
  return mergeRemedies(
    [...kinds].flatMap(([userAgent, needed]) =>
      clientsOf(userAgent, dependencies, [...needed]).map((client) => remedyOf(client, [...needed])),
    ),
  );
}

/** Whether a finding reports a mistake. A client that gives up and reports the error is right, and needs no setting. */
const isFault = ({ severity }: Finding) => severity === 'fail' || severity === 'warn';

/** Whether a write may be stored. Its caller needs an error, and no setting that retries it is right. */
const isUncertainWrite = ({ isWrite, status }: SentRequest) => isWrite && (status < 400 || status >= 500);

const remedyOf = (
  { name, dependency, isBuiltIn, settings }: ClientSettings,
  kinds: readonly SettingKind[],
): Remedy => ({
  client: name,
  isCertain: dependency === undefined && !isBuiltIn,
  settings: kinds.flatMap((kind) => settings[kind] ?? []),
  fix: anchorOf(name),
});

/** Combines the remedies of several runs: one for each library, with each of its settings once. */
export const mergeRemedies = (remedies: readonly Remedy[]): Remedy[] =>
  [...groupBy(remedies, ({ fix }) => fix).values()].map((alike) => {
    const settings = [...new Set(alike.flatMap((remedy) => remedy.settings))];
    // A setting that begins another one says nothing more.
    const isWhole = (setting: string) => !settings.some((other) => other !== setting && other.startsWith(setting));
    return { ...(alike[0] as Remedy), settings: settings.filter(isWhole) };
  });

const known: readonly ClientSettings[] = Object.values(clientSettings);

/**
 * Lists the libraries that send a User-Agent. Where several send the same one, these are the project's dependencies
 * among them.
 */
function clientsOf(
  userAgent: string | undefined,
  dependencies: Dependencies | undefined,
  kinds: readonly SettingKind[],
): ClientSettings[] {
  const alike = known.filter(
    (client) =>
      (userAgent === undefined ? client.userAgent === undefined : client.userAgent?.test(userAgent)) &&
      kinds.every((kind) => client.settings[kind] !== undefined),
  );
  const installed = alike.filter(({ dependency = '', page }) => dependencies?.[page]?.has(dependency));
  if (installed.length > 0) return installed;
  const plain = alike.find(({ dependency }) => dependency === undefined);
  return plain === undefined ? [] : [plain];
}
