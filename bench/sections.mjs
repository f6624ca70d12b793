/** Formats the results as tables, each with a title and an explanation. Omits parts that were not measured. */
import { measuredPeers, ofLimit, onSameNode, ratioOfPair } from './figures.mjs';
import { number, table, times } from './markdown.mjs';

const isOurs = ({ group }) => group === 'ours';
const bold = (row) => (isOurs(row) ? `**${row.name}**` : row.name);
const withNode = (row) => (row.on !== '20' && !row.name.includes('Node') ? `${row.name} (Node ${row.on})` : bold(row));

/** Creates the table of petstore-sim's configurations, with one column per kind of load. */
function httpTable(found) {
  const cells = (row, work) => {
    const each = row.works[work];
    if (each === undefined) return ['', '', ''];
    const share = row.name === 'limit' ? 1 : shareOf(found, row.name, work);
    return [number(each.perSecond), number(share, 2), number(each.cpuUs)];
  };
  const head = [
    'server',
    'mixed/s',
    'of limit',
    'CPU µs',
    'list/s',
    'of limit',
    'CPU µs',
    'create/s',
    'of limit',
    'CPU µs',
  ];
  const rows = found.servers.map((row) => [
    bold(row),
    ...['mixed', 'list', 'create'].flatMap((work) => cells(row, work)),
    joined(' · ', number(row.works.mixed?.p50Ms, 2), number(row.works.mixed?.p99Ms, 2)),
    number(row.rssMiB),
  ]);
  return table([...head, 'mixed p50 · p99 ms', 'MiB after'], rows);
}

/**
 * Returns a server's speed as a share of the fastest possible. Some servers are compared with petstore-sim, so their
 * share is computed from two comparisons.
 */
function shareOf(found, name, work) {
  const direct = ratioOfPair(found, name, 'limit', work);
  if (direct) return direct.perSecond?.median;
  const ours = ratioOfPair(found, 'ours', 'limit', work)?.perSecond?.median;
  const [of, to] = [ratioOfPair(found, name, 'ours', work), ratioOfPair(found, 'ours', name, work)];
  const ratio = of?.perSecond?.median ?? 1 / to?.perSecond?.median;
  return ours * ratio;
}

/** Two values in one cell, so that the table fits on a page of GitHub. */
const joined = (separator, ...values) => values.filter((value) => value !== '').join(separator);

/** Table of petstore-sim relative to the handwritten service, by processor time and by requests per second. */
const byHandTable = ({ ratios }) =>
  table(
    ['ours, of real-work', 'by CPU', 'lowest–highest', 'requests/s', 'lowest–highest'],
    ratios
      .filter(({ of, to }) => of === 'ours' && to === 'real-work')
      .map(({ work, cpu, perSecond }) => [
        work,
        ...[cpu, perSecond].flatMap((each) => [
          number(each?.median, 2),
          each ? `${number(each.lowest, 2)}–${number(each.highest, 2)}` : '',
        ]),
      ]),
  );

/**
 * Profiles of the load `varied` by `node --cpu-prof` on 2026-11-27, which no part of the benchmark measures, and the ratios
 * of two runs on that day that were too noisy for the tables.
 */
const shares = `Shares of the processor time of *varied* by \`node --cpu-prof\`: before, with a cache of lists and a journal of whole records,
and now, with one write per response, the JSON of pets joined once, and a packed journal.

${table(
  ['part of a request', 'before', 'now', '*real-work*'],
  [
    ['socket: writes', '30 %', '34 %', '43 %'],
    ['garbage collector', '19 %', '13 %', '13 %'],
    ['Node: parser, request, events', '18 %', '18 %', '15 %'],
    ['text of lists and pets', '9 %', '6 %', '22 %'],
    ['headers of the response', '4 %', '5 %', '3 %'],
    ['limits and keys', '3 %', '4 %', '2 %'],
    ['journal', '3 %', '2 %', ''],
    ['everything else', '13 %', '18 %', '2 %'],
  ],
)}

Two runs on 2026-11-27 were too noisy for the tables, because the machine's speed varied by more than 15 %. In their 11 rounds with
*varied*, the same processor time served 1.35 to 1.53 times the requests of *real-work*, median 1.45; in 12 rounds with *mixed*
1.39 to 1.62, median 1.44.`;

