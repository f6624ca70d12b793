// Writes the files that are derived from other files of this repository. test/unit/generated.test.ts compares each with
// its source.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { peers } from '../bench/peers.mjs';
import { replicasTable } from '../bench/replicas-report.mjs';
import { performancePage, picture, summary } from '../bench/report.mjs';
import { source } from './source.mjs';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const write = (path, text) => writeFileSync(new URL(`../${path}`, import.meta.url), text);

/** Reads the results of `node bench/replicas.mjs`; `undefined` if it has not run. */
export function replicaResults() {
  const path = 'bench/replicas.json';
  return existsSync(new URL(`../${path}`, import.meta.url)) ? JSON.parse(read(path)) : undefined;
}

/** Formats a value as YAML in one line. */
const inline = (value) => {
  if (typeof value === 'object') {
    const fields = Object.entries(value).map(([name, field]) => `${name}: ${inline(field)}`);
    return `{ ${fields.join(', ')} }`;
  }
  return typeof value === 'string' && !/^\p{L}+$/u.test(value) ? JSON.stringify(value) : String(value);
};

/** Creates the default scenario from fixtures/: a YAML file for people, and a module for bundles. */
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
import type { Scenario } from '../scenario/scenario-schema.js';
import { deepFreeze } from '../values/plain-data.js';
import type { PetStatus } from './document.js';

/** Name, category and status of each pet, with ids from 1. Compact, because pages download the module. */
const pets = \`${rows.join('\n')}\`;

/** Default scenario, the base of every scenario. */
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

/** Replaces the text between two comments that mark a generated part of a page. */
export function between(text, name, content, script = 'generate') {
  const opening = `<!-- ${name}: written by npm run ${script} -->\n`;
  const start = text.indexOf(opening) + opening.length;
  const end = text.indexOf(`<!-- /${name} -->`);
  if (start < opening.length || end < start) throw new Error(`expected the marks of ${name}`);
  return text.slice(0, start) + content + text.slice(end);
}

/** Formats a table in Markdown. */
function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return `${line(head)}|${'---|'.repeat(head.length)}\n${rows.map(line).join('')}`;
}

const code = (text) => `\`${text}\``;

const assumptionTable = (rows) =>
  table(
    ['id', 'question', 'default', 'alternatives'],
    rows.map(({ id, question, byDefault, alternatives }) => [code(id), question, byDefault, alternatives]),
  );

const controlTable = (rows) =>
  table(
    ['function', 'request', 'input', ''],
    rows.map(({ name, request, input, summary }) => [code(name), code(request), input, summary]),
  );

/**
 * Creates the table of the package's scenarios from the output of `petstore-sim scenarios`. Omits the default scenario.
 */
function scenarioTable(list) {
  // Skips the last block of the output, which is advice.
  const groups = stripVTControlCharacters(list).split('\n\n').slice(0, -1).join('\n\n');
  const rows = groups
    .split('\n')
    .filter((line) => line !== '' && line !== 'start' && !line.startsWith('  default '))
    .map((line) => /^ {2}(\S+) +(.*)/.exec(line)?.slice(1) ?? [`**${line}**`])
    .map(([name, sentence]) => (sentence === undefined ? [name, ''] : [code(name), sentence]));
  return table(['Scenario', ''], rows);
}

/**
 * Updates the generated parts of documentation pages. Parts without a source stay unchanged.
 * @param sources rows of the tables, output of `petstore-sim scenarios`, help texts, and results of the benchmark
 * @returns the new text of each page, by path
 */
export function pages({ assumptionRows, controlRows, scenarioList, help, results, replicas }) {
  const parts = [
    ['README.md', 'speed', results && summary(results)],
    ['docs/assumptions.md', 'assumptions', assumptionRows && assumptionTable(assumptionRows)],
    ['docs/command-line.md', 'help', help],
    ['docs/control-api.md', 'control', controlRows && controlTable(controlRows)],
    ['docs/many-replicas.md', 'replicas', replicas && replicasTable(replicas)],
    ['docs/scenarios.md', 'scenarios', scenarioList && scenarioTable(scenarioList)],
  ];
  return parts
    .filter(([, , content]) => content !== undefined)
    .map(([path, name, content]) => ({ path, text: between(read(path), name, content) }));
}

/** Creates transcripts of the overview of all commands, and of each command's help. */
function helpTranscripts() {
  const overview = printed('--help');
  const forms = overview.slice(overview.indexOf('\nCommands\n'), overview.indexOf('\nOptions\n'));
  const names = new Set(Array.from(forms.matchAll(/^ {2}\[?([a-z]+)/gm), ([, name]) => name));
  const transcript = (...args) => {
    const output = printed(...args).replaceAll('node dist/cli/main.cjs', 'npx petstore-sim');
    return `\`\`\`console\n$ npx petstore-sim ${args.join(' ')}\n${output}\`\`\`\n`;
  };
  return [transcript('--help'), ...Array.from(names, (name) => `### ${name}\n\n${transcript(name, '--help')}`)].join(
    '\n',
  );
}

/** Runs the built command line and returns its output. */
const printed = (...args) =>
  execFileSync(process.execPath, ['dist/cli/main.cjs', ...args], {
    encoding: 'utf8',
    cwd: fileURLToPath(new URL('..', import.meta.url)),
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { file, module } = defaultScenario();
  write('scenarios/default.yaml', file);
  write('src/petstore/default-scenario.ts', module);
  const { assumptionRows, controlRows } = await source(`
    export { assumptionRows } from './cli/assumption-table.js';
    export { controlRows } from './control-api/control-operations.js';
  `);
  const results = JSON.parse(read('bench/results.json'));
  const sources = {
    assumptionRows: assumptionRows(),
    controlRows: controlRows(),
    scenarioList: printed('scenarios'),
    help: helpTranscripts(),
    results,
    replicas: replicaResults(),
  };
  for (const { path, text } of pages(sources)) write(path, text);
  write('docs/performance.md', performancePage(results, peers));
  write('docs/performance.svg', picture(results));
}
