import type { ObservedRequest } from '../requests/request-record.js';
import { anchorOf, type ClientPage, type ClientSettings, clientSettings, settingKinds } from './client-settings.js';
import type { Finding } from './finding.js';

/** Names of the packages on which a client's project depends, by the page of docs/clients of their language. */
export type Dependencies = Partial<Record<ClientPage, ReadonlySet<string>>>;

type SentRequest = Pick<ObservedRequest, 'id' | 'client' | 'isWrite' | 'status'>;

/**
 * Adds to each failure and warning the setting of the client's library that ends it, if one is known.
 * @param requests requests of the run, with the User-Agents that name the library
 * @param dependencies dependencies of the client's project; without them, a User-Agent that names only a runtime, such
 * as `node`, names no library
 */
export function withRemedies(
  findings: readonly Finding[],
  requests: readonly SentRequest[],
  dependencies?: Dependencies,
): Finding[] {
  if (!findings.some(isFault)) return [...findings];
  const byId = new Map(requests.map((request) => [request.id, request]));
  return findings.map((finding) => {
    const sent = finding.requests.flatMap((id) => byId.get(id) ?? []);
    const remedy = isFault(finding) ? remedyOf(finding, sent, dependencies) : undefined;
    return remedy === undefined ? finding : { ...finding, remedy };
  });
}

/** Whether a finding reports a mistake. A client that gives up and reports the error is right, and needs no setting. */
const isFault = ({ severity }: Finding) => severity === 'fail' || severity === 'warn';

function remedyOf({ code }: Finding, sent: readonly SentRequest[], dependencies: Dependencies | undefined) {
  const kind = settingKinds[code];
  if (kind === undefined || (code === 'gave-up' && sent.some(isUncertainWrite))) return undefined;
  const lines = new Set(
    [...new Set(sent.map(({ client }) => client))].map((userAgent) => {
      const client = clientOf(userAgent, dependencies, kind);
      const setting = client?.settings[kind];
      if (client === undefined || setting === undefined) return undefined;
      const { name, page, dependency, isBuiltIn } = client;
      const isCertain = dependency === undefined && !isBuiltIn;
      return `${isCertain ? '' : 'if you use '}${name}: ${setting}; see docs/clients/${page}.md#${anchorOf(name)}`;
    }),
  );
  const [line] = lines;
  return lines.size === 1 ? line : undefined;
}

/** Whether a write may be stored. Its caller needs an error, and no setting that retries it is right. */
const isUncertainWrite = ({ isWrite, status }: SentRequest) => isWrite && (status < 400 || status >= 500);

const known: readonly ClientSettings[] = Object.values(clientSettings);

/** Finds the library by its User-Agent, and where several send the same one, by the only one that is a dependency. */
function clientOf(
  userAgent: string | undefined,
  dependencies: Dependencies | undefined,
  kind: keyof ClientSettings['settings'],
): ClientSettings | undefined {
  const alike = known.filter((client) =>
    userAgent === undefined ? client.userAgent === undefined : client.userAgent?.test(userAgent),
  );
  const installed = alike.filter(({ dependency = '', page }) => dependencies?.[page]?.has(dependency));
  if (installed.length === 1) return installed[0];
  return alike.find(
    ({ dependency, isBuiltIn, settings }) =>
      dependency === undefined &&
      settings[kind] !== undefined &&
      (!isBuiltIn || (dependencies !== undefined && installed.length === 0)),
  );
}
