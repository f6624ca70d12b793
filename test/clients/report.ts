import { readFileSync } from 'node:fs';
import { type Cell, type Cells, clients, type MatrixClient } from './clients.js';
import { type TrialId, trials } from './trials.js';

/** The trials in the order of the report: what happens every day first. */
const order: readonly TrialId[] = ['minute', 'missing', 'date', 'day', 'ban', 'expired', 'post', 'cut', 'stored503'];

const legend: Record<TrialId, string> = {
  minute: 'one request too many; `Retry-After: 3`',
  missing: 'the same without Retry-After, nine seconds long; X-RateLimit-Reset is there',
  date: '`Retry-After: Thu, 01 Jan 2026 12:00:03 GMT`',
  day: 'the day’s quota is gone; `Retry-After` is a day',
  ban: '`Retry-After: 9`; the third early request bans the key',
  expired: 'the key expires during the wait: a 429, then a 401',
  post: 'a POST is answered 429, so nothing is stored',
  cut: 'the pet is stored, and the connection breaks before the answer',
  stored503: 'the pet is stored, and the answer is a 503',
};

const marks = { pass: '✓', fail: '✗', inconclusive: 'waits' } as const;
const all: readonly MatrixClient[] = Object.values(clients);

/** `docs/clients.md`: what matrix.test.ts holds to be true, for a person in a hurry. */
export function clientsReport(): string {
  const libraries = all.filter(({ setRight }) => setRight !== undefined);
  const rightByDefault = libraries.filter(({ cells }) => Object.keys(cells).length === 0);
  const rightWhenSet = libraries.filter(({ setRight }) => Object.keys(setRight?.cells ?? {}).length === 0);
  const notWhenSet = libraries.filter((client) => !rightWhenSet.includes(client)).map(({ name }) => name);
  return [
    '# How HTTP clients behave at this service’s limits',
    '<!-- Written by `npx vitest run test/clients/report.test.ts -u` from test/clients/clients.ts; matrix.test.ts runs every cell. -->',
    `${rightByDefault.length} of ${libraries.length} libraries and tools are right in all ${order.length} situations as they come; ${rightWhenSet.length} are with the settings below (not ${notWhenSet.join(', ')}).`,
    [
      '- All that read Retry-After wait out the seconds of these runs; undici cuts every wait at 30 s, so in a real minute it comes back too early.',
      '- None tells a minute from a day: they hold the caller for a day, or come back too early. Set a longest wait.',
      '- Most never repeat a POST that got a 429, though nothing was stored. Some repeat one whose answer was lost, and store it twice.',
      '- Where Retry-After is missing, only ky reads X-RateLimit-Reset.',
    ].join('\n'),
    table(({ cells }) => cells, all),
    'With the settings below:',
    table(({ setRight }) => setRight?.cells ?? {}, libraries),
    '✓ did what the service asks · ✗ did not, or gave up where waiting would have served it · waits: still holds its caller, half a minute later · – stops before what the column is about',
    order.map((id) => `- **${trials[id].title}**: ${legend[id]}`).join('\n'),
    'Every cell is a real run over HTTP against a simulator, with windows of seconds instead of a minute; only the day is a whole one.',
    '## What an answer asks',
    'The settings below share this:',
    snippet({ file: 'set-right.ts', regions: ['askedWaitMs'] }),
    ...all.map(section),
  ]
    .join('\n\n')
    .concat('\n');
}

function table(cellsOf: (client: MatrixClient) => Cells, rows: readonly MatrixClient[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const body = rows.map((client) =>
    line([
      `[${client.name}](#${anchorOf(client.name)})`,
      ...order.map((id) => cellsOf(client)[id]?.mark ?? marks[cellsOf(client)[id]?.outcome ?? 'pass']),
    ]),
  );
  return [line(['', ...order.map((id) => trials[id].title)]), line(['---', ...order.map(() => ':-:')]), ...body].join(
    '\n',
  );
}

/** As GitHub makes them from headings. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

function section(client: MatrixClient): string {
  const { name, defaults, read, cells, setRight, shows } = client;
  const version = versionOf(client);
  return [
    `## ${name}`,
    [version, defaults].filter(Boolean).join(' '),
    sentences(cells),
    shows && snippet(shows),
    setRight && ['Set right:', snippet(setRight.snippet), setRight.note, sentences(setRight.cells ?? {})],
    read && `<sub>Read in ${read}.</sub>`,
  ]
    .flat()
    .filter(Boolean)
    .join('\n\n');
}

const sentences = (cells: Cells) =>
  order
    .flatMap((id) => {
      const cell = cells[id];
      return cell === undefined ? [] : [`- **${trials[id].title}**: ${cell.why}${codes(cell)}`];
    })
    .join('\n');

const codes = ({ codes }: Cell) => (codes.length > 0 ? ` (${codes.map((code) => `\`${code}\``).join(', ')})` : '');

/** Of the lockfile for npm; of Debian 12, where the matrix was read and run, for the others. */
const debianVersions = { curl: '7.88.1', 'python3-urllib3': '1.26.12' };

function versionOf({ npm, debian }: MatrixClient): string {
  if (debian !== undefined) return `\`${debian}\` ${debianVersions[debian]}.`;
  if (npm === undefined) return '';
  const { version } = JSON.parse(read(`../../node_modules/${npm}/package.json`));
  return `\`${npm}\` ${version}.`;
}

/** The lines between `doc: REGION` and `end`, which are the code that runs. */
function snippet({ file, regions }: { file: string; regions: readonly string[] }): string {
  const lines = read(file).split('\n');
  const code = regions.flatMap((region) => {
    const start = lines.findIndex((line) => /^(\/\/|#) doc: /.test(line) && line.endsWith(` ${region}`)) + 1;
    const end = lines.findIndex((line, index) => index >= start && /^(\/\/|#) end$/.test(line));
    return lines.slice(start, end);
  });
  const language = file.endsWith('.py') ? 'python' : 'ts';
  return `\`\`\`${language}\n${code.join('\n').trim()}\n\`\`\``;
}

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
