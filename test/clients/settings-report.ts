import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SettingKind, settingKinds } from '../../src/judge/client-settings.js';
import { type Client, tableOf } from './clients.js';
import { type Language, languages } from './languages.js';
import { codeBlock, table } from './markdown-parts.js';
import { readResults } from './results.js';
import { wholeFile } from './snippet.js';
import { trialIds } from './trials.js';

const { clients: results } = readResults();

/** A whole program with the Node settings, which passes the gauntlet. */
const wholeProgram = readFileSync(join(import.meta.dirname, 'whole-program.md'), 'utf8').trim();

/** Options of a run whose first request is a 429 with a short wait. */
const usedUp = '--set windows.minute=5s --set keys.free-key.usage.minute=60';

/** The settings of a language's clients: shared functions first, then the code of each client. */
export function settingsPage(language: Language, libraries: readonly Client[], source: string): string[] {
  const { folder, shared, saved, highlight } = languages[language];
  const title = language === 'Command line' ? 'curl and wget' : `${language} clients`;
  return [
    `# ${title}: settings for Retry-After`,
    source,
    `With this code, ${language === 'Command line' ? 'curl and wget' : `these ${language} clients`} pass all ${trialIds.length} trials of [HTTP clients and Retry-After](../clients.md). They wait for Retry-After, or for X-RateLimit-Reset if Retry-After is missing or invalid, and give up if the wait exceeds a minute. They send a POST again only after a 429.`,
    findingsOfKinds,
    contents([
      'Shared functions',
      ...libraries.filter((client) => client.language === language).map(({ name }) => name),
    ]),
    '## Shared functions',
    `Save this as \`${saved.shared}\`, and the code of a client below as \`${saved.client}\` in the same folder. The code is a whole program, which lists pets once.${saved.build === undefined ? '' : ` After \`${saved.build}\`,`} \`npx petstore-sim exec ${usedUp} -- ${saved.command}\` runs it with a key that has used up its minute.`,
    codeBlock(highlight, shared.map(({ file, region }) => wholeFile(`${folder}/${file}`, region)).join('\n\n')),
    ...(language === 'Node' ? [wholeProgram] : []),
    ...libraries.filter((client) => client.language === language).flatMap(section),
  ];
}

/** Links to the parts of a page. */
export const contents = (headings: readonly string[]): string =>
  headings
    .map(
      (heading) =>
        `- [${heading}](#${heading
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(' ', '-')})`,
    )
    .join('\n');

/** Settings by kind, as the tables of the pages name them. */
const kinds: Record<SettingKind, string> = { wait: 'Wait', retry: 'Retry', noRepeat: 'No repetition' };

/** The kinds with the findings that they end. */
const findingsOfKinds = [
  'The table of each client names the code that ends a [finding](../judging-clients.md#what-the-outcome-means) of the judge:\n',
  ...Object.entries(kinds).map(([kind, label]) => {
    const codes = Object.entries(settingKinds).flatMap(([code, of]) => (of === kind ? [`\`${code}\``] : []));
    return `- **${label}**: ${codes.join(', ')}`;
  }),
].join('\n');

/** A client's settings by kind; a row for several kinds with one setting. */
function settingsTable(client: Client): string {
  const { settings = {} } = tableOf(client) ?? {};
  const lines = [...new Set(Object.values(settings))];
  const labels = (line: string) =>
    (Object.keys(kinds) as SettingKind[]).filter((kind) => settings[kind] === line).map((kind) => kinds[kind]);
  return table(
    ['For', 'Setting'],
    lines.map((line) => [labels(line).join(', '), line]),
  );
}

function section(client: Client): string[] {
  const { name, id, language, option, defaults, note } = client;
  const { folder, file, highlight } = languages[language];
  const version = results[id]?.version ? ` of ${results[id]?.version}` : '';
  return [
    `## ${name}`,
    `Behavior${version} ${option ?? 'by default'}: ${defaults}.`,
    settingsTable(client),
    codeBlock(highlight, wholeFile(`${folder}/${file(id)}`, 'set right')),
    ...(note === undefined ? [] : [note]),
  ];
}
