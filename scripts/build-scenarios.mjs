// Part of `npm run build`, after tsc: checks scenarios/*.yaml and writes dist/scenarios/*.json, and the JSON Schema.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readScenarioAndFiles } from '../dist/node/scenario-files/scenario-files.js';
import { shippedScenarios } from '../dist/node/scenario-files/shipped-scenarios.js';
import { jsonSchema } from './json-schema.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = shippedScenarios(join(root, 'scenarios/'), '.yaml');

/** JSON without bigints: JSON numbers are exact up to 2^53-1; beyond that, scenarios use text. */
const toJson = (value) =>
  `${JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part), 2)}\n`;

mkdirSync(join(root, 'dist/scenarios'), { recursive: true });
const failures = [];
const scenarios = {};
for (const name of sources.names) {
  const file = join('scenarios', `${name}.yaml`);
  try {
    const { scenario } = await readScenarioAndFiles(join(root, file), { shipped: sources });
    if (scenario.name !== name) failures.push(`${file}: name: expected the name of the file, got ${scenario.name}`);
    writeFileSync(join(root, 'dist/scenarios', `${name}.json`), toJson(scenario));
    scenarios[name] = JSON.parse(toJson(scenario));
  } catch (error) {
    failures.push(error.message);
  }
}
if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exit(1);
}

// Module with all scenarios, for environments without files.
writeFileSync(
  join(root, 'dist/test-kits/shipped-scenarios.js'),
  `export const scenarios = ${JSON.stringify(scenarios)};\n`,
);

// Declares the type of a scenario's JSON. TypeScript would read its texts as `string`, which a scenario does not
// accept.
writeFileSync(
  join(root, 'dist/shipped-scenario.d.ts'),
  `import type { Scenario } from './index.js';\ndeclare const scenario: Scenario;\nexport default scenario;\n`,
);

const { schema } = await jsonSchema();
writeFileSync(join(root, 'dist/schema.json'), toJson(schema));
// JSON Schema that the first line of each scenario refers to. Its path is the same in a clone and in the package.
// Built, not committed.
writeFileSync(join(root, 'schema.json'), toJson(schema));
