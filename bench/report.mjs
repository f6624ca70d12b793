/** The results as tables, as a page and as a picture. Every section is there only if it was measured. */
import { aims } from './aims.mjs';
import { figures, onSameNode } from './figures.mjs';

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const number = (value, digits = 0) =>
  value === undefined ? '' : digits === 0 ? whole.format(value) : value.toFixed(digits);
const times = (value) =>
  value === undefined || !Number.isFinite(value) ? '' : value >= 10 ? number(value) : value.toFixed(2);

const table = (head, rows) =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

const workTitles = {
  list: '`GET /v1/pets?limit=20`',
  mix: 'The same, one request in ten refused with 429',
  create: '`POST /v1/pets`',
};

function httpTables(rows) {
  return Object.entries(workTitles).map(([work, title]) => {
    const able = rows
      .filter((row) => row.works[work])
      .sort((a, b) => b.works[work].perSecond - a.works[work].perSecond);
    const head = [
      'server',
      'requests/s',
      'lowest–highest',
      'of the limit',
      'ours is',
      'p50 ms',
      'p99 ms',
      'CPU µs',
      'MiB after',
    ];
    const body = able.map((row) => {
      const { perSecond, lowest, highest, p50Ms, p99Ms, cpuUs } = row.works[work];
      const limit = onSameNode(rows, 'limit', row)?.works[work].perSecond;
      const ours = onSameNode(rows, 'ours', row)?.works[work].perSecond;
      return [
        row.name.startsWith('ours')
          ? `**${row.name}**`
          : row.on === '24' && !row.name.includes('24')
            ? `${row.name} (Node 24)`
            : row.name,
        number(perSecond),
        `${number(lowest)}–${number(highest)}`,
        number(perSecond / limit, 2),
        row.group === 'peer' && ours ? `${times(ours / perSecond)}×` : '',
        number(p50Ms, 2),
        number(p99Ms, 2),
        number(cpuUs, 0),
        number(row.rssMiB),
      ];
    });
    return `### ${title}\n\n${table(head, body)}`;
  });
}

function coldTable(rows) {
  const sorted = [...rows].sort((a, b) => a.startMs - b.startMs);
  return table(
    ['server', 'first 200, ms', 'lowest–highest', 'packages', 'MiB installed'],
    sorted.map(({ name, startMs, lowest, highest, packages, installedMiB, on }) => [
      name.startsWith('ours') ? `**${name}**` : on === '24' ? `${name} (Node 24)` : name,
      number(startMs),
      `${number(lowest)}–${number(highest)}`,
      packages ? String(packages) : '',
      packages ? number(installedMiB, 1) : '',
    ]),
  );
}

function growthTable(rows) {
  const [first] = rows;
  const ratio = (row, name) => `${number(row.us[name], 2)} (${times(row.us[name] / first.us[name])}×)`;
  const names = Object.keys(first.us);
  return table(
    ['pets', ...names.map((name) => `${name}, µs`), 'bytes a pet', 'seed, ms'],
    rows.map((row) => [
      number(row.pets),
      ...names.map((name) => ratio(row, name)),
      row.pets < 10_000 ? '' : number(row.bytesAPet),
      number(row.seedMs, row.seedMs < 10 ? 1 : 0),
    ]),
  );
}

function inProcessTable(rows) {
  const fixed = rows.find(({ name }) => name.includes('static')).us;
  return table(
    ['way', 'µs a call', 'of a static msw handler'],
    rows.map(({ name, us }) => [name, number(us, 1), times(us / fixed)]),
  );
}

/** @param {any} results as `bench/results.json` has them */
function sections(results) {
  const { http, 'cold-start': cold, 'in-process': inProcess, growth, bundle, sandboxes } = results;
  return [
    http && ['Over HTTP', httpTables(http).join('\n\n')],
    cold && ['Cold start and size', coldTable(cold)],
    inProcess && ['In-process', inProcessTable(inProcess)],
    growth && [
      'Growth',
      `${growthTable(growth)}\n\n\`reset()\` of the default scenario after a change: ${number(growth[0].resetDefaultMs, 4)} ms.`,
    ],
    bundle && [
      'Browser bundle',
      table(
        ['imports', 'kB, minified and gzipped'],
        [
          ['`createSimulator` and `handlers`', number(bundle.pages / 1000, 1)],
          ['every name of `petstore-sim` and `petstore-sim/msw`', number(bundle.everything / 1000, 1)],
        ],
      ),
    ],
    sandboxes && [
      'Sandboxes',
      table(
        [
          'sandboxes',
          'KiB each, unused',
          'KiB each, after 10 creates',
          'µs to make one',
          'requests/s over all',
          'requests/s of one world',
        ],
        [
          [
            number(sandboxes.sandboxes),
            number(sandboxes.emptyKiB, 1),
            number(sandboxes.usedKiB, 1),
            number(sandboxes.createMs * 1000),
            number(sandboxes.manyPerSecond),
            number(sandboxes.onePerSecond),
          ],
        ],
      ),
    ],
  ].filter(Boolean);
}

/** For a terminal. */
export const tables = (results) =>
  sections(results)
    .map(([title, text]) => `## ${title}\n\n${text}\n`)
    .join('\n');

