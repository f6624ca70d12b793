// Part of `npm run build`: checks scenarios/*.yaml and writes them to dist, and the JSON Schema.
import { writeBuilt } from './built.mjs';
import { jsonSchema } from './json-schema.mjs';
import { names, readPackageScenario } from './package-scenarios.mjs';
import { read } from './repository.mjs';

/** JSON without bigints: JSON numbers are exact up to 2^53-1; beyond that, scenarios use text. */
const toJson = (value) => `${JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? String(part) : part))}\n`;

const failures = [];
const texts = {};
for (const name of names) {
  const file = `scenarios/${name}.yaml`;
  try {
    const scenario = await readPackageScenario(name);
    if (scenario.name !== name) failures.push(`${file}: name: expected the name of the file, got ${scenario.name}`);
    writeBuilt(`dist/scenarios/${name}.json`, toJson(scenario));
    texts[name] = read(file);
  } catch (error) {
    failures.push(error.message);
  }
}
if (failures.length > 0) {
  console.error(failures.join('\n'));
  process.exit(1);
}

// For Vitest's browser mode, whose bundler loads only the scenario that a test names.
const imports = names.map(
  (name) => `  ${JSON.stringify(name)}: async () => (await import('../scenarios/${name}.json')).default,\n`,
);
writeBuilt('dist/test-kits/shipped-scenarios.js', `export const scenarios = {\n${imports.join('')}};\n`);

// The files as people write them, for `petstore-sim scenarios NAME`; in one file, to keep the package small.
writeBuilt('dist/scenario-texts.json', toJson(texts));

const { schema } = await jsonSchema();
// Not in dist: the first line of scenarios/*.yaml names this path. A build product, not committed.
writeBuilt('schema.json', `${JSON.stringify(schema)}\n`);
