import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CliInput } from '../cli-input.js';
import { formatJsonResult } from '../format-json-result.js';
import { program } from '../program.js';
import { schemaLine } from '../schema-line.js';

const file = 'petstore.scenario.yaml';

const scenario = (schema: string) => `${schema}
# Initial state and behavior of the simulator. All fields are optional; the default scenario has the rest.
name: petstore
description: The key has one request left in its minute; further requests are rejected for ten seconds.

# Shortens the one-minute window to ten seconds, headers included.
windows: { minute: 10s }

# API keys with their plans and used requests.
keys:
  free-key: { plan: free, usage: { minute: all but 1 } }
  # revoked-key: { plan: free, state: revoked }
  # banned-key: { plan: pro, bannedFor: 90s }

# Faults and their conditions. The command petstore-sim scenarios lists more examples.
# faults:
#   - when: { operation: createPet, nth: 1 }
#     then: { reset: true, phase: after }   # the pet is stored, the response is lost
#   - when: { operation: listPets, nth: 5 }
#     then: { ban: 90s }

# pets: { generate: { available: 30, pending: 8, sold: 4 } }
# clock: { start: 2026-01-01T12:00:00Z, mode: frozen }   # frozen: only a test advances the clock

# Key of the client, and number of its calls.
client: { key: free-key, calls: 2 }
expect: { verdict: pass }
`;

type Runner = 'vitest' | 'jest' | 'node:test' | 'playwright';

/**
 * Creates the text of an example test file for a new project.
 * @param head line of the test file that imports the test kit
 * @param end last line of the test
 */
const unitTest = (head: string, end = 'expect(sim).toHaveHonouredRetryAfter();') => `${head}

const limited = test.extend({ scenario: './${file}' });

limited('the client waits for Retry-After', async ({ sim, baseUrl, apiKey }) => {
  // Call your client here, twice, with this baseUrl and apiKey; or with sim.fetch, if it takes a fetch.
  ${end}
}, 30_000);
`;

const lines: Record<Runner, string> = {
  vitest: unitTest("import { expect, test } from 'petstore-sim/vitest';"),
  jest: unitTest("import { test } from 'petstore-sim/jest';"),
  'node:test': unitTest(
    "import { test } from 'petstore-sim/node-test';",
    '// At the end of the test, the test kit judges the requests.',
  ),
  playwright: `// playwright.config.ts: webServer: { command: 'npx petstore-sim --scenario ${file}', url: 'http://127.0.0.1:4010/__sim/health' }
import { expect, test } from 'petstore-sim/playwright';

test('the page waits and then shows the list', async ({ page, sandbox }) => {
  await sandbox.answerFor(page, 'https://api.petstore.example/v1'); // Replace with the API URL that your page calls.
  await page.goto('/');
  // Assert what your page shows while it waits for Retry-After, and afterwards. At the end of the test, the test kit
  // judges the page's requests.
});
`,
};

const jestWithoutModules = unitTest("const { test } = require('petstore-sim/jest');");

const packages: Record<string, Runner> = { vitest: 'vitest', jest: 'jest', '@playwright/test': 'playwright' };

/** Writes a first scenario file, unless the file exists. Prints text or JSON that describes the next steps. */
export function init({ flags, print }: CliInput<object>): void {
  const folder = process.cwd();
  const path = join(folder, file);
  const isNew = !existsSync(path);
  if (isNew) writeFileSync(path, scenario(schemaLine(folder)));
  const tests = findTests(folder);
  const script = { petstore: `petstore-sim --scenario ${file} --watch` };
  const next = [
    `${program} check --json ${file}`,
    `${program} exec --json --scenario ${file} -- COMMAND`,
    `${program} --scenario ${file}`,
  ];
  if (flags.json) {
    print(formatJsonResult({ file, isNew, script, tests }, next));
    return;
  }
  const shown = [
    isNew ? `Wrote ${file}.` : `${file} exists and was not changed.`,
    '',
    'Add to the scripts in package.json:',
    '',
    `  "petstore": ${JSON.stringify(script.petstore)}`,
    ...tests.flatMap(({ runner, lines }) => ['', `A test for ${names[runner]}:`, '', indented(lines)]),
    ...(tests.length === 0
      ? [
          '',
          'No test runner found. To judge a client in any language, run its command:',
          '',
          `  ${program} exec --scenario ${file} -- npm test`,
        ]
      : []),
  ];
  print(`${shown.join('\n').trimEnd()}\n`);
}

const names: Record<Runner, string> = {
  vitest: 'Vitest',
  jest: 'Jest',
  'node:test': 'node:test',
  playwright: 'Playwright',
};

const indented = (text: string) => text.trimEnd().replace(/^(?=.)/gm, '  ');

/** Packages that make Jest accept `import` in tests. */
const translators = ['@babel/preset-env', '@babel/preset-typescript', '@swc/jest', 'ts-jest'];

/** Example tests for the test runners that package.json contains. */
function findTests(folder: string): { runner: Runner; lines: string }[] {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return [];
  try {
    const { type, scripts, dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(manifest, 'utf8'));
    const listed = Object.keys({ ...dependencies, ...devDependencies });
    const hasModules = type === 'module' || translators.some((name) => listed.includes(name));
    const runners = Object.entries(packages).flatMap(([name, runner]) => (listed.includes(name) ? runner : []));
    if (/\bnode\b.* --test\b/.test(scripts?.test)) runners.push('node:test');
    return runners.map((runner) => ({
      runner,
      lines: runner === 'jest' && !hasModules ? jestWithoutModules : lines[runner],
    }));
  } catch {
    // Treats an invalid package.json like a missing one, because `init` does not depend on this file.
    return [];
  }
}