const explanations = {
  'Over HTTP': `Each server alone on one core, the load (32 connections) on the other; servers in turn, round after round, each time a
fresh process and two seconds to warm up; medians of the rounds. *limit* is bare \`node:http\` that sends constant bytes,
*real-work* the same service written by hand on \`node:http\` without a feature more. What runs on Node 24 is compared
with the limit and with ours on Node 24. *ours* has everything on: keys, both windows counted, bans, journal.`,
  'Cold start and size': `From spawn to the first 200 of the list, the servers in turn, any core; ours is a plain \`serve\`. Packages and megabytes
are what \`npm install --omit=dev\` brings.`,
  'In-process': `One call after another and the body read as JSON (but \`sim.handle\`, which gives text); one core. The static handler is
\`http.get(url, () => HttpResponse.json(twentyPets))\`.`,
  Growth: `Through \`sim.handle\`; in brackets the cost beside that at 100 pets. Nine in ten are available (the common status), one in
a thousand sold (the rare one). Every list has a query of its own, because a list that nothing has changed since is kept.`,
  'Browser bundle': 'By esbuild; msw itself, about 67 kB, left out.',
  Sandboxes: `1,000 worlds in one server, each request to the next of them; beside it 1,000 requests in turn to one world.`,
};

/** docs/performance.md. */
export function performancePage(results, peers) {
  const { date, machine, rounds, seconds, times: starts } = results;
  const failures = { ...results.missing };
  for (const { name, failed } of results.http) if (failed) failures[name] = failed;
  const notes = peers.map(({ name, packages, differs }) => {
    const pins = Object.entries(packages).map(([of, version]) => `${of} ${version}`);
    return `- **${name}**${pins.length > 0 ? ` (${pins.join(', ')})` : ''}: ${differs}${failures[name] ? ` Not measured: ${failures[name]}` : ''}`;
  });
  return `<!-- Written by npm run bench and npm run generate from bench/results.json. -->

# Performance

Measured on ${date}: ${machine}; ${rounds} rounds of ${seconds} seconds, ${starts} starts. Absolute figures
drift with the machine; trust the ratios within this run, and measure your own with \`npm run bench\` (about half an hour;
the peers are installed for it).

![Requests a second of the list, as a share of bare node:http](performance.svg)

## Aims

${table(
  ['aim', 'found', 'reached'],
  aims(results).map(({ aim, found, isReached }) => [aim, found, isReached ? 'yes' : '**no**']),
)}

${sections(results)
  .map(([title, text]) => `## ${title}\n\n${explanations[title]}\n\n${text}\n`)
  .join('\n')}
## What each server does

${notes.join('\n')}
`;
}

/** Bars: requests a second of the list as a share of the limit on the same Node. */
export function picture({ http }) {
  const rows = http
    .filter((row) => row.works.list)
    .map((row) => ({ ...row, share: row.works.list.perSecond / onSameNode(http, 'limit', row).works.list.perSecond }))
    .filter(({ name }) => !name.endsWith('on Node 24') && name !== 'ours-no-limits' && name !== 'ours-no-journal')
    .sort((a, b) => b.share - a.share);
  const labels = { limit: 'bare node:http', ours: 'petstore-sim', 'real-work': 'by hand on node:http' };
  const [left, width, step] = [170, 480, 26];
  const height = rows.length * step + 46;
  const colour = { limit: '#8a94a6', ours: '#0f766e', peer: '#c2410c' };
  const bars = rows.map(({ name, group, share, on }, at) => {
    const y = 36 + at * step;
    const length = Math.max(2, share * width);
    const label = on === '24' ? `${name} ¹` : (labels[name] ?? name);
    return `  <text x="${left - 8}" y="${y + 14}" text-anchor="end"${group === 'ours' ? ' font-weight="bold"' : ''}>${label}</text>
  <rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="18" rx="2" fill="${colour[group]}"/>
  <text x="${left + length + 6}" y="${y + 14}">${share >= 0.1 ? share.toFixed(2) : share.toFixed(3)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + 60}" height="${height}" viewBox="0 0 ${left + width + 60} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="#334155">
  <title>Requests a second of GET /v1/pets?limit=20, as a share of bare node:http with a constant body</title>
  <rect width="100%" height="100%" fill="#ffffff"/>
  <text x="${left}" y="22">requests a second, bare node:http = 1 (¹ on Node 24)</text>
${bars.join('\n')}
</svg>
`;
}

/** For the README: what the results come to. */
export function summary(results) {
  const found = figures(results);
  // Express is what others build a mock server on.
  const fastest = found.peers.find(({ name }) => name !== 'express');
  return `With keys, both windows, bans and the journal on, the list is answered ${number(found.ofLimit, 2)} times as often as bare
\`node:http\` can send the same bytes (the same service written on it by hand, without a feature more: ${number(found.realWorkOfLimit, 2)}), ${number(fastest.behind, 1)} times
as often as the fastest mock server measured (${fastest.name}), and ${number(found.ofExpressMsw)} times as often as Express with http-middleware
and msw. The first answer comes ${number(found.startMs)} ms after the start, ${number(found.startOverLimitMs)} ms after that of bare \`node:http\`. Among a million pets
a list costs ${number(found.listGrowth, 2)} times what it costs among a hundred, each takes ${number(found.bytesAPet)} bytes, and all are made in ${number(found.seedMs / 1000, 1)} s.
\`sim.fetch\` costs ${number(found.fetchOfMsw, 2)} of the same call through msw.
`;
}
