/** Formats the results as a page, as a picture and in sentences. Omits or mentions missing results. */
import { aims } from './aims.mjs';
import { figures, measuredPeers, ofLimit, ratioOfPair } from './figures.mjs';
import { number, table } from './markdown.mjs';
import { sections } from './sections.mjs';

const aimsTable = (results) =>
  table(
    ['', 'aim', 'found', 'lowest–highest', 'by CPU', 'reached'],
    aims(results).map(({ what, aim, found, spread, byCpu, isReached }) => [
      what,
      aim,
      found ?? 'not measured',
      spread ?? '',
      byCpu ?? '',
      isReached === undefined ? '' : isReached ? 'yes' : '**no**',
    ]),
  );

/** Tables for a terminal. */
export const tables = (results) =>
  [{ title: 'Aims', content: aimsTable(results) }, ...sections(results)]
    .map(({ title, content }) => `## ${title}\n\n${content}\n`)
    .join('\n');

/** Rows of the other servers: what petstore-sim does in the processor time of one request, and when each is ready. */
const otherServers = ({ parts }, { peers = [] }) =>
  table(
    ['server', 'requests of petstore-sim in its time for one', 'first response after a start'],
    peers.map(({ name, behind }) => {
      const start = parts['cold-start']?.found.rows.find((each) => each.name === name)?.startMs;
      return [name, number(behind, behind < 10 ? 1 : 0), start === undefined ? '' : `${number(start)} ms`];
    }),
  );

/** The part with the loads beside two busy loops, if it was measured. */
const busyPart = (results) =>
  sections(results)
    .filter(({ part }) => part === 'busy')
    .map(({ title, meaning, content }) => `## ${title}\n\n${meaning}\n\n${content}\n\n`)
    .join('');

/** Content of docs/performance.md. */
export function performancePage(results) {
  const main = results.parts.http ?? Object.values(results.parts)[0];
  const found = figures(results);
  return `<!-- Written by npm run bench and npm run generate from bench/results.json. -->

# Performance

Ratios count, because absolute figures drift with the machine: each compares two servers that were loaded in turns of a
twentieth of a second, on one core, by 32 connections from another one. The mixed load has 45 lists of 1 to 100 pets, 15
filtered lists, 20 single pets, 10 creates, 5 unknown pets and 5 refusals; in the varied load every list is different. *limit* is bare
\`node:http\` with constant bytes, *real-work* is the same service handwritten on \`node:http\`, without further features.

![The mixed load by processor time, as a share of bare node:http](performance.svg)

${aimsTable(results)}

${busyPart(results)}## Other servers

The mixed load by processor time, and the time from the start of the process to its first 200; petstore-sim needs
${number(found.startMs)} ms. Their work differs: most send a fixed body and count nothing (\`bench/peers.mjs\` says what each does).

${otherServers(results, found)}

Measured on ${main.date}: ${main.machine}. A ratio is a median, and is published only if two processes of the same server differ
by at most 15 %. \`npm run bench\` measures your machine, and prints all tables.
`;
}

const labels = { limit: 'bare node:http', ours: 'petstore-sim', 'real-work': 'handwritten on node:http' };

/** Bar chart of the mixed load relative to the limit on the same Node, by processor time. */
export function picture({ parts }) {
  const { http, peers } = parts;
  const direct = http ? ['ours', 'real-work'] : [];
  const bars = [
    { name: 'limit', group: 'limit', share: 1 },
    ...direct.map((name) => ({
      name,
      group: name === 'ours' ? 'ours' : 'limit',
      share: ratioOfPair(http.found, name, 'limit', 'mixed')?.cpu?.median,
    })),
    ...(peers ? measuredPeers(peers.found) : []).map((row) => ({ ...row, share: ofLimit(peers.found, row) })),
  ]
    .filter(({ share }) => share !== undefined)
    .sort((a, b) => b.share - a.share);
  // A label has at most 24 characters.
  const [left, width, step] = [196, 480, 26];
  const unit = width / Math.max(...bars.map(({ share }) => share));
  const height = bars.length * step + 46;
  const drawn = bars.map(({ name, group, share, on }, at) => {
    const y = 36 + at * step;
    const length = Math.max(2, share * unit);
    const label = on && on !== '20' ? `${name} ¹` : (labels[name] ?? name);
    return `  <text x="${left - 8}" y="${y + 14}" text-anchor="end"${group === 'ours' ? ' font-weight="bold"' : ''}>${label}</text>
  <rect class="${group}" x="${left}" y="${y}" width="${length.toFixed(1)}" height="18" rx="2"/>
  <text x="${left + length + 6}" y="${y + 14}">${share >= 0.1 ? share.toFixed(2) : share.toFixed(3)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + 60}" height="${height}" viewBox="0 0 ${left + width + 60} ${height}" font-family="system-ui, sans-serif" font-size="13">
  <title>The mixed load by processor time, as a share of bare node:http with constant bodies</title>
  <style>
    text { fill: #334155 } .page { fill: #ffffff }
    .limit { fill: #8a94a6 } .ours { fill: #0f766e } .peer { fill: #c2410c }
    @media (prefers-color-scheme: dark) {
      text { fill: #cbd5e1 } .page { fill: #0f172a } .ours { fill: #2dd4bf } .peer { fill: #fb923c }
    }
  </style>
  <rect class="page" width="100%" height="100%"/>
  <text x="12" y="22">requests of the mixed load in the same processor time, bare node:http = 1 (¹ on Node 24)</text>
${drawn.join('\n')}
</svg>
`;
}
