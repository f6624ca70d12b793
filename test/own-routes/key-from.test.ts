import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { asCurl } from '../../src/dashboard/copy-as.js';
import { createControl, type JournalEntry } from '../../src/entries/control.js';
import { createSimulator, type Scenario, type Service } from '../../src/entries/index.js';
import { serve } from '../../src/entries/node.js';
import { generatePets } from '../../src/entries/seed.js';
import { judge } from '../../src/entries/verdict.js';
import { serveRoute } from '../../src/own-routes/serve-route.js';
import { recordingEngine } from '../../src/persistence/node/recording-engine.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { serveState } from '../../src/server/serve-state.js';
import { harText, entry as recordedEntry, site } from '../judge/recorded-entries.js';
import { runCommandLine } from '../support/command-here.js';
import { depot } from '../support/depot.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';
import { startBackend } from '../support/start-backend.js';

const key = 'sk-live-AbC+12345678';
const basic = (text: string) => `Basic ${btoa(text)}`;
const sigV4 = (nth: number) =>
  `AWS4-HMAC-SHA256 Credential=${key}/2026112${nth}/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=s${nth}`;

/** Forms of keys: the place, and the query and headers of the nth request. */
const forms: readonly (readonly [keyFrom: string, send: (nth: number) => { query?: string; headers?: object }])[] = [
  ['header x-api-key', () => ({ headers: { 'x-api-key': key } })],
  ['header Api-Key', () => ({ headers: { 'api-key': key } })],
  ['header Tenant', () => ({ headers: { tenant: key } })],
  ['basic', (nth) => ({ headers: { authorization: basic(`${key}:password${nth}`) } })],
  ['basic', (nth) => ({ headers: { authorization: `basic ${btoa(`:${key}`)}`, 'x-nth': `${nth}` } })],
  ['token', () => ({ headers: { authorization: `token ${key}` } })],
  ['token', () => ({ headers: { authorization: `Bot ${key}` } })],
  ['signature', (nth) => ({ headers: { authorization: sigV4(nth) } })],
  [
    'signature',
    (nth) => ({
      headers: {
        authorization: `OAuth oauth_consumer_key="c", oauth_token="${encodeURIComponent(key)}", oauth_nonce="${nth}"`,
      },
    }),
  ],
  ['query key', () => ({ query: `key=${key}` })],
  ['query who', () => ({ query: `who=${encodeURIComponent(key)}` })],
  ['one', () => ({})],
  ['header x-api-key', () => ({ headers: { 'x-api-key': key, authorization: 'Bearer other-key-123456' } })],
];

/** Name of the key in the scenario; a signature of OAuth has it encoded. */
const nameOf = (index: number) => (index === 8 ? encodeURIComponent(key) : key);

const scenario = (keyFrom: string, name = key): Scenario => ({
  name: 'own',
  keyFrom: keyFrom as 'one',
  plans: { free: { minute: 2 } },
  keys: { [name]: { plan: 'free' } },
  client: { key: name },
  ban: 'off',
});

/** Sends three requests, of which the third exceeds the limit. */
async function threeRequests(origin: string, send: (typeof forms)[number][1]): Promise<number[]> {
  const statuses: number[] = [];
  for (let nth = 1; nth <= 3; nth++) {
    const { query = '', headers = {} } = send(nth);
    const response = await fetch(`${origin}/v1/pets${query && `?${query}`}`, { headers: { ...headers } });
    statuses.push(response.status);
    await response.text();
  }
  return statuses;
}

/** Texts that no output may contain. */
const secrets = [
  /password\d/,
  /Basic [A-Za-z0-9]/i,
  new RegExp(btoa(`:${key}`)),
  /Signature=/,
  /other-key-123456/,
  /oauth_nonce/,
];

