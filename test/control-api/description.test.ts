// @module-tag slow
import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import type { journalEntrySchema } from '../../src/control-api/journal-entry.js';
import type { verdictSchema } from '../../src/control-api/verdict-schema.js';
import type { JournalEntry } from '../../src/entries/control.js';
import type { Verdict } from '../../src/entries/verdict.js';
import { controlOperations, sandboxOperations } from '../../src/petstore/served-petstore.js';
import type { Output } from '../../src/validation/schema.js';
import { send, stageOfEachTest } from './both-controls.js';
import { createAnswerCheck, type Json, operationOf, resolved } from './described.js';

const operations = { ...controlOperations, ...sandboxOperations };
const stage = stageOfEachTest();
let description: Json;
let check: ReturnType<typeof createAnswerCheck>;
beforeEach(async () => {
  description = await stage.there.getControlDescription();
  check = createAnswerCheck(description);
});

/** Sends a request as described. */
async function request(name: string, input: Json = {}): Promise<Response> {
  const [path, method] = routeOf(name);
  const { parameters = [], requestBody } = operationOf(description, name);
  const rest = { ...input };
  const take = (field: string) => {
    const value = rest[field];
    delete rest[field];
    return encodeURIComponent(String(value));
  };
  const inPath = path.replace(/\{(\w+)\}/g, (_, field) => take(field));
  const sent = parameters.filter((parameter: Json) => parameter.in === 'query' && rest[parameter.name] !== undefined);
  const query = sent.map((parameter: Json) => `${parameter.name}=${take(parameter.name)}`).join('&');
  return fetch(`${description.servers[0].url}${inPath}${query && `?${query}`}`, {
    method,
    ...(method !== 'GET' &&
      (requestBody?.content['text/plain'] === undefined
        ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(rest) }
        : { body: rest.text })),
  });
}

function routeOf(name: string): [path: string, method: string] {
  for (const [path, methods] of Object.entries(description.paths as Json)) {
    for (const [method, { operationId }] of Object.entries(methods as Json)) {
      if (operationId === name) return [path, method.toUpperCase()];
    }
  }
  throw new Error(`no operation ${name}`);
}

test('is valid OpenAPI 3.1 with every operation of a server and of a sandbox', async () => {
  await stage.there.createSandbox({ name: 'box' });
  const ofSandbox = (await stage.there.sandbox('box').getControlDescription()) as Json;
  for (const [each, table] of [
    [description, operations],
    [ofSandbox, controlOperations],
  ] as const) {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(each)));
    expect(result.errors ?? []).toEqual([]);
    expect(result.valid).toBe(true);
    const described = Object.values(each.paths as Json).flatMap((path) =>
      Object.values(path as Json).map(({ operationId }) => operationId),
    );
    expect(described.sort()).toEqual(Object.keys(table).sort());
  }
  expect(description.servers[0].url).toBe(stage.server.controlUrl);
  expect(ofSandbox.servers[0].url).toBe(`${stage.server.controlUrl}/sandboxes/box`);
  expect(stage.here.getControlDescription()).toMatchObject({ servers: [{ url: 'http://127.0.0.1:4010/__sim' }] });
});

test('lists the fields of an input as parameters and body', () => {
  expect(operationOf(description, 'queryJournal').parameters).toContainEqual({
    name: 'limit',
    in: 'query',
    description: 'Maximum number of requests.',
    required: false,
    schema: { type: 'integer', minimum: 0, maximum: 10_000, default: 100 },
    example: 10,
  });
  expect(operationOf(description, 'banKey')).toMatchObject({
    parameters: [{ name: 'key', in: 'path', required: true }],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: { required: ['for'] }, example: { for: '90s' } } },
    },
  });
  expect(operationOf(description, 'changeClock').requestBody).toMatchObject({
    required: true,
    content: { 'application/json': { schema: { minProperties: 1, maxProperties: 1 } } },
  });
  const scenario = { $ref: '#/components/schemas/Scenario' };
  const { schema } = operationOf(description, 'loadScenario').requestBody.content['application/json'];
  expect(schema.properties.scenario).toEqual({ anyOf: [{ type: 'string' }, scenario] });
  expect(description.components.schemas.State.properties.scenario).toEqual(scenario);
  expect(operationOf(description, 'addFault').requestBody.content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/Fault',
  });
});

describe.each(Object.keys(operations))('%s', (name) => {
  test('has a tag, a summary, a typed result and typed errors', () => {
    const { tags, summary, responses } = operationOf(description, name);
    expect(description.tags.map((tag: Json) => tag.name)).toContain(tags[0]);
    expect(summary).toMatch(/^[A-Z].*[^.]$/);
    for (const [status, response] of Object.entries(responses as Json)) {
      const { content, description: text } = resolved(description, response);
      expect(text).toMatch(/\.$/);
      const [[, { schema }]] = Object.entries(content as Json) as [[string, Json]];
      expect(Object.keys(schema), `${name} ${status}`).not.toEqual([]);
      if (Number(status) >= 400) expect(schema).toEqual({ $ref: '#/components/schemas/Error' });
    }
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '401', '403']));
  });
});

