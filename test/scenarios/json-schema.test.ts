import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
// @ts-expect-error plain JavaScript, part of the build
import { editorKeywords } from '../../scripts/editor-rules.mjs';
// @ts-expect-error plain JavaScript, part of the build
import { descriptions, jsonSchema } from '../../scripts/json-schema.mjs';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { generatePets } from '../../src/entries/seed.js';
import { readYaml } from '../../src/scenario/read-yaml.js';
import { banPresetNames } from '../../src/scenario/scenario-schema.js';
import { badFiles } from './bad-files.js';

const root = join(import.meta.dirname, '../..');
const { schema, paths } = await jsonSchema();

// The rules for editors name fields without repeating their types.
const ajv = new Ajv({ allowUnionTypes: true, strictTypes: false, strictRequired: false });
ajv.addVocabulary(editorKeywords);
(addFormats as unknown as (ajv: Ajv) => void)(ajv);
const isValid = ajv.compile(schema);

const shipped = readdirSync(join(root, 'scenarios')).filter((file) => file.endsWith('.yaml'));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
/** Parses a file like an editor. */
const asEditor = (text: string) => parse(text, { schema: 'core', merge: false });

/** What the build makes of a scenario file: JSON with large numbers as text. */
const asJson = (value: unknown): Scenario =>
  JSON.parse(JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? String(each) : each)));

describe('the JSON Schema', () => {
  test('matches the built file', () => {
    expect(JSON.parse(read('schema.json'))).toEqual(schema);
  });

  test('describes exactly the existing fields', () => {
    const isTopOfName = (path: string) => /\.\*$/.test(path);
    const undescribed = [...paths].filter((path) => !(path in descriptions) && !isTopOfName(path));
    expect(undescribed).toEqual([]);
    expect(Object.keys(descriptions).filter((path) => !paths.has(path))).toEqual([]);
  });

  test('accepts no field that the code does not know, at any depth', () => {
    const open: string[] = [];
    const look = (part: Record<string, unknown>, path: string) => {
      if (part.type === 'object' && part.additionalProperties === undefined) open.push(path);
      for (const [name, value] of Object.entries(part)) {
        if (typeof value === 'object' && value !== null) look(value as Record<string, unknown>, `${path}/${name}`);
      }
    };
    look(schema, '');
    expect(open).toEqual([]);
  });
});

describe('an editor', () => {
  /** Every object in a schema. */
  function* parts(part: unknown): Generator<Record<string, unknown>> {
    if (typeof part !== 'object' || part === null) return;
    if (!Array.isArray(part)) yield part as Record<string, unknown>;
    for (const inner of Object.values(part)) yield* parts(inner);
  }

  test('shows words if a text violates a pattern', () => {
    const patterns = [...parts(schema)].filter(({ pattern }) => typeof pattern === 'string');
    expect(patterns.length).toBeGreaterThan(20);
    for (const { pattern, patternErrorMessage } of patterns) {
      expect(patternErrorMessage, pattern as string).toMatch(/^expected [a-z ]+/);
    }
  });

  test('completes extends by the shipped scenarios, with descriptions', () => {
    const [names] = schema.properties.extends.anyOf;
    expect(names.enum).toEqual(shipped.map((file) => file.replace('.yaml', '')).sort());
    expect(names.enumDescriptions).toHaveLength(shipped.length);
    for (const text of names.enumDescriptions) expect(text).toMatch(/^[A-Z].*\.$/s);
  });

  test('completes plan, of keys and of faults, and the presets of ban, with descriptions', () => {
    const { keys, faults, ban } = schema.properties;
    for (const { plan } of [keys.additionalProperties.properties, faults.items.properties.when.properties]) {
      expect(plan.anyOf[0].enum).toEqual(['free', 'pro', 'business', 'enterprise']);
      expect(plan.anyOf[0].enumDescriptions[1]).toBe('300 requests per minute, 10,000 per day.');
    }
    expect(ban.anyOf[0].enum).toEqual(banPresetNames);
    expect(ban.anyOf[0].enumDescriptions).toHaveLength(banPresetNames.length);
  });

  /** Texts for a field, valid and invalid. */
  const texts: [path: string, scenario: (text: string) => object, texts: string[]][] = [
    [
      'windows.minute',
      (minute) => ({ windows: { minute } }),
      [
        '',
        ...'1s 01s 0s 1.0s 1.5s 2000ms 1500ms 1m 0.5m 1.05m 1.25m 0.01m 2h 1d 1 1m30s 1:30 1:2'.split(' '),
        '1 s',
        '2000 ms',
        '1.5 s',
        '2 min',
        '3 days',
      ],
    ],
    [
      'clock.skew',
      (skew) => ({ clock: { skew } }),
      ['-40s', '40s', '+40s', '--1s', '-0s', '1.5h', '1.s', '.5s', '1 s', '-1m 30s', '-1:30', '1  s', '-'],
    ],
    [
      'clock.start',
      (start) => ({ clock: { start } }),
      [
        ...['2026-01-31T12:00Z', '2026-04-31T12:00Z', '2026-04-30T23:59:59.999+23:59', '1969-12-31T00:00:00Z'],
        ...['9999-12-31T00:00:00Z', '2026-01-01T24:00:00Z', '2026-01-01 12:00:00Z', '2026-01-01T12:00:00'],
        '2024-02-29T00:00Z',
      ],
    ],
    [
      'ids.start',
      (start) => ({ ids: { start } }),
      [
        ...['0', '-0', '01', '9223372036854775807', '9223372036854775808', '-9223372036854775808'],
        ...['-9223372036854775809', '9223372036854775799', '9223372036854775810', '9199999999999999999'],
        ...['1e3', '1.0', '10000000000000000000'],
      ],
    ],
  ];
  test.each(texts)('validates each text of %s like the check', (_path, scenario, values) => {
    for (const text of values) {
      let isTaken = true;
      try {
        createSimulator({ scenario: scenario(text) as Scenario });
      } catch {
        isTaken = false;
      }
      expect(isValid(scenario(text)), text).toBe(isTaken);
    }
  });

  test.each([
    [
      'a plan of the file',
      { plans: { gold: { minute: 1, day: 1 } }, keys: { a: { plan: 'gold', usage: { day: 1 } } } },
    ],
    ['a plan of the base', { extends: './base.yaml', keys: { a: { plan: 'gold' } } }],
    [
      'a usage up to the limit',
      { keys: { a: { usage: { minute: 'all', day: 1_000 } }, b: { plan: 'pro', usage: { minute: 300 } } } },
    ],
    ['a usage of a larger plan', { plans: { free: { minute: 90, day: 900 } }, keys: { a: { usage: { minute: 90 } } } }],
    [
      'a larger enterprise plan',
      {
        assumptions: { enterpriseLimits: { minute: 9_000, day: 9_000 } },
        keys: { a: { plan: 'enterprise', usage: { minute: 9_000 } } },
      },
    ],
    ['one effect with a delay', { faults: [{ then: { reset: true, delay: '1s', phase: 'after', failTimes: 2 } }] }],
    ['a delay alone', { faults: [{ then: { delay: { fixed: 5 } } }] }],
    [
      'a phase that fits',
      {
        faults: [
          { then: { truncate: { bytes: 1 }, phase: 'after' } },
          { then: { respond: { status: 500 }, phase: 'before' } },
        ],
      },
    ],
  ])('accepts %s', (_what, scenario) => {
    expect(isValid(scenario), JSON.stringify(isValid.errors)).toBe(true);
  });
});

