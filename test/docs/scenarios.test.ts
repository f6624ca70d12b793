import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { readScenario } from '../../src/entries/node.js';
import { generatePets } from '../../src/entries/seed.js';
import { assumptions } from '../../src/petstore/assumptions.js';
import { faultSchema, scenarioSchema } from '../../src/petstore/scenario-schema.js';
import { errorCodes } from '../../src/requests/error-codes.js';
import { findingCodes } from '../../src/scenario/finding-codes.js';
import { banPresetNames } from '../../src/scenario/scenario-schema.js';
import type { AnySchema } from '../../src/validation/schema.js';
import { frozen } from '../support/frozen.js';
import { blocksIn, tableRows, userPage } from '../support/markdown.js';
import { newFolder } from '../support/new-folder.js';
import { send, sendTimes } from '../support/plain-call.js';

const faultPage = userPage('docs/faults.md');
const scenarioPage = userPage('docs/scenarios.md');

/** The names in code in one column of a table. */
const namesIn = (rows: readonly string[][], column = 0) =>
  rows.flatMap((row) => [...(row[column] ?? '').matchAll(/`([\w$-]+)/g)].map(([, name]) => name as string));
const fieldsOf = (schema: AnySchema | undefined): string[] => Object.keys(schema?.entries ?? {});

const folder = newFolder();

/** A scenario as the command line reads it. */
async function readText(text: string, language = 'yaml'): Promise<Scenario> {
  const file = join(folder, `scenario.${language}`);
  await writeFile(file, text);
  return readScenario(file);
}

describe('every scenario in the documentation is valid', () => {
  // A block that begins with a path is a file for another program, one that begins with a time is a recording.
  const blocks = blocksIn('yaml', 'json').filter(
    ({ text }) => !/^# \.?[\w/-]+\.\w+$|^\{"time":/m.test(text.split('\n')[0] as string),
  );
  test('there are several', () => expect(blocks.length).toBeGreaterThanOrEqual(5));

  test.each(blocks)('$place', async ({ text, language }) => {
    const scenario = await readText(text, language);
    // So that a million pets need not be made.
    const { pets: _, ...rest } = scenario;
    expect(createSimulator({ scenario: rest, generatePets }).keys.list()).not.toHaveLength(0);
  });
});

const workflows = blocksIn('yaml').filter(({ text }) => / (?:--report|--junit|--save) /.test(text));
test('the pages have workflows for two services', () => expect(workflows.length).toBeGreaterThanOrEqual(3));

test.each(workflows)('the workflow of $place uses each file that it writes', ({ text }) => {
  parse(text);
  const written = [...text.matchAll(/ --(?:report|junit|save) (\S+)/g)].map(([, file]) => file as string);
  for (const file of written) expect(text.split(file).length - 1, file).toBeGreaterThanOrEqual(2);
});

test('the page lists all fields of a scenario', () => {
  expect(namesIn(tableRows(scenarioPage, '| Field |')).sort()).toEqual(fieldsOf(scenarioSchema).sort());
});

test('each field of a scenario has a valid example', async () => {
  const rows = tableRows(scenarioPage, '| Field |').filter(
    ([field, example]) => field !== '`extends`' && example !== '',
  );
  expect(rows.length).toBeGreaterThan(10);
  for (const [field = '', example = ''] of rows) {
    const scenario = await readText(`${field.slice(1, -1)}: ${example.slice(1, -1)}`);
    expect(createSimulator({ scenario }).name, field).toBeDefined();
  }
});

test('the documented fault rules have the documented effects', () => {
  const [block] = blocksIn('yaml').filter(({ page }) => page === faultPage);
  const sim = frozen(parse(block?.text ?? '') as Scenario);
  const post = { body: { name: 'Rex', categoryId: 1 } };
  expect(send(sim, post)).toMatchObject({ status: 201, fault: undefined });
  expect(send(sim, post)).toMatchObject({ fault: 'answer-lost', wire: { kind: 'reset' } });
  expect(sim.pets.size).toBe(42);
  sim.clock.advance('30s');
  const answers = sendTimes(sim, 10, { path: '/pets/1' });
  expect(answers.map(({ fault }) => fault)).toEqual(Array(10).fill('outage'));
  expect(answers[0]).toMatchObject({ status: 503, headers: { 'Retry-After': '2' } });
  sim.clock.advance('20s');
  expect(send(sim, { path: '/pets/1' }).status).toBe(200);
  expect(sim.faults.list()[1]).toMatchObject({ name: 'slow-lists' });
});

test('the tables of faults list every condition and every effect', () => {
  const { when, then } = faultSchema.entries ?? {};
  expect(namesIn(tableRows(faultPage, '| `when` |')).sort()).toEqual(fieldsOf(when).sort());
  const beside = ['phase', 'countsQuota', 'failTimes'];
  for (const name of beside) expect(faultPage.text).toContain(`- \`${name}: `);
  const effects = namesIn(tableRows(faultPage, '| `then` |')).filter((name) => fieldsOf(then).includes(name));
  expect([...effects, ...beside].sort()).toEqual(fieldsOf(then).sort());
});

test('the documented values of hostileHeaders.retryAfter are sent, for a rejection of 10 seconds', () => {
  const rows = tableRows(faultPage, '| `hostileHeaders.retryAfter` |');
  expect(rows).toHaveLength(9);
  for (const [form = '', sent = ''] of rows) {
    const sim = frozen({
      windows: { minute: '10s' },
      keys: { 'free-key': { usage: { minute: 60 } } },
      hostileHeaders: { retryAfter: parse(form.slice(1, -1)) },
    });
    const retryAfter = send(sim).headers['Retry-After'];
    const [, literal] = /^`([^`]+)`/.exec(sent) ?? [];
    if (literal !== undefined) expect(retryAfter, form).toBe(literal);
    else if (form === '`missing`') expect(retryAfter).toBeUndefined();
    else if (form === '`epoch`') expect(retryAfter).toBe(String(sim.clock.now() / 1000 + 10));
    else expect(Date.parse(retryAfter ?? ''), form).toBe(sim.clock.now() - 1000);
  }
});

test('the pages list all ban presets, error codes and rules of the judge', () => {
  const serverPage = userPage('docs/http-server.md');
  expect(namesIn(tableRows(serverPage, '| `ban:` |'))).toEqual([...banPresetNames]);
  expect(namesIn(tableRows(serverPage, '| `code` |')).sort()).toEqual([...errorCodes].sort());
  expect(namesIn(tableRows(userPage('docs/judging-clients.md'), '| Rule |')).sort()).toEqual([...findingCodes].sort());
});

test('the assumptions in the pages exist', () => {
  const named = [userPage('docs/http-server.md'), userPage('docs/testing.md')].flatMap(({ text }) =>
    [...text.matchAll(/assumptions? `(\w+)`/g)].map(([, id]) => id as string),
  );
  expect(named.length).toBeGreaterThan(3);
  for (const id of named) expect(Object.keys(assumptions)).toContain(id);
});
