import { anchorOf } from '../../src/judge/client-settings.js';
import { type Client, clients, settingsOf } from './clients.js';
import { gauntletRange, gauntletSection } from './gauntlet-report.js';
import { type Language, languages } from './languages.js';
import { table } from './markdown-parts.js';
import { type Cell, type Cells, readResults } from './results.js';
import { contents, settingsPage } from './settings-report.js';
import { type TrialId, trialIds, trials } from './trials.js';

const { clients: results, versions } = readResults();
const libraries = clients.filter(({ isLoop }) => !isLoop);
const loops = clients.filter(({ isLoop }) => isLoop);
const groups = Object.keys(languages) as Language[];

const source =
  '<!-- Written by `npm run clients`, which runs every client of test/clients; the results are in test/clients/results.json. -->';

/** Pages that `npm run clients` writes, by path from the root of the repository. */
export const clientsPages = (): Record<string, string> => ({
  'docs/clients.md': page(overview()),
  ...Object.fromEntries(
    groups.map((language) => [
      `docs/clients/${languages[language].folder}.md`,
      page(settingsPage(language, libraries, source)),
    ]),
  ),
});

const page = (parts: readonly string[]) => parts.join('\n\n').concat('\n');

const overview = (): string[] => [
  '# HTTP clients and Retry-After',
  source,
  `This page lists what ${libraries.length} HTTP clients do by default after a 429, during a ban and after a lost response, and links to the settings with which each of them passes.`,
  contents([
    'Which setting makes a library honor Retry-After?',
    'Findings',
    'Trials',
    'Gauntlet',
    'Retry loops without a library',
    'Limits of these results',
  ]),
  '## Which setting makes a library honor Retry-After?',
  'Follow the link of the library, or run `petstore-sim fix NAME`: both have the code to copy. The columns show its behavior without that code, by default or with the option next to its name.',
  behaviorTable(groups.flatMap(byMerit)),
  `✓ correct · ✗ wrong · “still waits”: the caller was blocked when the trial ended, ${watched('day')} after the 429 of a day and ${watched('month')} after that of a month, which counts as wrong. A library with a maximum wait above that retries too early later, such as undici after 30 s.`,
  '## Findings',
  findings(),
  '## Trials',
  `Each client ran in ${trialIds.length} situations (trials), with a real HTTP connection and the [verdict](judging-clients.md) of the simulator. The runtimes were ${runtimes()}.`,
  trialIds.map((id, index) => `${index + 1}. **${trials[id].title}**: ${trials[id].legend}`).join('\n'),
  'The one-minute window is shortened to a few seconds, except for the wait of 45 s. The day and the month keep their length.',
  gauntletSection(),
  '## Retry loops without a library',
  'These loops are common in applications. None of them passes:',
  loops
    .map(
      (loop) => `- **${loop.name}**: ${loop.defaults}; wrong in ${wrongIn(loop).length} of ${trialIds.length} trials`,
    )
    .join('\n'),
  limits(),
];

const cellsOf = ({ id }: Client, setting: 'byDefault' | 'setRight' = 'byDefault'): Cells =>
  results[id]?.[setting] ?? {};

const runtimes = () =>
  Object.entries(versions)
    .filter(([language]) => language !== 'Command line')
    .map((pair) => pair.join(' '))
    .join(', ');

/** Trials in which a client failed or blocked its caller. An early end is no mistake. */
const wrongIn = (client: Client, setting?: 'setRight') =>
  trialIds.filter((id) => {
    const cell = cellsOf(client, setting)[id];
    return cell !== undefined && (cell.outcome === 'fail' || markOf(cell) === 'waits');
  });

/** The clients of a language; the fewest mistakes first. */
const byMerit = (language: Language) =>
  libraries.filter((client) => client.language === language).sort((a, b) => wrongIn(a).length - wrongIn(b).length);

const marks = { pass: '✓', fail: '✗', inconclusive: '–' } as const;
const markOf = (cell: Cell | undefined) =>
  cell === undefined ? '' : cell.outcome === 'inconclusive' && cell.end === 'stopped' ? 'waits' : marks[cell.outcome];

/** A library's name, with a link to its settings. */
const linked = ({ name, language }: Client) => `[${name}](clients/${languages[language].folder}.md#${anchorOf(name)})`;

function behaviorTable(rows: readonly Client[]): string {
  const head = [
    'Library',
    '429 with Retry-After',
    '429 without Retry-After',
    'Daily quota used up',
    'Ban of 30 days',
    'POST after a 429',
    'POST whose response is lost',
    `Wrong of ${trialIds.length}`,
  ];
  const body = rows.map((client) => {
    const cells = cellsOf(client);
    return [
      [linked(client), results[client.id]?.version, client.option, `(${client.language})`].filter(Boolean).join(' '),
      behavior(cells.minute, `waits (${formats(cells)})`),
      behavior(cells.missing, 'waits for X-RateLimit-Reset'),
      behavior(cells.day, 'gives up', 'still waits'),
      behavior(cells.month, 'gives up', 'still waits'),
      behavior(cells.post, 'retries'),
      lostPost(cells),
      String(wrongIn(client).length),
    ];
  });
  return table(head, body);
}

