import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
// @ts-expect-error plain JavaScript, run by npm run generate
import { defaultScenario, readme } from '../../scripts/generate.mjs';
import { assumptionRows } from '../../src/cli/assumption-table.js';
import { controlRows } from '../../src/control/control-operations.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const hint = 'run npm run generate';

test('the default scenario, as a file and as a module, is what the fixtures say', () => {
  const { file, module } = defaultScenario();
  expect(read('scenarios/default.yaml'), hint).toBe(file);
  expect(read('src/scenario/default-scenario.ts'), hint).toBe(module);
});

test('the tables of assumptions and of control operations in the README are what the code does, its figures those of the bench', () => {
  const results = JSON.parse(read('bench/results.json'));
  expect(read('README.md'), hint).toBe(readme(assumptionRows(), controlRows(), results));
});

test('every file that the README links to exists', () => {
  const links = [...read('README.md').matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, path]) => path as string);
  expect(links.length).toBeGreaterThan(5);
  for (const path of links)
    expect(() => readFileSync(new URL(`../../${path}`, import.meta.url)), path).not.toThrow(/ENOENT/);
});
