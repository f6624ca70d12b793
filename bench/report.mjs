/** Formats the results as a page, as a picture and in sentences. Omits or mentions missing results. */
import { aims, droppedAims } from './aims.mjs';
import { figures, measuredPeers, ofLimit, ratioOfPair } from './figures.mjs';
import { number, table } from './markdown.mjs';
import { isOlder, sections } from './sections.mjs';

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

/** Lists the known reasons for missed aims. */
const obstaclesList = (results) =>
  aims(results)
    .filter(({ because }) => because)
    .map(({ what, because }) => `- ${what.split(': ')[0]}: ${because}`)
    .join('\n');

/** Tables for a terminal. */
export const tables = (results) =>
  [{ title: 'Aims', content: aimsTable(results) }, ...sections(results)]
    .map(({ title, content }) => `## ${title}\n\n${content}\n`)
    .join('\n');

const conditions = (parts) =>
  table(
    ['part', 'measured on', 'minutes', 'load before', 'yardstick', 'spread'],
    Object.entries(parts).map(([part, { date, minutes, load, noise }]) => [
      `\`${part}\``,
      date,
      number(minutes, 1),
      number(load, 2),
      noise === undefined ? '' : `${number(noise.median, noise.median < 10 ? 2 : 0)} ${noise.unit}`,
      noise === undefined ? (minutes === undefined ? 'not noted' : '') : `${number(noise.spread * 100)} %`,
    ]),
  );

const note = ({ name, packages, differs }, failed) => {
  const pins = Object.entries(packages).map(([of, version]) => `${of} ${version}`);
  const versions = pins.length > 0 ? ` (${pins.join(', ')})` : '';
  return `- **${name}**${versions}: ${differs}${failed ? ` Not measured: ${failed}` : ''}`;
};

/** Sentence on the parts that were measured on another day or machine than the part `http`. */
function olderParts(parts, main) {
  const older = Object.entries(parts).filter(([, part]) => isOlder(part, main));
  if (older.length === 0) return '';
  const list = older.map(([part, { date, machine }]) => `\`${part}\` (${date}, ${machine})`).join('; ');
  return `\nOther rows are of another day or machine: ${list}.\n`;
}

/** Content of docs/performance.md. */
export function performancePage(results, peers) {
  const { parts } = results;
  const main = parts.http ?? Object.values(parts)[0];
  const failed = parts.peers?.found.failed ?? {};
  return `<!-- Written by npm run bench and npm run generate from bench/results.json. -->

# Performance

Measured on ${main.date}: ${main.machine}. Absolute figures drift with the machine, so every share compares
servers that were loaded in rotation, a twentieth of a second each, or consecutively. A share is the median, with the
lowest and the highest value. A share of requests per second is accompanied by the share of processor time per
request. Measure your own machine with \`npm run bench\`, in a quarter of an hour.

![The mixed load by processor time, as a share of bare node:http](performance.svg)

${['Aims', ...sections(results).map(({ title }) => title), 'What each server does', 'Conditions']
  .map((title) => `- [${title}](#${title.toLowerCase().replaceAll(' ', '-')})`)
  .join('\n')}

## Aims

${aimsTable(results)}
${olderParts(parts, main)}

Known obstacles:

${obstaclesList(results)}

Former aims that were missed, and that no user needs:

${Object.entries(droppedAims)
  .map(([what, why]) => `- ${what}: ${why}`)
  .join('\n')}

${sections(results)
  .map(({ title, meaning, content }) => `## ${title}\n\n${meaning}\n\n${content}\n`)
  .join('\n')}
## What each server does

${peers.map((peer) => note(peer, failed[peer.name])).join('\n')}

## Conditions

A part is published only if the spread of its yardstick is at most 15 % of the median, without the outermost tenth at either end.
For loaded servers, the yardstick is a server relative to its twin, a second process of the same server. Both are equally fast, so
their share shows the precision of the other shares, independent of the machine's drift. For other parts, the yardstick is a fixed
piece of work, which shows the machine's speed during the part; figures in milliseconds depend on it.

${conditions(parts)}
`;
}

const labels = { limit: 'bare node:http', ours: 'petstore-sim', 'real-work': 'handwritten on node:http' };
const colours = { limit: '#8a94a6', ours: '#0f766e', peer: '#c2410c' };

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
  const [left, width, step] = [170, 480, 26];
  const unit = width / Math.max(...bars.map(({ share }) => share));
  const height = bars.length * step + 46;
  const drawn = bars.map(({ name, group, share, on }, at) => {
    const y = 36 + at * step;
    const length = Math.max(2, share * unit);
    const label = on && on !== '20' ? `${name} ¹` : (labels[name] ?? name);
    return `  <text x="${left - 8}" y="${y + 14}" text-anchor="end"${group === 'ours' ? ' font-weight="bold"' : ''}>${label}</text>
  <rect x="${left}" y="${y}" width="${length.toFixed(1)}" height="18" rx="2" fill="${colours[group]}"/>
  <text x="${left + length + 6}" y="${y + 14}">${share >= 0.1 ? share.toFixed(2) : share.toFixed(3)}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + 60}" height="${height}" viewBox="0 0 ${left + width + 60} ${height}" font-family="system-ui, sans-serif" font-size="13" fill="#334155">
  <title>The mixed load by processor time, as a share of bare node:http with constant bodies</title>
  <rect width="100%" height="100%" fill="#ffffff"/>
  <text x="${left}" y="22">requests of the mixed load in the same processor time, bare node:http = 1 (¹ on Node 24)</text>
${drawn.join('\n')}
</svg>
`;
}

/** Sentence about the speed, for the README. */
export function summary(results) {
  // Express is a library for writing a server, not a mock server.
  const { mixedOfByHand, variedOfByHand, peers } = figures(results);
  const fastest = peers.find(({ name }) => name !== 'express');
  const ofByHand = ({ cpu }) => number(1 / cpu.median, 2);
  const varied = variedOfByHand ? `, ${ofByHand(variedOfByHand)} times if every list is different` : '';
  return `A request of a mixed load (lists, single pets, creates, refusals) takes ${ofByHand(mixedOfByHand)} times the processor time of the
same service handwritten on \`node:http\`${varied}, and ${number(fastest.behind, 1)} times less than in the fastest mock server that can serve it
(${fastest.name}).
`;
}