/** Time for which a client was watched in a trial. */
const watched = (id: TrialId) => `${trials[id].watchMs / 1000} s`;

/** One cell in words; `passed` describes the correct behavior of its trial. */
function behavior(cell: Cell | undefined, passed: string, waiting = 'waits'): string {
  if (cell === undefined) return '';
  const mark = markOf(cell);
  if (mark === 'waits') return waiting;
  if (mark !== '✗') return `${mark} ${mark === '✓' ? passed : ''}`.trim();
  return cell.codes.includes('early-retry') ? '✗ retries too early' : '✗ gives up';
}

/** Forms of Retry-After that a client reads. */
const formats = ({ date, clamped }: Cells) =>
  `number${date?.outcome === 'pass' ? ' or date' : ''}${clamped?.codes.includes('early-retry') ? ', only below 45 s' : ''}`;

/** Behavior after the two trials in which the service stores a pet and the client gets no success. */
function lostPost({ cut, stored503 }: Cells): string {
  const [cutTwice, refusedTwice] = [cut?.outcome === 'fail', stored503?.outcome === 'fail'];
  if (cutTwice && refusedTwice) return '✗ stored twice';
  if (cutTwice) return '✗ stored twice (connection cut)';
  return refusedTwice ? '✗ stored twice (503)' : '✓ no retry';
}

/** Facts about all libraries, with the figures of the results. */
function findings(): string {
  const among = (trial: TrialId, is: (cell: Cell) => boolean) =>
    libraries.filter((each) => {
      const cell = cellsOf(each)[trial];
      return cell !== undefined && is(cell);
    });
  const isWrong = ({ outcome }: Cell) => outcome === 'fail';
  const isPassed = ({ outcome }: Cell) => outcome === 'pass';
  const isEarly = ({ codes }: Cell) => codes.includes('early-retry');
  const correct = (setting?: 'setRight') => libraries.filter((each) => wrongIn(each, setting).length === 0).length;
  const overflowing = among('month', isWrong).filter((client) => cellsOf(client).minute?.outcome === 'pass');
  const of = `of ${libraries.length}`;
  return [
    `- **${correct()} ${of} pass every trial by default; ${correct('setRight')} pass with their settings.** With the settings, ${gauntletRange()}.`,
    `- Minute window used up: ${among('minute', isWrong).length} ${of} give up or retry too early. With a wait of 45 s, ${among('clamped', isEarly).length} retry too early.`,
    `- No Retry-After: only ${names(among('missing', isPassed))} reads X-RateLimit-Reset instead.`,
    `- \`Retry-After: soon\`: ${among('garbled', isPassed).length} ${of} read X-RateLimit-Reset instead. The others give up, retry too early or still wait after ${watched('garbled')}.`,
    `- Daily quota used up: ${among('day', ({ end }) => end === 'stopped').length} ${of} still wait after ${watched('day')}. Set a maximum wait and give up beyond it.`,
    `- A wait of 30 days overflows a 32-bit timer: ${names(overflowing)} retry at once.`,
    `- A POST with a 429 was not stored and can be sent again: ${among('post', isWrong).length} ${of} do not retry it, or retry too early.`,
    `- A POST without a response may be stored: ${among('cut', isWrong).length} ${of} send it again after a broken connection, ${among('stored503', isWrong).length} after a 503. The pet then exists twice.`,
  ].join('\n');
}

const names = (named: readonly Client[]) => named.map(({ name }) => name).join(', ');

/** Runs on which verdict and headers disagree, and the questions that both leave open. */
function limits(): string {
  const runs = clients.flatMap((client) =>
    settingsOf(client).flatMap((setting) =>
      trialIds.map((id) => ({ client, setting, id, cell: cellsOf(client, setting)[id] })),
    ),
  );
  const others = runs.flatMap(({ client, setting, id, cell }) => {
    if (cell?.otherwise === undefined) return [];
    const where = setting === 'setRight' ? ' with its settings' : '';
    return [
      `- ${client.name}${where}, **${trials[id].title}**: the verdict is ${cell.outcome}; ${cell.otherwise}: \`${cell.run}\``,
    ];
  });
  return [
    '## Limits of these results',
    `A second reading of the times, statuses and headers, which shares no code with the judge, disagrees in ${others.length} of ${runs.length} runs${others.length > 0 ? ':' : '.'}`,
    ...(others.length > 0 ? [others.join('\n')] : []),
    [
      'No verdict covers these questions:',
      '',
      '- Does a client that gives up report an error to its caller? These programs exit with a code other than 0, and yours must too.',
      '- Does the service recognize a repeated POST by an idempotency key, as Stripe does? This API has no such key, so the pet exists twice.',
      '- Should a GET be sent again after a 503? A client that retries must wait for Retry-After; a client that reports the error passes.',
    ].join('\n'),
  ].join('\n\n');
}
