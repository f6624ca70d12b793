import type { JournalEntry } from '../control-api/journal-entry.js';
import { type Cost, describeCost, worstCosts } from '../judge/cost.js';
import type { Finding } from '../judge/finding.js';
import { pathWithQuery, requestTarget } from '../values/request-target.js';
import type { Row } from './entry-buffer.js';
import { clockTime, firstSentence } from './format.js';

/**
 * Request of the journal that the dashboard copies to the clipboard as a `curl` command, a scenario or a test. Optional
 * fields may be missing in a request from a file.
 */
export type CopiedEntry = Pick<
  JournalEntry,
  'method' | 'path' | 'query' | 'status' | 'time' | 'strikes' | 'id' | 'episode' | 'durationMs'
> &
  Partial<JournalEntry>;

/** Quotes a text for a shell. */
export const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Headers that are not copied, as the program that runs the copy sends its own. */
const notCopied = /^(user-agent|accept: \*\/\*$)/;

/** Returns the request headers that a copied command or test repeats, also that of the key. */
export const repeatedHeaders = ({ key, requestHeaders, requestBody }: CopiedEntry): [name: string, value: string][] =>
  // An entry from an older file has no request headers.
  Object.entries(
    requestHeaders ?? {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(requestBody && { 'content-type': 'application/json' }),
    },
  ).filter(([name, value]) => !notCopied.test(`${name}: ${value}`));

/** Formats a header for `curl`. The rest of a masked or cut value is read from a shell variable, such as `$X_API_KEY`. */
const curlHeader = (name: string, value: string, variable = name.toUpperCase().replace(/\W/g, '_')): string =>
  `-H ${quoted(`${name}: ${value}`).replace(/….*/s, () => `'"$${variable}"`)}`;

/**
 * Formats a request from the journal as a `curl` command.
 * @param baseUrl base URL of the API, for a request that contains none
 */
export function asCurl(entry: CopiedEntry, baseUrl: string): string {
  const address = `${entry.baseUrl ?? baseUrl}${pathWithQuery(entry)}`;
  const { method, requestBody } = entry;
  const parts = ['curl -i'];
  if (method === 'HEAD') parts.push('-I');
  else if (method !== (requestBody ? 'POST' : 'GET')) parts.push(`-X ${method}`);
  // Stops `curl` from expanding brackets and from removing `/../` in the URL.
  if (/[[\]{}]|\/\.\.?(?:[/?]|$)/.test(address)) parts.push('--globoff --path-as-is');
  // A masked value of the query is read from a shell variable as well.
  parts.push(quoted(address).replace(/=…[^&']*/g, `='"$$API_KEY"'`));
  for (const [name, value] of repeatedHeaders(entry))
    parts.push(curlHeader(name, value, entry.key && value.endsWith(entry.key) ? 'API_KEY' : undefined));
  if (requestBody) parts.push(`--data-raw ${quoted(requestBody.text)}`);
  return [...missingFrom(entry).map((text) => `# ${text}\n`), parts.join(' ')].join('');
}

/** Formats a request as Markdown for an issue or a chat: response, steps that led to it, and the request as a command. */
export const requestAsMarkdown = (entry: CopiedEntry, baseUrl: string): string =>
  `### ${entry.status || 'No response'} to ${requestTarget(entry)} (request ${entry.id})

${(entry.why ?? []).map(({ result, text }) => `- ${result}: ${text}\n`).join('') || `${entry.inShort ?? 'served'}\n`}
\`\`\`sh
${asCurl(entry, baseUrl)}
\`\`\`
`;

/** Names the parts of a request that the journal lacks, which a copied command cannot repeat. */
export function missingFrom({ method, requestBody, headers }: CopiedEntry): string[] {
  if (requestBody?.truncated) return ['The journal contains only the start of its body.'];
  return headers === undefined && method !== 'GET' ? ['The journal no longer contains its body, if it had one.'] : [];
}

/** Maximum number of requests in the Markdown text of a finding, which the dashboard copies to the clipboard. */
const maximumRows = 3;

/**
 * Formats a finding as Markdown for an issue or a chat: sentence, first requests with their waits, measurement.
 * @param rows the finding's requests
 * @param link URL of the finding, if it has one
 */
export function asMarkdown(
  finding: Finding,
  of: { key: string; scenario: string; rows: Row[]; link?: string; costs?: readonly Cost[] | undefined },
): string {
  const { code, severity, text, measured, allowed } = finding;
  const { key, scenario, rows, link, costs = [] } = of;
  const cost = worstCosts(costs.filter((each) => each.requests.some((id) => finding.requests.includes(id))))[0];
  const [first, advice] = firstSentence(text);
  const cell = (value: string) => value.replaceAll('|', '\\|');
  const lines = rows.slice(0, maximumRows).map((row) => {
    const { id, atMs, status, after } = row;
    const waited = after === undefined ? '' : `${after.waitedMs} ms`;
    const waitText = after?.waitMs === undefined ? '' : `${after.waitMs} ms`;
    const cells = [`${id}`, clockTime(atMs), `\`${requestTarget(row)}\``, `${status}`, waited, waitText];
    return `| ${cells.map(cell).join(' | ')} |`;
  });
  const more = rows.length > maximumRows ? `\nand ${rows.length - maximumRows} more requests\n` : '';
  return `### ${code} (${severity})${key && ` of ${key}`}

${first}

| request | time | | status | waited | told to wait |
|---|---|---|---|---|---|
${lines.join('\n')}
${more}
${advice && `${advice}\n\n`}${cost ? `${describeCost(cost, key || 'the key')}\n\n` : ''}${measured}; allowed: ${allowed}. Scenario ${scenario}.${link ? ` ${link}` : ''}
`;
}