describe("ajv with the JSON Schema, and the simulator's check agree", () => {
  test.each(shipped)('that %s is valid', (file) => {
    expect(isValid(asEditor(read(`scenarios/${file}`))), JSON.stringify(isValid.errors)).toBe(true);
    const scenario = asJson(readYaml(read(`scenarios/${file}`)).value);
    expect(isValid(scenario), JSON.stringify(isValid.errors)).toBe(true);
    expect(createSimulator({ scenario, generatePets }).name).toBe(file.replace('.yaml', ''));
  });

  test.each(badFiles.filter(({ fineForJsonSchema }) => fineForJsonSchema === undefined))(
    'that $text is bad',
    ({ text }) => {
      expect(isValid(asEditor(text))).toBe(false);
    },
  );

  test.each(badFiles.filter(({ fineForJsonSchema }) => fineForJsonSchema !== undefined))(
    'but for $text: $fineForJsonSchema',
    ({ text }) => {
      expect(isValid(asEditor(text))).toBe(true);
    },
  );

  const good: Scenario[] = [
    {},
    { $schema: '../schema.json', name: 'x', description: 'y', group: 'z', extends: 'default', seed: 0 },
    { clock: { start: '2026-01-01T12:00:00.5+02:00', mode: 'frozen', speed: 0.5, skew: '-40s' } },
    { clock: { start: 0, skew: -5 }, ids: { start: '9007199254740993' }, categories: [-1, '9223372036854775807'] },
    { pets: [] },
    { pets: [{ name: '', categoryId: 0 }] },
    { pets: { generate: {} } },
    { plans: { gold: { minute: 1, day: 1 } }, windows: { minute: '2s', day: 60_000 }, keys: { 'ü*[]': {} } },
    { keys: { a: { usage: {}, bannedFor: 0, expiresAt: '2026-01-01T12:00:00Z' } }, limits: 'off', ban: 'off' },
    { limits: { appliesTo: ['createPet'] }, ban: { escalation: { factor: 1, max: '1s' }, status: 418 } },
    { ban: { after: 0, for: '30s', grace: 0, tolerance: '50ms' } },
    { ban: { seconds: 30, graceMs: 0, toleranceMs: 50, escalation: { factor: 1, maxSeconds: 1 } } },
    { faults: [{ then: { respond: { status: 204, headers: { 'X-A': 1, 'X-B': null } }, delay: { p50: 1, p99: 2 } } }] },
    { faults: [{ when: { operation: ['getPet'], petId: '7', probability: 1 }, then: { truncate: { fraction: 0 } } }] },
    { assumptions: { acceptAnyKey: true, cors: ['https://app.example'], errorCodes: { gone: 'x' } } },
    {
      background: { 'pro-key': 0.1 },
      hostileHeaders: { html: true, remaining: 3 },
      expect: { verdict: 'pass', fail: [] },
    },
  ];
  test.each(good)('that %j is valid', (scenario) => {
    expect(isValid(scenario), JSON.stringify(isValid.errors)).toBe(true);
    expect(() => createSimulator({ scenario, generatePets })).not.toThrow();
  });
});