function peersTable(found) {
  const ours = found.servers.filter(isOurs);
  const rows = [...ours, ...measuredPeers(found)].filter(({ works }) => works.list);
  const rank = (row) => ofLimit(found, row) ?? ofLimit(found, row, 'list') / 1000;
  const sorted = rows.sort((a, b) => rank(b) - rank(a));
  return table(
    [
      'server',
      'mixed/s',
      'of the limit; ours is',
      'CPU µs',
      'p99 ms',
      'list/s',
      'of the limit; ours is',
      'create/s',
      'of the limit',
      'MiB after',
    ],
    sorted.map((row) => {
      const our = onSameNode(found.servers, 'ours', row);
      const share = (work) => (row.works[work] ? ofLimit(found, row, work) : undefined);
      const factor = (work) =>
        row.group === 'peer' && row.works[work] ? `${times(ofLimit(found, our, work) / share(work))}×` : '';
      const { mixed, list, create } = row.works;
      return [
        withNode(row),
        number(mixed?.perSecond),
        joined('; ', number(share('mixed'), 3), factor('mixed')),
        number(mixed?.cpuUs),
        number(mixed?.p99Ms, 2),
        number(list.perSecond),
        joined('; ', number(share('list'), 3), factor('list')),
        number(create?.perSecond),
        number(share('create'), 3),
        number(row.rssMiB),
      ];
    }),
  );
}

const startTable = ({ rows }) =>
  table(
    ['server', 'first 200, ms', 'lowest–highest', 'packages', 'MB installed'],
    rows
      .toSorted((a, b) => a.startMs - b.startMs)
      .map((row) => [
        withNode(row),
        number(row.startMs),
        `${number(row.lowest)}–${number(row.highest)}`,
        row.packages ? String(row.packages) : '',
        row.packages ? number(row.bytes / 1e6, 1) : '',
      ]),
  );

const waitsTable = (rows, { 'exec-start': exec, 'cold-start': cold }) => {
  const server = (name) => cold?.found.rows.find((row) => row.name === name)?.startMs;
  const started = [
    {
      what: '`petstore-sim exec`, up to the first line of the client',
      against: 'the client alone',
      ms: exec?.found.execMs,
      againstMs: exec?.found.bareMs,
    },
    {
      what: '`petstore-sim serve`, up to the first response',
      against: 'bare `node:http`',
      ms: server('ours'),
      againstMs: server('limit'),
    },
  ];
  return table(
    ['', 'ms', 'compared with', 'ms'],
    [...started, ...rows].map(({ what, ms, against = '', againstMs }) => [
      what,
      number(ms),
      against,
      number(againstMs),
    ]),
  );
};

function growthTable({ rows }) {
  const [first] = rows;
  const names = Object.keys(first.us);
  const beside = (row, name) => `${number(row.us[name], 2)} (${times(row.us[name] / first.us[name])}×)`;
  return table(
    ['pets', ...names.map((name) => `${name}, µs`), 'bytes per pet', 'seed, ms'],
    rows.map((row) => [
      number(row.pets),
      ...names.map((name) => beside(row, name)),
      row.pets < 10_000 ? '' : number(row.bytesAPet),
      number(row.seedMs, row.seedMs < 10 ? 1 : 0),
    ]),
  );
}

function inProcessTable(rows) {
  const fixed = rows.find(({ name }) => name.includes('static')).us;
  return table(
    ['way', 'µs per call', 'of a static msw handler'],
    rows.map(({ name, us }) => [name, number(us, 1), times(us / fixed)]),
  );
}

const verdictTable = (rows) =>
  table(
    ['10,000 entries', 'first, ms', 'median of 25', 'highest'],
    rows.map(({ kind, firstMs, medianMs, highestMs }) => [
      kind,
      ...[firstMs, medianMs, highestMs].map((ms) => number(ms)),
    ]),
  );

const sandboxTable = ({ sandboxes, emptyKiB, usedKiB, createMs, ofOne }) =>
  table(
    [
      'sandboxes',
      'requests/s, of the server’s own',
      'the same by CPU',
      'KiB each, unused',
      'after 10 creates',
      'µs to create',
    ],
    [
      [
        number(sandboxes),
        number(ofOne.perSecond?.median, 2),
        number(ofOne.cpu?.median, 2),
        number(emptyKiB, 1),
        number(usedKiB, 1),
        number(createMs * 1000),
      ],
    ],
  );

/** Shares of each load on a quiet machine and beside busy loops: `1.74/1.51`. */
function busyTable(rows) {
  const both = (row, format) =>
    [row, rows.find(({ of, work, isBusy }) => of === row.of && work === row.work && isBusy)].map(format).join('/');
  return table(
    ['load', 'relative to', 'requests/s', 'CPU', 'µs', 'p99'],
    rows
      .filter(({ isBusy }) => !isBusy)
      .map((row) => [
        `${row.of}, ${row.work}`,
        row.to,
        both(row, ({ perSecond }) => number(perSecond?.median, 2)),
        both(row, ({ cpu }) => number(cpu && 1 / cpu.median, 2)),
        both(row, ({ cpuUs }) => number(cpuUs, 1)),
        both(row, ({ p99 }) => number(p99?.median, 2)),
      ]),
  );
}

