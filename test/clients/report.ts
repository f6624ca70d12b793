import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, clients, type Setting, settingsOf } from './clients.js';
import { gauntletCount, gauntletRange, gauntletSection } from './gauntlet-report.js';
import { type Language, languages } from './languages.js';
import { anchorOf, codeBlock, table } from './markdown-parts.js';
import { type Cell, type Cells, readResults } from './results.js';
import { snippet } from './snippet.js';
import { type TrialId, trialIds, trials } from './trials.js';

const { clients: results, versions } = readResults();
const libraries = clients.filter(({ isLoop }) => !isLoop);
const loops = clients.filter(({ isLoop }) => isLoop);

const cellsOf = ({ id }: Client, setting: Setting): Cells => results[id]?.[setting] ?? {};
/** `docs/clients.md`: what `npm run clients` found, for a person in a hurry. */
export function clientsReport(): string {
  const groups = Object.keys(languages) as Language[];
  return [
    '# Which HTTP client waits as it is asked',
    '<!-- Written by `npm run clients`, which runs every client of test/clients; the results are in test/clients/results.json. -->',
    `${libraries.length} clients that others wrote were put in ${trialIds.length} situations at this service’s limits: as they come, and with the settings on this page. Each cell is a real run over HTTP with its [verdict](judging-clients.md), on ${runtimes()}.`,
    inShort(),
    ...groups.map(choice),
    '## All results',
    'As they come:',
    resultTable(clients, 'byDefault'),
    whenSet(),
    '✓ did what the service asks · ✗ did not, or gave up where waiting would have served it · waits: still holds its caller when the run is stopped · – did not get to what the column is about',
    trialIds.map((id) => `- **${trials[id].title}**: ${trials[id].legend}`).join('\n'),
    'The minute lasts seconds here, except in the column with 45 s; the day and the month are whole ones.',
    gauntletSection(),
    '## Settings',
    ...groups.flatMap(settings),
    '## Loops as they are written by hand',
    ...loops.map(loop),
    limits(),
  ]
    .join('\n\n')
    .concat('\n');
}

const runtimes = () =>
  Object.entries(versions)
    .filter(([language]) => language !== 'Command line')
    .map((pair) => pair.join(' '))
    .join(', ');

/** What holds for all of them, with the numbers of the run. */
function inShort(): string {
  const among = (trial: TrialId, is: (cell: Cell) => boolean) =>
    libraries.filter((each) => {
      const cell = cellsOf(each, 'byDefault')[trial];
      return cell !== undefined && is(cell);
    });
  const isWrong = ({ outcome }: Cell) => outcome === 'fail';
  const isEarly = ({ codes }: Cell) => codes.includes('early-retry');
  const whole = (setting: Setting) => libraries.filter((each) => wrongIn(each, setting).length === 0).length;
  const overflowing = among('month', isWrong).filter(isRightIn('minute'));
  const of = `of ${libraries.length}`;
  return [
    `- **${whole('byDefault')} ${of} are right in everything as they come; ${whole('setRight')} are with the settings below**, and with these ${gauntletRange()}.`,
    `- Best as they come: ${best().join(', ')}. In any other, copy the few lines below.`,
    `- A 429 of the minute: ${among('minute', isWrong).length} ${of} give up or come back too early. With 45 s to wait, ${among('clamped', isEarly).length} come back too early.`,
    `- Without Retry-After, X-RateLimit-Reset says how long to wait: only ${names(among('missing', ({ outcome }) => outcome === 'pass'))} reads it.`,
    `- \`Retry-After: soon\`: ${among('garbled', ({ outcome }) => outcome === 'pass').length} ${of} go by X-RateLimit-Reset instead. The others give up, come back too early, or wait for days.`,
    `- When the day is used up, ${among('day', ({ end }) => end === 'stopped').length} hold their caller for hours or go on through it. Set a longest wait, and give up beyond it.`,
    `- A wait of 30 days is more than a timer holds: ${names(overflowing)} are back at once.`,
    `- A POST that got a 429 was not stored and may be sent again: ${among('post', isWrong).length} do not, or do it too early. A POST whose answer was lost may be stored: ${among('cut', isWrong).length} send it again after a broken connection, and ${among('stored503', isWrong).length} after a 503, and store it twice.`,
  ].join('\n');
}

const names = (named: readonly Client[]) => named.map(({ name }) => name).join(', ');

const isRightIn = (trial: TrialId) => (client: Client) => cellsOf(client, 'byDefault')[trial]?.outcome === 'pass';

/** Of each language the client that is wrong in least, where it waits for the minute at all. */
const best = () =>
  (Object.keys(languages) as Language[]).flatMap((language) => {
    const [first] = byMerit(language).filter(isRightIn('minute'));
    return first === undefined ? [] : [`[${first.name}](#${anchorOf(first.name)}) (${language})`];
  });

/** The clients of a language: those that are wrong in least come first. */
const byMerit = (language: Language) =>
  libraries
    .filter((client) => client.language === language)
    .sort((a, b) => wrongIn(a, 'byDefault').length - wrongIn(b, 'byDefault').length);

/** Where it does what it must not, or holds its caller; to stop before what a trial is about is not wrong. */
const wrongIn = (client: Client, setting: Setting) =>
  trialIds.filter((id) => {
    const cell = cellsOf(client, setting)[id];
    return cell !== undefined && (cell.outcome === 'fail' || markOf(cell) === 'waits');
  });

