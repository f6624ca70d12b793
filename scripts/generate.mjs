// Writes what is derived from a source in this repository; test/unit/generated.test.ts keeps each equal to its source.
import { readFileSync, writeFileSync } from 'node:fs';
import { peers } from '../bench/peers.mjs';
import { performancePage, picture, summary } from '../bench/report.mjs';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const write = (path, text) => writeFileSync(new URL(`../${path}`, import.meta.url), text);

/** A value as YAML writes it on one line. */
const inline = (value) => {
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([name, field]) => `${name}: ${inline(field)}`);
    return `{ ${fields.join(', ')} }`;
  }
  return typeof value === 'string' && !/^\p{L}+$/u.test(value) ? JSON.stringify(value) : String(value);
};

/** The default scenario as a file, for people, and as a module, for bundles; both from fixtures/. */
export function defaultScenario() {
  const pets = JSON.parse(read('fixtures/pets.json'));
  const keys = JSON.parse(read('fixtures/keys.json'));
  const name = 'default';
  const sentences = [
    'Forty pets over the three statuses, one key for each plan and a revoked one.',
    'Limits and bans as documented, the clock is the machine’s own.',
  ];
  const categories = [1, 2, 3, 4, 5];
  const file = `# yaml-language-server: $schema=../schema.json
# Written by npm run generate from fixtures/; change those.
name: ${name}
group: start
description: >-
  ${sentences.join('\n  ')}
categories: [${categories.join(', ')}]
keys:
${Object.entries(keys)
  .map(([text, key]) => `  ${text}: ${inline(key)}\n`)
  .join('')}pets:
${pets.map((pet) => `  - ${inline(pet)}\n`).join('')}`;
  const rows = pets.map(({ id, name, categoryId, status }, index) => {
    const row = `${name} ${categoryId} ${status}`;
    if (id === index + 1 && row.split(' ').length === 3) return row;
    throw new Error(`fixtures/pets.json: expected ids from 1 up and names without spaces, got ${id} ${name}`);
  });
  const module = `// Written by scripts/generate.mjs from fixtures/; change those.
import type { PetStatus } from '../contract/document.js';
import { deepFreeze } from '../values/plain-data.js';
import type { Scenario } from './scenario-schema.js';

/** Name, category and status of each pet; their ids count up from 1. Written short, because a page downloads it. */
const pets = \`${rows.join('\n')}\`;

/** What a scenario that does not say otherwise starts from. */
export const defaultScenario = deepFreeze({
  name: '${name}',
  description: '${sentences.join(' ')}',
  categories: ${JSON.stringify(categories)},
  keys: ${JSON.stringify(keys)},
  pets: pets.split('\\n').map((pet, index) => {
    const [name = '', categoryId, status] = pet.split(' ');
    return { id: index + 1, name, categoryId: Number(categoryId), status: status as PetStatus };
  }),
} as const satisfies Scenario);
`;
  return { file, module };
}

/** A text with what stands between the marks of a name replaced. */
function between(text, name, content) {
  const opening = `<!-- ${name}: written by npm run generate -->\n`;
  const start = text.indexOf(opening) + opening.length;
  return text.slice(0, start) + content + text.slice(text.indexOf(`<!-- /${name} -->`));
}

/** A table of Markdown. */
function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return `${line(head)}|${'---|'.repeat(head.length)}\n${rows.map(line).join('')}`;
}

/** The README with its tables as the code has them, and its figures as the benchmark found them. */
export function readme(assumptionRows, controlRows, results) {
  const assumptions = assumptionRows.map(({ id, question, byDefault, alternatives }) => [
    `\`${id}\``,
    question,
    byDefault,
    alternatives,
  ]);
  const control = controlRows.map(({ name, request, input, summary }) => [
    `\`${name}\``,
    `\`${request}\``,
    input,
    summary,
  ]);
  const text = between(
    read('README.md'),
    'assumptions',
    table(['id', 'question', 'default', 'alternatives'], assumptions),
  );
  const withControl = between(text, 'control', table(['function', 'request', 'input', ''], control));
  return between(withControl, 'speed', summary(results));
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { file, module } = defaultScenario();
  write('scenarios/default.yaml', file);
  write('src/scenario/default-scenario.ts', module);
  const { assumptionRows } = await import('../dist/cli/assumption-table.js');
  const { controlRows } = await import('../dist/control/control-operations.js');
  const results = JSON.parse(read('bench/results.json'));
  write('README.md', readme(assumptionRows(), controlRows(), results));
  write('docs/performance.md', performancePage(results, peers));
  write('docs/performance.svg', picture(results));
}
