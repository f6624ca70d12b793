import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
// @ts-expect-error plain JavaScript, run by npm run generate
import { defaultScenario, pages, replicaResults } from '../../scripts/generate.mjs';
import { assumptionRows } from '../../src/cli/assumption-table.js';
import { printScenarios } from '../../src/cli/commands/scenarios.js';
import { controlRows } from '../../src/control-api/control-operations.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const hint = 'run npm run generate';

test('the default scenario, as a file and as a module, matches the fixtures', () => {
  const { file, module } = defaultScenario();
  expect(read('scenarios/default.yaml'), hint).toBe(file);
  expect(read('src/petstore/default-scenario.ts'), hint).toBe(module);
});

test.each(['docs/assumptions.md', 'docs/control-api.md', 'docs/many-replicas.md', 'docs/scenarios.md', 'docs/sdks.md'])(
  'the generated part of %s matches the code and the bench results',
  (path) => {
    const sources = {
      assumptionRows: assumptionRows(),
      controlRows: controlRows(servedPetstore.groups()),
      scenarioList: printScenarios(),
      results: JSON.parse(read('bench/results.json')),
      replicas: replicaResults(),
    };
    const expected = pages(sources).find((page: { path: string }) => page.path === path);
    // The results of replicas exist only after their measurement.
    if (expected === undefined && sources.replicas === undefined) return;
    expect(read(path), hint).toBe(expected.text);
  },
);
