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
    'list/s',
    'of limit',
    'CPU µs',
    'mix/s',
    'of limit',
    'CPU µs',
    'create/s',
    'of limit',
    'CPU µs',
  ];
  const rows = found.servers.map((row) => [
    bold(row),
    ...['list', 'mix', 'create'].flatMap((work) => cells(row, work)),
    number(row.works.list?.p50Ms, 2),
    number(row.works.list?.p99Ms, 2),
    number(row.rssMiB),
  ]);
  return table([...head, 'list p50 ms', 'p99 ms', 'MiB after'], rows);
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

function peersTable(found) {
  const ours = found.servers.filter(isOurs);
  const rows = [...ours, ...measuredPeers(found)].filter(({ works }) => works.list);
  const sorted = rows.sort((a, b) => ofLimit(found, b) - ofLimit(found, a));
  return table(
    [
      'server',
      'list/s',
      'lowest–highest',
      'of the limit',
      'ours is',
      'CPU µs',
      'p99 ms',
      'create/s',
      'of the limit',
      'MiB after',
    ],
    sorted.map((row) => {
      const { list, create } = row.works;
      const our = onSameNode(found.servers, 'ours', row);
      return [
        withNode(row),
        number(list.perSecond),
        `${number(list.lowest)}–${number(list.highest)}`,
        number(ofLimit(found, row), 3),
        row.group === 'peer' ? `${times(ofLimit(found, our) / ofLimit(found, row))}×` : '',
        number(list.cpuUs),
        number(list.p99Ms, 2),
        number(create?.perSecond),
        create ? number(ofLimit(found, row, 'create'), 3) : '',
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
    `One core for the server, the other for the load (32 connections). *limit* is bare \`node:http\` that sends constant bytes,
*real-work* is the same service, handwritten on \`node:http\` without further features, *ours* has keys, both windows, bans and the
journal on. *mix* is the list with one request in ten rejected. Servers run at the same time, and
are loaded in rotation, a twentieth of a second each; latencies are measured for a second under load alone. *ours* may take
less time than the limit, because it sends the responses of a busy turn of the event loop together, which wakes the client once.`,
    httpTable,
  ],
  peers: [
    'Other servers',
    `The same list of 20 and the same create, as far as supported ([differences](#what-each-server-does)); requests per
second alone; shares by processor time per request, at the same time as the limit on the same version of Node and the same core. *ours
is*: number of lists that ours handles in the processor time of one.`,
    peersTable,
  ],
  'cold-start': [
    'Start',
    'Time from spawn to the first 200 of the list, on any core; ours is a plain `serve`. Packages and megabytes of `npm install --omit=dev`.',
    startTable,
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
the rare one. Every list has a unique query, because unchanged lists are cached.`,
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
 * @returns {{ title: string, meaning: string, content: string }[]}
 */
export const sections = ({ parts }) =>
  Object.entries(all)
    .filter(([part]) => parts[part])
    .map(([part, [title, meaning, toTable]]) => ({ title, meaning, content: toTable(parts[part].found) }));