/** In an order in which each example works. */
const inOrder = (): string[] => {
  const last = ['clearJournal', 'removeFault', 'restoreSnapshot', 'removeSnapshot', 'getSandbox', 'removeSandbox'];
  const rest = Object.keys(operations).filter(
    (name) => !['importState', 'watchRequests', 'watchUpdates', ...last].includes(name),
  );
  return [...rest, ...last];
};

test('every example works, and every result fits its description', async () => {
  for (const name of inOrder()) {
    // After the reset, so that the journal has every kind of entry.
    if (name === 'getClock') await fillJournal();
    const { requestBody, parameters = [], responses } = operationOf(description, name);
    const example = {
      ...Object.fromEntries(parameters.map((parameter: Json) => [parameter.name, parameter.example])),
      ...requestBody?.content['application/json']?.example,
      ...(requestBody?.content['text/plain'] && { text: requestBody.content['text/plain'].example }),
    };
    const response = await request(name, example);
    const text = await response.text();
    expect(String(response.status), `${name} ${text}`).toBe(Object.keys(responses)[0]);
    const isLines = response.headers.get('content-type')?.startsWith('application/x-ndjson');
    if (isLines) for (const line of text.trimEnd().split('\n')) check.body(name, 200, JSON.parse(line), true);
    check.body(name, response.status, isLines ? text : JSON.parse(text));
  }
});

async function fillJournal() {
  const { sim, there } = stage;
  await there.reset();
  await there.loadScenario({
    scenario: {
      keys: { 'free-key': { usage: { minute: 59 } }, 'late-key': { plan: 'pro', expiresIn: '1h', bannedFor: '1m' } },
      ban: 'strict',
      faults: [
        { name: 'cut', when: { operation: 'createPet', key: 'pro-key' }, then: { reset: true, phase: 'after' } },
      ],
    },
  });
  await send(sim);
  await send(sim);
  sim.clock.advance('2s');
  await send(sim);
  sim.clock.advance('3m');
  await send(sim);
  await send(sim, { key: 'pro-key', body: '{"name":"Bello","categoryId":9223372036854775807}' });
  await send(sim, { key: 'business-key', body: `{"name":"${'x'.repeat(70_000)}","categoryId":1}` });
  await send(sim, { key: 'unknown-key', path: '/pets/1' });
  await send(sim, { key: 'late-key' });
  await fetch(`${stage.server.baseUrl}/pets`);
  await fetch(`${stage.server.baseUrl}/pets?limit=0`, {
    headers: { authorization: 'Bearer business-key', 'x-sim-call': 'a' },
  });
}

test('states, verdicts, keys, faults and events of a busy simulator fit their descriptions', async () => {
  await fillJournal();
  stage.sim.keys.add('added-key', { plan: 'pro', usage: { minute: 3, day: 4 }, bannedFor: '5s' });
  for (const name of ['exportState', 'getVerdict', 'listKeys', 'listFaults', 'exportHar', 'getScenario']) {
    check.body(name, 200, await (await request(name)).json());
  }
  const state = await (await request('exportState')).text();
  const imported = await fetch(`${stage.server.controlUrl}/state`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: state,
  });
  check.body('importState', 200, await imported.json());
  let last = 0;
  for await (const entry of stage.there.watchRequests({ since: 0 })) {
    check.body('watchRequests', 200, entry, true);
    last = entry.id;
    if (last === stage.sim.journal.query().at(-1)?.id) break;
  }
  expect(last).toBeGreaterThan(8);
});

test('errors fit their descriptions', async () => {
  const refused: [name: string, input: Json, status: number][] = [
    ['banKey', { key: 'free-key' }, 400],
    ['getKey', { key: 'none' }, 404],
    ['listKeys', { after: 'none' }, 404],
    ['loadScenario', { scenario: 'none' }, 404],
    ['createSandbox', { name: 'box', scenario: 'none' }, 404],
    ['restoreSnapshot', { name: 'none' }, 404],
  ];
  for (const [name, input, status] of refused) {
    const response = await request(name, input);
    expect(response.status, name).toBe(status);
    check.body(name, status, await response.json());
  }
  await request('createSandbox', { name: 'box' });
  check.body('createSandbox', 409, await (await request('createSandbox', { name: 'box' })).json());
  const foreign = await fetch(`${stage.server.controlUrl}/clock`, { headers: { origin: 'http://evil.test' } });
  check.body('getClock', foreign.status, await foreign.json());
  const text = await fetch(`${stage.server.controlUrl}/clock`, { method: 'POST', body: '{}' });
  check.body('changeClock', text.status, await text.json());
});

test('the types of results have the fields of their schemas', () => {
  expectTypeOf<keyof Output<typeof journalEntrySchema>>().toEqualTypeOf<keyof JournalEntry>();
  expectTypeOf<keyof Output<typeof verdictSchema>>().toEqualTypeOf<keyof Verdict>();
  expectTypeOf<Output<typeof verdictSchema>['counts']>().toEqualTypeOf<Verdict['counts']>();
});