describe.each(forms.map(([keyFrom, send], index) => ({ keyFrom, send, name: nameOf(index), index })))(
  'keyFrom: $keyFrom ($index)',
  ({ keyFrom, send, name }) => {
    test('counts, records, exports and judges the requests of one key', async () => {
      const sim = createSimulator({ scenario: scenario(keyFrom, name), onWarning: () => {} });
      const server = await openServer(sim);
      expect(await threeRequests(new URL(server.baseUrl).origin, send)).toEqual([200, 200, 429]);
      expect(sim.journal.query().map(({ token }) => token)).toEqual([name, name, name]);
      const queries = sim.journal.query().map(({ query }) => query);
      expect(queries.filter((query) => query.includes(key) || query.includes(encodeURIComponent(key)))).toEqual([]);
      expect(judge(sim, { isOver: true }).findings.map(({ code }) => code)).not.toContain('retried-401');
      const control = createControl(server.controlUrl);
      const har = JSON.stringify(await control.exportHar());
      for (const secret of secrets) expect(har).not.toMatch(secret);
      const sentNames = Object.keys(send(1).headers ?? {});
      if (!sentNames.includes('authorization')) expect(har).not.toMatch(/"authorization"/i);
      expect(har).toContain(`"key":"${name}"`);
      const file = join(newFolder(), 'run.har');
      writeFileSync(file, har);
      const { out } = await runCommandLine(['judge', '--ended', '--json', file]);
      expect(JSON.parse(out)).toMatchObject({ counts: { requests: 3, refused: 1 } });
    });

    test('a restart with --data continues, and a recording replays with the same responses', async () => {
      const folder = newFolder();
      const data = join(folder, 'data');
      for (const expected of [
        [200, 200, 429],
        [429, 429, 429],
      ]) {
        const server = await serve({ data, port: 0, scenario: scenario(keyFrom, name) });
        const statuses = await threeRequests(new URL(server.baseUrl).origin, send);
        await server.close({ graceMs: 0 });
        expect(statuses).toEqual(expected);
      }
      const file = join(folder, 'run.jsonl');
      // The scenario has a key of another name, so that the recording must hide this one.
      const resolved = resolveScenario(
        { ...scenario(keyFrom, name), assumptions: { acceptAnyKey: true } },
        generatePets,
      );
      const engine = recordingEngine({
        file,
        resolved,
        scenarioName: 'own',
        service: servedPetstore,
        generatePets,
        onError() {},
      });
      const server = await serveState(engine, { port: 0 });
      expect(await threeRequests(new URL(server.baseUrl).origin, send)).toEqual([200, 200, 429]);
      await server.close({ graceMs: 0 });
      const text = readFileSync(file, 'utf8');
      for (const secret of secrets) expect(text).not.toMatch(secret);
      const replayed = await runCommandLine(['replay', file, '--json']);
      expect(replayed.err).toBe('');
      const out = JSON.parse(replayed.out);
      expect(out).toMatchObject({ requests: 3 });
      expect(out.difference).toBeUndefined();
    });
  },
);

test('a recording has no key that its scenario lacks, at no place', async () => {
  for (const [keyFrom, send] of forms) {
    if (keyFrom === 'one') continue;
    const file = join(newFolder(), 'run.jsonl');
    const own = { keyFrom: keyFrom as 'one', assumptions: { acceptAnyKey: true } };
    const engine = recordingEngine({
      ...{ file, resolved: resolveScenario(own, generatePets), scenarioName: 'own' },
      ...{ service: servedPetstore, generatePets, onError() {} },
    });
    const server = await serveState(engine, { port: 0 });
    expect(await threeRequests(new URL(server.baseUrl).origin, send)).toEqual([200, 200, 200]);
    await server.close({ graceMs: 0 });
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(key);
    expect(text).not.toContain(encodeURIComponent(key));
  }
});

