import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { scenarioSchema } from '../../src/petstore/scenario-schema.js';
import { stateAsScenario } from '../../src/petstore/state-as-scenario.js';
import { readYaml } from '../../src/scenario/read-yaml.js';
import { readSetFlag } from '../../src/scenario-files/overrides.js';
import { readScenarioAndFiles } from '../../src/scenario-files/scenario-files.js';
import { toJsonSchema } from '../../src/validation/json-schema.js';
import type { AnySchema } from '../../src/validation/schema.js';
import { newFolder } from '../support/new-folder.js';

type Ban = NonNullable<Scenario['ban']>;

/** The ban assumptions of a simulator. */
function settingsOf(ban: Ban) {
  const { banAfter, banSeconds, banGraceMs, banToleranceMs, banEscalation } = createSimulator({
    scenario: { ban },
  }).settings;
  return { banAfter, banSeconds, banGraceMs, banToleranceMs, banEscalation };
}

const present: Ban = { for: '30s', grace: '2s', tolerance: '10ms', escalation: { factor: 2, max: '1h' } };
const earlier: Ban = { seconds: 30, graceMs: 2_000, toleranceMs: 10, escalation: { factor: 2, maxSeconds: 3_600 } };

describe('ban', () => {
  test('accepts durations like all other fields', () => {
    expect(settingsOf(present)).toEqual({
      banAfter: 3,
      banSeconds: 30,
      banGraceMs: 2_000,
      banToleranceMs: 10,
      banEscalation: { factor: 2, maxSeconds: 3_600 },
    });
    expect(settingsOf({ for: 30_000 })).toMatchObject({ banSeconds: 30 });
  });

  test('accepts numbers under the deprecated names', () => {
    expect(settingsOf(earlier)).toEqual(settingsOf(present));
  });

  test('ignores an undefined value under the other name', () => {
    expect(settingsOf({ for: undefined, seconds: 5 })).toMatchObject({ banSeconds: 5 });
    expect(settingsOf({ for: '5s', seconds: undefined })).toMatchObject({ banSeconds: 5 });
  });

  test('is exported with durations under the current names', async () => {
    const scenario: Scenario = { ban: earlier };
    const exported = stateAsScenario(await createControl(createSimulator({ scenario })).exportState());
    expect(exported.ban).toEqual({
      for: '30s',
      grace: '2000ms',
      tolerance: '10ms',
      escalation: { factor: 2, max: '3600s' },
    });
    expect(createSimulator({ scenario: { ban: exported.ban as Ban } }).settings).toEqual(
      createSimulator({ scenario }).settings,
    );
  });

  test.each<[Ban, string]>([
    [{ for: '30 minutes' }, 'ban.for: expected a duration such as "500ms", "2s", "5m" or "1d", got "30 minutes"'],
    [{ for: 30 }, 'ban.for: expected whole seconds, at least "1s", got 30'],
    [{ grace: true as never }, 'ban.grace: expected a duration such as "90s", got true'],
    [{ seconds: '30s' as never }, 'ban.seconds: expected a number, or a duration under the name "for", got "30s"'],
    [{ seconds: 30, for: '30s' }, 'ban.seconds: expected only one of this field and "for", got 30'],
    [{ escalation: { factor: 2 } }, 'ban.escalation: expected max, the longest ban, such as "1h"'],
    [
      { escalation: { factor: 2, max: '1h', maxSeconds: 5 } },
      'ban.escalation.maxSeconds: expected only one of this field and "max", got 5',
    ],
  ])('%j is invalid', (ban, message) => {
    expect(() => createSimulator({ scenario: { ban } })).toThrow(message.replace(/^([^:]+)/, 'scenario at $1'));
  });
});

test('docs/scenarios.md lists the fields of ban with their defaults', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/scenarios.md'), 'utf8');
  const [, section = ''] = page.split('## Bans');
  const rows = [...section.matchAll(/^\| `(\w+)` \| `([^`]+)` \|/gm)].map(([, name, value]) => [name, value]);
  const documented = Object.fromEntries(rows.map(([name, value]) => [name, readYaml(value as string).value])) as Ban;
  const { anyOf } = toJsonSchema(scenarioSchema.entries?.ban as AnySchema) as {
    anyOf: { properties?: Record<string, object> }[];
  };
  const properties = anyOf[1]?.properties ?? {};
  const names = Object.keys(properties).filter((name) => !('deprecated' in (properties[name] as object)));
  expect(Object.keys(documented).sort()).toEqual(names.sort());
  expect(createSimulator({ scenario: { ban: documented } }).settings).toEqual(createSimulator().settings);
});

describe('merging two files, one with deprecated names', () => {
  const folder = newFolder();

  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test.each([
    ['{ for: 40s, tolerance: 0 }', '{ seconds: 5, graceMs: 3 }'],
    ['{ seconds: 40, toleranceMs: 0 }', '{ for: 5s, grace: 3ms }'],
  ])('%s is the base of %s', async (base, own) => {
    write('base.yaml', `ban: ${base}`);
    const { scenario } = await readScenarioAndFiles(write('own.yaml', `extends: ./base.yaml\nban: ${own}`));
    expect(createSimulator({ scenario }).settings).toMatchObject({ banSeconds: 5, banGraceMs: 3, banToleranceMs: 0 });
  });

  test.each(['ban.seconds=5', 'ban.for=5s', 'ban={ seconds: 5 }'])(
    '--set %s replaces the length of a ban',
    async (flag) => {
      const overrides = [await readSetFlag(flag)];
      for (const ban of ['{ for: 40s }', '{ seconds: 40 }']) {
        const { scenario } = await readScenarioAndFiles(write('ban.yaml', `ban: ${ban}`), { overrides });
        expect(createSimulator({ scenario }).settings.banSeconds).toBe(5);
      }
    },
  );

  test('a mistake under a deprecated name is reported with its position', async () => {
    const reading = readScenarioAndFiles(write('bad.yaml', 'ban:\n  after: 1\n  seconds: 1.5\n'));
    await expect(reading).rejects.toThrow('bad.yaml:3:12: ban.seconds: expected a whole number from 1');
  });
});
