// Writes what is derived from a source in this repository; test/unit/generated.test.ts keeps each equal to its source.
import { readFileSync, writeFileSync } from 'node:fs';

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
    'Forty animals over the three statuses, one key for each plan and a revoked one.',
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
  const value = { name, description: sentences.join(' '), categories, keys, pets };
  const module = `// Written by scripts/generate.mjs from fixtures/; change those.
import type { Scenario } from './schema.js';

/** What a scenario that does not say otherwise starts from. */
export const defaultScenario = ${JSON.stringify(value)} as const satisfies Scenario;
`;
  return { file, module };
}

const opening = '<!-- assumptions: written by npm run generate -->\n';
const closing = '<!-- /assumptions -->';

/** The README with its table of assumptions as the code has it. */
export function readme(assumptionRows) {
  const text = read('README.md');
  const start = text.indexOf(opening) + opening.length;
  const end = text.indexOf(closing);
  const cell = (value) => value.replaceAll('|', '\\|');
  const rows = assumptionRows.map(
    ({ id, question, byDefault, alternatives }) =>
      `| \`${id}\` | ${cell(question)} | ${cell(byDefault)} | ${cell(alternatives)} |\n`,
  );
  const table = `| id | question | default | alternatives |\n|---|---|---|---|\n${rows.join('')}`;
  return text.slice(0, start) + table + text.slice(end);
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { file, module } = defaultScenario();
  write('scenarios/default.yaml', file);
  write('src/scenario/default.ts', module);
  const { assumptionRows } = await import('../dist/node/assumption-table.js');
  write('README.md', readme(assumptionRows()));
}