describe('a key in another place', () => {
  const elsewhere = (headers: Record<string, string>, keyFrom?: string) => {
    const sim = createSimulator({
      scenario: { ...(keyFrom && { keyFrom: keyFrom as 'one' }) },
      onWarning: () => {},
    });
    const request = new Request('http://own.test/orders', { headers });
    return { sim, answer: () => serveRoute(sim, request.clone(), () => Response.json([])) };
  };

  test.each([
    [
      { 'x-api-key': key },
      undefined,
      "There is no Bearer token, but a key in x-api-key: use --key-from 'header x-api-key'.",
    ],
    [
      { authorization: 'token ghp_1234' },
      undefined,
      'There is no Bearer token, but a key in Authorization: use --key-from token.',
    ],
    [
      { authorization: sigV4(1) },
      undefined,
      'There is no Bearer token, but a key in Authorization: use --key-from signature.',
    ],
    [
      { authorization: basic('me:pw') },
      undefined,
      'There is no Bearer token, but a key in Authorization: use --key-from basic.',
    ],
    [
      { authorization: 'Bearer free-key' },
      'header x-api-key',
      'There is no key in x-api-key, but a key in Authorization: use --key-from bearer.',
    ],
    [
      { authorization: 'Bearer free-key' },
      'query key',
      'There is no key in key, but a key in Authorization: use --key-from bearer.',
    ],
  ])('%j with %s is named, and not held against the client', async (headers, keyFrom, message) => {
    const { sim, answer } = elsewhere(headers, keyFrom);
    for (let nth = 0; nth < 3; nth++) {
      const response = await answer();
      expect([response.status, (await response.json()).message]).toEqual([401, message]);
    }
    const verdict = judge(sim, { isOver: true });
    expect(verdict).toMatchObject({ outcome: 'inconclusive', findings: [] });
    expect(verdict.reason).toBe(`Every request got a 401: ${message}`);
    expect(JSON.stringify(sim.journal.query())).not.toMatch(/AbC|ghp_1234|Signature=/);
  });

  test.each([
    [{}, undefined, 'The Authorization header is missing; send "Authorization: Bearer <API_KEY>".', 'Bearer'],
    [{}, 'header X-Key', 'There is no API key; send "X-Key: <API_KEY>".', 'ApiKey'],
    [{ 'x-key': 'a, b' }, 'header X-Key', 'There is no API key; send "X-Key: <API_KEY>".', 'ApiKey'],
    [{}, 'query key', 'There is no API key; send "?key=<API_KEY>".', 'ApiKey'],
    [
      { authorization: 'Basic !!!' },
      'basic',
      'There is no API key; send "Authorization: Basic BASE64(<API_KEY>:)".',
      'Basic',
    ],
    [
      { authorization: 'Bearer' },
      undefined,
      'The Authorization header is not of the form "Bearer <API_KEY>".',
      'Bearer',
    ],
  ])('%j with %s is no key', async (headers, keyFrom, message, scheme) => {
    const { sim, answer } = elsewhere(headers as Record<string, string>, keyFrom);
    const response = await answer();
    expect([response.status, (await response.json()).message]).toEqual([401, message]);
    expect(response.headers.get('www-authenticate')).toBe(`${scheme} realm="petstore"`);
    await answer();
    expect(judge(sim, { isOver: true }).reason).toBe("Every request got a 401: check the client's API key.");
  });

  test('a client of the documented API is still told to send Authorization', async () => {
    const sim = createSimulator({ onWarning: () => {} });
    const response = await sim.fetch('http://own.test/v1/pets', { headers: { 'x-api-key': key } });
    expect((await response.json()).message).toBe(
      'The Authorization header is missing; send "Authorization: Bearer <API_KEY>".',
    );
    expect(sim.journal.query()[0]?.refusedBy).toBeUndefined();
  });
});