const bundleTable = ({ pages, everything }) =>
  table(
    ['imports', 'kB, minified and gzipped'],
    [
      ['`createSimulator` and `handlers`', number(pages / 1000, 1)],
      ['every name of `petstore-sim` and `petstore-sim/msw`', number(everything / 1000, 1)],
    ],
  );

/** Title, explanation and table of each part. */
const all = {
  http: [
    'Over HTTP',
    `One core for the server, the other for the load (32 connections). *mixed* is 45 lists of 1 to 100 pets, 15 filtered lists, 20
single pets, 10 creates, 5 unknown pets and 5 refusals, in one fixed order. *varied* has the same proportions with 400 different
lists: each limit from 1 to 100, of all pets and of each status. *list* is the same list of 20 pets again and again. *limit* is bare \`node:http\`
that sends constant bytes of the same sizes, *real-work* is the same service, handwritten on \`node:http\` without further features,
*ours* has keys, both windows, bans and the journal on. Servers run at the same time, and are loaded in rotation, a twentieth of a
second each; latencies are measured for a second under load alone. *ours* may take less time than the limit, because it sends the responses of a busy turn of the event
loop together, which wakes the client once.`,
    (found) => [httpTable(found), byHandTable(found), shares].join('\n\n'),
  ],
  busy: [
    'Beside two busy loops',
    `Requests per second, processor time per request (with its µs) and 99th percentile as shares of the other server's, first on a quiet machine, then
with a busy loop on the core of the server and on that of the load. *ours-data* and *ours-record* are ours with \`--data\` and \`--record\`.`,
    busyTable,
  ],
  peers: [
    'Other servers',
    `The same loads, as far as supported ([differences](#what-each-server-does)); requests per second alone; shares by processor time
per request, at the same time as the limit on the same version of Node and the same core. *ours is*: number of requests that ours
handles in the processor time of one.`,
    peersTable,
  ],
  'cold-start': [
    'Start',
    'Time from spawn to the first 200 of the list, on any core; ours is a plain `serve`. Packages and megabytes of `npm install --omit=dev`.',
    startTable,
  ],
  waits: [
    'Where a user waits',
    `From the start of a command to its exit, except in the first two rows. Each row is a median of runs that alternate with what it
is compared with. A test sends one request and checks the status.`,
    waitsTable,
  ],
  'in-process': [
    'In-process',
    `Sequential calls, with the body parsed as JSON (except \`sim.handle\`, which returns text). The static handler is
\`http.get(url, () => HttpResponse.json(twentyPets))\`.`,
    inProcessTable,
  ],
  growth: [
    'Growth',
    `Through \`sim.handle\`; factors in brackets are relative to 100 pets. Nine pets in ten have the common status, one in a thousand
the rare one. Every list has a unique query.`,
    (found) =>
      `${growthTable(found)}\n\n\`reset()\` of the default scenario after a change: ${number(found.rows[0].resetDefaultMs, 4)} ms.`,
  ],
  verdict: ['The judge', 'Processor time of one verdict; the first includes compilation.', verdictTable],
  sandboxes: [
    'Sandboxes',
    'Requests to 1,000 sandboxes of one server in rotation, relative to 1,000 URLs of the server’s own simulator.',
    sandboxTable,
  ],
  bundle: ['Browser bundle', 'By esbuild, without msw itself (about 67 kB).', bundleTable],
};

/**
 * @param {any} results content of bench/results.json
 * @returns {{ part: string, title: string, meaning: string, content: string }[]}
 */
export const sections = ({ parts }) =>
  Object.entries(all)
    .filter(([part]) => parts[part])
    .map(([part, [title, meaning, toTable]]) => ({
      part,
      title,
      meaning: meaning + otherMachine(parts[part], parts.http),
      content: toTable(parts[part].found, parts),
    }));

/** Whether a part was measured on another day or machine than the main part. */
const isOlder = ({ date, machine }, main) => machine !== main.machine || date !== main.date;

/** Sentence on a part that was measured on another day or machine than the part `http`. */
const otherMachine = (part, main) =>
  main !== undefined && isOlder(part, main)
    ? `\n\nNot comparable with the other tables: measured on ${part.date}, with ${part.machine}.`
    : '';
