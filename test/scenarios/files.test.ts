import { describe, expect, test } from 'vitest';
import { generatePets } from '../../src/entries/seed.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { findingCodes } from '../../src/scenario/finding-codes.js';
import type { Scenario } from '../../src/scenario/scenario-schema.js';
import { tableRows, userPage } from '../support/markdown.js';
import { fileNames, scenarioOf, textOf } from './stage.js';

/** The starred entries of research/client-bugs.md: bugs of real clients. */
const reproducedBugs = [
  ...['minute-wall', 'backoff-only', 'retry-after-clamped', 'retry-after-60-edge', 'http-date', 'fractional', 'zero'],
  ...['huge', 'timer-overflow', 'missing', 'reset-in-ms', 'clock-skew', '429-with-remaining', '200-with-remaining-0'],
  ...['401-with-remaining-0', 'day-wall', 'parallel-burst', 'thundering-herd', 'nested-retries', 'stubborn-429'],
  ...['ban-on-third-strike', 'sit-out-the-ban', '401-loop', 'post-429', 'post-body-lost', 'post-ambiguous'],
];

/** Effect of a scenario, as text, without its name and its expectation. */
function serviceOf(scenario: unknown): string {
  try {
    const { name: _, ...service } = resolveScenario(scenario as Scenario, generatePets);
    return JSON.stringify(service, (_, value) => {
      if (value instanceof Map || value instanceof Set) return [...value];
      return typeof value === 'bigint' ? `${value}n` : value;
    });
  } catch (error) {
    return (error as Error).message;
  }
}

/** Every field, with the scenario without it. */
function* withoutEachField(value: unknown, path = ''): Generator<[path: string, without: unknown]> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const put = (next: unknown) => (Array.isArray(value) ? value.with(Number(name), next) : { ...value, [name]: next });
    const { [name]: _, ...others } = value as Record<string, unknown>;
    if (!Array.isArray(value)) yield [`${path}.${name}`, others];
    for (const [deeper, without] of withoutEachField(inner, `${path}.${name}`)) yield [deeper, put(without)];
  }
}

test('every known bug of real clients has a scenario', () => {
  expect(reproducedBugs).toHaveLength(26);
  expect(fileNames).toEqual(expect.arrayContaining(reproducedBugs));
});

describe.each(fileNames)('%s', (name) => {
  const scenario = scenarioOf(name);
  const { description = '', expect: expected } = scenario;

  test('has the name of its file, which editors can check, and describes a right and a wrong client', () => {
    expect(() => resolveScenario(scenario, generatePets)).not.toThrow();
    expect(scenario.name).toBe(name);
    expect(textOf(name)).toMatch(/^# yaml-language-server: \$schema=\.\.\/schema\.json\n/);
    expect(description).toMatch(/^[^.].*\. A right client .*\. A wrong client .*\.$/);
  });

  test('has no field without an effect', () => {
    const { name: _, group: __, description: ___, expect: ____, client: _____, ...said } = scenario;
    const whole = serviceOf(said);
    const needless = [...withoutEachField(said)].filter(([, without]) => serviceOf(without) === whole);
    expect(needless.map(([path]) => path)).toEqual([]);
  });

  test('expects of a client only what can be judged', () => {
    for (const code of expected?.fail ?? []) expect(findingCodes).toContain(code);
    if (reproducedBugs.includes(name)) {
      expect(description).toMatch(/ Seen in [\w.-]+\/[\w.-]+#\d+/);
      expect(expected?.verdict).toBe('pass');
      expect(expected?.fail).not.toHaveLength(0);
    }
  });
});

test('docs/scenarios.md lists every scenario by its group, with the first sentence of its description', () => {
  const groups = ['data', 'keys', 'limits', 'headers', 'bans', 'posts', 'network', 'paging'];
  const rows = groups.flatMap((group) => {
    const members = fileNames.map(scenarioOf).filter((scenario) => scenario.group === group);
    expect(members, `members of ${group}`).not.toHaveLength(0);
    const firstSentence = (text = '') => text.split(/(?<=\.) /)[0];
    return [
      [`**${group}**`, ''],
      ...members.map(({ name, description }) => [`\`${name}\``, firstSentence(description)]),
    ];
  });
  expect(rows).toHaveLength(groups.length + fileNames.length);
  expect(tableRows(userPage('docs/scenarios.md'), '| Scenario |')).toEqual(rows);
});