/** Which client of a language to choose, and what to set. */
function choice(language: Language): string {
  const rows = byMerit(language).map((client) => [
    `[${client.name}](#${anchorOf(client.name)}) ${results[client.id]?.version}`.trim(),
    client.defaults,
    String(wrongIn(client, 'byDefault').length),
    `[${wrongIn(client, 'setRight').length}](#${anchorOf(client.name)})`,
    gauntletCount(client),
  ]);
  const head = [
    'Client',
    'as it comes',
    `wrong in, of ${trialIds.length}`,
    'with the settings',
    '[gauntlet](#through-the-gauntlet) passed',
  ];
  return [`## ${language}`, table(head, rows)].join('\n\n');
}

const marks = { pass: '✓', fail: '✗', inconclusive: '–' } as const;
const markOf = (cell: Cell | undefined) =>
  cell === undefined ? '' : cell.outcome === 'inconclusive' && cell.end === 'stopped' ? 'waits' : marks[cell.outcome];

function resultTable(rows: readonly Client[], setting: Setting): string {
  const body = rows.map((client) => [
    `[${client.name}](#${anchorOf(client.name)})`,
    ...trialIds.map((id) => markOf(cellsOf(client, setting)[id])),
  ]);
  return table(['', ...trialIds.map((id) => trials[id].title)], body, ':-:');
}

/** Mostly all is well with the settings, and a sentence says it. */
function whenSet(): string {
  const wrong = libraries.filter((client) => wrongIn(client, 'setRight').length > 0);
  const others = wrong.length > 0 ? ', but for these:' : '.';
  const sentence = `With the settings below all of them are right in every column${others}`;
  return [sentence, ...(wrong.length > 0 ? [resultTable(wrong, 'setRight')] : [])].join('\n\n');
}

/** How to make a program of the settings, with one that passes the gauntlet. */
const wholeProgram = readFileSync(join(import.meta.dirname, 'whole-program.md'), 'utf8').trim();

function settings(language: Language): string[] {
  const { folder, shared, highlight } = languages[language];
  const common = shared.map(({ file, region }) => snippet(`${folder}/${file}`, region));
  const own = libraries.filter((client) => client.language === language);
  return [
    `### What the ${language} settings share`,
    codeBlock(highlight, common.join('\n\n')),
    ...(language === 'Node' ? [wholeProgram] : []),
    ...own.flatMap(section),
  ];
}

function section(client: Client): string[] {
  const { folder, file, highlight } = languages[client.language];
  const { name, id, defaults, note } = client;
  return [
    `### ${name}`,
    `As it comes: ${defaults}.`,
    sentences(client, 'byDefault'),
    'Set right:',
    codeBlock(highlight, snippet(`${folder}/${file(id)}`, 'set right')),
    note ?? '',
    sentences(client, 'setRight'),
  ].filter((part) => part !== '');
}

const loop = (client: Client) =>
  [`### ${client.name}`, `${capital(client.defaults)}.`, sentences(client, 'byDefault')].join('\n\n');

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** What it did where it was not right: the statuses, the seconds between them, and the findings. */
function sentences(client: Client, setting: Setting): string {
  const cells = cellsOf(client, setting);
  return wrongIn(client, setting)
    .flatMap((id) => {
      const cell = cells[id];
      return cell === undefined ? [] : [`- **${trials[id].title}**: ${shown(cell)}${codesOf(cell)}`];
    })
    .join('\n');
}

/** `429 3.1 200` as a sentence of steps: `429, after 3.1 s 200`. */
function shown({ run, end }: Cell): string {
  const steps = run
    .replace(/ and (\d+) more$/, ', and $1 more')
    .replace(/ (\d+\.\d) (\d+)/g, ', after $1 s $2')
    .replace(/\b0(?=,|$)/g, 'no answer');
  return `${steps}${{ ok: '', error: '; then an error for its caller', stopped: '; still waiting' }[end]}`;
}

const codesOf = ({ codes }: Cell) => (codes.length > 0 ? ` (${codes.map((code) => `\`${code}\``).join(', ')})` : '');

/** Where times and headers say something else than the verdict, and what neither can know. */
function limits(): string {
  const runs = clients.flatMap((client) =>
    settingsOf(client).flatMap((setting) =>
      trialIds.map((id) => ({ client, setting, id, cell: cellsOf(client, setting)[id] })),
    ),
  );
  const others = runs.flatMap(({ client, setting, id, cell }) => {
    if (cell?.otherwise === undefined) return [];
    const where = setting === 'setRight' ? ', set right' : '';
    return [
      `- ${client.name}${where}, **${trials[id].title}**: the verdict is ${cell.outcome}; ${cell.otherwise}. ${shown(cell)}`,
    ];
  });
  return [
    '## What the judge cannot know',
    `Each run was read a second time, from its times, statuses and headers, by code that shares nothing with the judge. Of ${runs.length} runs it says otherwise in ${others.length}${others.length > 0 ? ':' : '.'}`,
    ...(others.length > 0 ? [others.join('\n')] : []),
    [
      'Neither can know:',
      '',
      '- whether a client that gives up tells its caller: here its program ends with an exit code other than 0, as yours must;',
      '- whether a client reads Retry-After or waits by chance: it is asked for 2, 3 and 45 s here, and a fixed wait fails one of them;',
      '- whether a random wait is always long enough: one run is one throw. The twenty waits are there for that;',
      '- whether the service tells a repeated POST by a key that the client sends with it, as Stripe’s does. This service’s document has no such key, so the pet is there twice;',
      '- whether a GET that was answered 503 should be sent again: who does, must wait for its Retry-After; who does not and says so is not judged.',
    ].join('\n'),
  ].join('\n\n');
}