test('a service has its own place beside the documented API', async () => {
  const own = { ...depot, keyFrom: 'header X-Depot-Key' } as Service;
  const sim = createSimulator({ services: [own], onWarning: () => {} });
  const server = await openServer(sim);
  const origin = new URL(server.baseUrl).origin;
  const statusOf = async (path: string, headers: Record<string, string>) =>
    (await fetch(origin + path, { headers })).status;
  expect(await statusOf('/depot/parcels/7', { 'x-depot-key': 'free-key' })).toBe(404);
  expect(await statusOf('/depot/nothing', { 'x-depot-key': 'free-key' })).toBe(404);
  expect(await statusOf('/depot/parcels/7', { authorization: 'Bearer free-key' })).toBe(401);
  expect(await statusOf('/v1/pets', { authorization: 'Bearer free-key' })).toBe(200);
  expect(await statusOf('/v1/pets', { 'x-depot-key': 'free-key' })).toBe(401);
  expect(sim.journal.query().map(({ token }) => token)).toEqual([
    'free-key',
    'free-key',
    undefined,
    'free-key',
    undefined,
  ]);
  expect(() => createSimulator({ services: [{ ...depot, keyFrom: 'cookie' as 'one' } as Service] })).toThrow(
    'expected keyFrom of depot to be bearer, basic, token, header NAME, query NAME, signature or one, got "cookie"',
  );
});

test('a backend gets no key of the named place', async () => {
  const { url, received } = await startBackend();
  for (const [keyFrom, target, headers] of [
    ['header Tenant', '/a?x=1', { tenant: key }],
    ['query who', `/a?who=${key}&x=1`, {}],
  ] as const) {
    const sim = createSimulator({ scenario: scenario(keyFrom), onWarning: () => {} });
    const server = await openServer(sim, { upstream: url });
    await (await fetch(new URL(target, server.baseUrl), { headers })).text();
  }
  expect(received.map((each) => [each.url, each.headers.tenant])).toEqual([
    ['/a?x=1', undefined],
    ['/a?x=1', undefined],
  ]);
});

test('what describes or repeats requests has the place', async () => {
  const server = await serve({ data: newFolder(), port: 0, scenario: scenario('header X-Key') });
  onTestFinished(() => server.close({ graceMs: 0 }));
  const control = createControl(server.controlUrl);
  const description = await control.getServiceDescription();
  expect(description).toMatchObject({
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
    security: [{ key: [] }],
  });
  await (await fetch(`${server.baseUrl}/pets`, { headers: { 'x-key': key } })).text();
  const { entries } = await control.queryJournal({});
  const [entry] = entries;
  expect(asCurl(entry as JournalEntry, server.baseUrl)).toContain(`-H 'x-key: ${key}'`);
  expect(asCurl(entry as JournalEntry, server.baseUrl)).not.toContain('Authorization');
});

describe('judge --key-from', () => {
  const tenants = ['alpha', 'beta'].map((tenant) => ({ requestHeaders: { tenant }, key: undefined }));
  /** Two clients that wait as told: the second is refused and served during the wait of the first. */
  const entries = [0, 1, 31, 32].map((at, index) =>
    recordedEntry(at, '/items', index < 2 ? 429 : 200, { ...tenants[index % 2], ...(index < 2 && { retryAfter: 30 }) }),
  );
  const judged = async (...flags: string[]) => {
    const file = join(newFolder(), 'run.har');
    writeFileSync(file, harText(entries));
    return runCommandLine(['judge', '--json', '--ended', '--base-url', site, ...flags, file]);
  };

  test('finds keys in a header that is no usual place', async () => {
    expect(JSON.parse((await judged()).out)).toMatchObject({ outcome: 'inconclusive' });
    const { out } = await judged('--key-from', 'header tenant');
    expect(JSON.parse(out)).toMatchObject({ outcome: 'pass', counts: { requests: 4, refused: 2 } });
    expect(out).not.toMatch(/alpha|beta/);
  });

  test('one counts all requests as those of one key, and an unknown place is an error', async () => {
    expect(JSON.parse((await judged('--key-from', 'one')).out)).toMatchObject({ outcome: 'fail' });
    const { code, err } = await judged('--key-from', 'cookie');
    expect([code, err]).toEqual([2, expect.stringContaining('expected --key-from to be bearer, basic')]);
  });
});
