import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
// @ts-expect-error plain JavaScript, part of the build
import { descriptions, jsonSchema } from '../../scripts/json-schema.mjs';
import { createSimulator, type Scenario } from '../../src/index.js';
import { generatePets } from '../../src/seed.js';
import { badFiles } from './bad-files.js';

const root = join(import.meta.dirname, '../..');
const { schema, paths } = jsonSchema();

const ajv = new Ajv({ allowUnionTypes: true });
(addFormats as unknown as (ajv: Ajv) => void)(ajv);
const isValid = ajv.compile(schema);

const read = (path: string) => readFileSync(join(root, path), 'utf8');
/** As an editor reads a file. */
const asEditor = (text: string) => parse(text, { schema: 'core', merge: false });

describe('the JSON Schema', () => {
  test('is what the build has written, beside the scenarios and in dist', () => {
    expect(JSON.parse(read('schema.json'))).toEqual(schema);
    expect(JSON.parse(read('dist/schema.json'))).toEqual(schema);
  });

  test('describes every field, and no other', () => {
    const isTopOfName = (path: string) => /\.\*$/.test(path);
    const undescribed = [...paths].filter((path) => !(path in descriptions) && !isTopOfName(path));
    expect(undescribed).toEqual([]);
    expect(Object.keys(descriptions).filter((path) => !paths.has(path))).toEqual([]);
  });

  test('takes no field that the code does not know, at any depth', () => {
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

describe('ajv, with the JSON Schema, and our own check agree', () => {
  const shipped = readdirSync(join(root, 'scenarios')).filter((file) => file.endsWith('.yaml'));

  test.each(shipped)('that %s is good, as YAML and as the JSON built from it', (file) => {
    expect(isValid(asEditor(read(`scenarios/${file}`))), JSON.stringify(isValid.errors)).toBe(true);
    const built = JSON.parse(read(`dist/scenarios/${file.replace('.yaml', '.json')}`)) as Scenario;
    expect(isValid(built), JSON.stringify(isValid.errors)).toBe(true);
    expect(createSimulator({ scenario: built, generatePets }).name).toBe(file.replace('.yaml', ''));
  });

  test.each(shipped)('%s names the schema in its first line', (file) => {
    expect(read(`scenarios/${file}`).split('\n')[0]).toBe('# yaml-language-server: $schema=../schema.json');
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
    { limits: { appliesTo: ['createPet'] }, ban: { escalation: { factor: 1, maxSeconds: 1 }, status: 418 } },
    { faults: [{ then: { respond: { status: 204, headers: { 'X-A': 1, 'X-B': null } }, delay: { p50: 1, p99: 2 } } }] },
    { faults: [{ when: { operation: ['getPet'], petId: '7', probability: 1 }, then: { truncate: { fraction: 0 } } }] },
    { assumptions: { acceptAnyKey: true, cors: ['https://app.example'], errorCodes: { gone: 'x' } } },
    { background: { a: 0.1 }, hostileHeaders: { html: true, remaining: 3 }, expect: { verdict: 'pass', fail: [] } },
  ];
  test.each(good)('that %j is good', (scenario) => {
    expect(isValid(scenario), JSON.stringify(isValid.errors)).toBe(true);
    expect(() => createSimulator({ scenario, generatePets })).not.toThrow();
  });
});
