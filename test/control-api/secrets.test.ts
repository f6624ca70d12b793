import { describe, expect, test } from 'vitest';
import { createControl, type ServerControl } from '../../src/entries/control.js';
import { createSimulator } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { maskedKey } from '../../src/values/mask-key.js';
import { openServer } from '../support/open-server.js';
import { outcome, send, stageOfEachTest } from './both-controls.js';

const { minute: perMinute } = documentedPlans.free;

const controlToken = 'control-token-abcdef';
const stage = stageOfEachTest({ keys: { 'named-in-the-file-1234': { plan: 'pro' } } }, { controlToken });

/** Sends requests with a key everywhere that a key can stand. */
async function spread(key: string) {
  const { baseUrl } = stage.server;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-sim-call': key };
  const body = JSON.stringify({ name: key, categoryId: 1 });
  await fetch(`${baseUrl}/pets?limit=1&key=${encodeURIComponent(key)}`, { headers });
  await fetch(`${baseUrl}/pets/${encodeURIComponent(key)}`, { headers });
  await fetch(`${baseUrl}/pets`, { headers, method: 'POST', body });
  await fetch(`${baseUrl}/pets`, { headers: { authorization: `Basic ${key}` } });
  await fetch(`${baseUrl}/pets?key=${encodeURIComponent(key)}`, { headers: { authorization: 'Bearer pro-key' } });
  await fetch(`${baseUrl}/pets?key=${encodeURIComponent(key)}`);
}

/** Everything that control gives about requests and keys, as one text. */
async function everyOutput(control: ServerControl, events: AsyncIterable<{ id: number }>, last: number) {
  const outputs: unknown[] = [
    await control.queryJournal({ limit: 1000 }),
    await control.exportHar(),
    await control.exportJournal(),
    await control.getVerdict(),
    await control.listKeys(),
    await control.banKey({ key: 'free-key', for: '1s' }),
  ];
  for await (const entry of events) {
    outputs.push(entry);
    if (entry.id >= last) break;
  }
  const text = JSON.stringify(outputs);
  expect(text.length).toBeGreaterThan(10_000);
  return text;
}

describe('in the outputs about requests and keys', () => {
  const jwt = `eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.${'eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6'.repeat(3)}.SflKxwRJSMeKKF2QT4`;
  const secrets = ['unknown-secret-9999', 'added-later-secret-1234', 'odd/"secret%+é-7777', jwt];

  test('a parameter of the query with the name of a secret is masked, whether or not it is a key', async () => {
    const control = stage.there;
    const events = control.watchRequests({ since: 0 });
    const headers = { authorization: 'Bearer free-key' };
    await fetch(`${stage.server.baseUrl}/pets?limit=1&api_key=a-secret-of-another-service`, { headers });
    await fetch(`${stage.server.baseUrl}/items?access_token=one-more-secret-9876`, { headers });
    for (let count = 0; count < 20; count++) await fetch(`${stage.server.baseUrl}/pets`, { headers });
    const text = await everyOutput(control, events, 20);
    expect(text).toContain(`limit=1&api_key=${maskedKey('a-secret-of-another-service')}`);
    expect(text).not.toContain('secret-of-another');
    expect(text).not.toContain('more-secret');
  });

  test('a key that is not in the scenario is masked except for its end, in every place', async () => {
    const control = stage.there;
    const events = control.watchRequests({ since: 0 });
    const entries = events[Symbol.asyncIterator]();
    await fetch(`${stage.server.baseUrl}/pets`);
    await entries.next();
    // After the stream was opened.
    await control.addKey({ key: 'added-later-secret-1234' });
    for (const secret of secrets) await spread(secret.replace('é', ''));
    await fetch(`${stage.server.baseUrl}/pets`, { headers: { authorization: `Bearer ${controlToken}` } });
    const text = await everyOutput(control, events, 6 * secrets.length + 2);
    for (const secret of [...secrets.map((each) => each.replace('é', '')), controlToken]) {
      expect(text.split(secret).length - 1, secret).toBe(0);
      expect(text.split(encodeURIComponent(secret)).length - 1, secret).toBe(0);
      expect(text.split(JSON.stringify(secret).slice(1, -1)).length - 1, secret).toBe(0);
      expect(text, secret).toContain(maskedKey(secret));
    }
    expect(text).not.toContain(jwt.slice(40, 70));
  });

  test('a key of the scenario is complete in fields and texts', async () => {
    const events = stage.there.watchRequests({ since: 0 });
    await spread('named-in-the-file-1234');
    const { entries } = await stage.there.queryJournal();
    expect(entries[0]).toMatchObject({ key: 'named-in-the-file-1234', query: 'limit=1&key=named-in-the-file-1234' });
    expect((await stage.there.exportHar()).log.entries[0]?.request.headers).toContainEqual({
      name: 'Authorization',
      value: 'Bearer named-in-the-file-1234',
    });
    expect((await stage.there.getKey({ key: 'named-in-the-file-1234' })).key).toBe('named-in-the-file-1234');
    expect(await everyOutput(stage.there, events, 6)).not.toContain('…1234');
  });

  test("error messages do not contain the caller's key", async () => {
    const control = stage.there;
    const mistakes = [
      await outcome(() => control.getKey({ key: 'unknown-secret-9999' })),
      await outcome(() => control.addKey({ key: 'unknown-secret-9999 x' })),
      await outcome(() => control.addKey({ key: 'unknown-secret-9999', plan: 'gold' })),
      await outcome(() => control.banKey({ key: 'unknown-secret-9999', for: 'x' })),
    ];
    expect(mistakes).toMatchObject([{ status: 404 }, { status: 400 }, { status: 400 }, { status: 400 }]);
    expect(JSON.stringify(mistakes)).not.toContain('unknown-secret-9999');
  });

  test.each([
    ['with JSON escapes', 'odd"secret\\of-mine-1234', (key: string) => key],
    ['percent-encoded', 'odd/secret-of-mine-1234', encodeURIComponent],
    ['so long that it is cut', `${'secret-'.repeat(40)}1234`, (key: string) => key],
    ['percent-encoded with lower-case digits', 'odd/secret-of-mine-1234', () => 'odd%2fsecret%2dof-mine-1234'],
  ])('mistakes do not repeat a key that the caller sent %s', async (_, key, spell) => {
    for (const control of [stage.there, stage.here]) {
      const { message } = (await outcome(() => control.addKey({ key, plan: spell(key) }))) as { message: string };
      expect(message).toContain('…1234');
      expect(message).not.toContain('secret');
    }
  });

  test('a mistake in a scenario names its key', async () => {
    const scenario = { keys: { 'my-long-key-name': { plan: 'gold' } } };
    expect(await outcome(() => stage.there.loadScenario({ scenario }))).toMatchObject({
      status: 400,
      message: expect.stringContaining('keys.my-long-key-name.plan: expected a plan'),
    });
  });
});

test('thousands of added keys are masked in the text of other requests', async () => {
  const { sim, here } = stage;
  for (let n = 0; n < 5_000; n++) sim.keys.add(`secret-of-client-${n}`);
  await send(sim, { key: 'pro-key', query: 'a=secret-of-client-4999&b=secret-of-client-49' });
  const [entry] = here.queryJournal().entries;
  expect(entry?.query).toBe('a=…4999~ezjb&b=…t-49~tu39');
  expect(JSON.stringify(here.exportHar())).not.toContain('secret-of');
});

test('a key is masked in requests before its first use as a token', async () => {
  const { sim, here } = stage;
  await send(sim, { key: 'pro-key', query: 'k=leaked-secret-1234' });
  await send(sim, { key: 'leaked-secret-1234' });
  expect(here.queryJournal().entries.map(({ query }) => query)).toEqual(['k=…1234~0421', '']);
});

test('a key is masked in every output, in any spelling in URLs and bodies', async () => {
  const { sim, there, here } = stage;
  const key = 'odd/secret-of-mine-1234';
  sim.keys.add(key);
  const spellings = [
    key,
    encodeURIComponent(key),
    'odd%2fsecret%2dof%2Dmine-1234',
    'odd%252Fsecret%252dof-mine-1234',
    [...key].map((char) => `%${char.charCodeAt(0).toString(16)}`).join(''),
  ];
  const inJson = ['odd\\/secret-of-mine-1234', 'odd/\\u0073ecret-\\u006Ff-mine-1234'];
  for (const query of spellings) await send(sim, { key: 'pro-key', query: `k=${query}`, path: `/pets/${query}` });
  for (const text of inJson) {
    await send(sim, { key: 'pro-key', body: `{"name":"${text}","categoryId":1}` });
    await send(sim, { key: 'pro-key', body: JSON.stringify({ name: `{"k":"${text}"}` }) });
  }
  const verdict = here.getVerdict();
  const outputs = [here.queryJournal(), here.exportHar(), here.exportJournal(), await there.exportHar(), verdict];
  const text = JSON.stringify(outputs);
  for (const part of ['ecret', '73%65', '%65%63']) expect(text).not.toContain(part);
  expect(text.split('…1234').length).toBeGreaterThan(4 * (spellings.length + inJson.length));
});

test('overlapping keys in a text are masked together', async () => {
  const { sim, here } = stage;
  for (const key of ['abcdefgh', 'efghijkl', 'abcdefghijklmnop']) sim.keys.add(key);
  await send(sim, { key: 'pro-key', query: 'x=abcdefghijkl-abcdefghijklmnop-abcdefg' });
  expect(here.queryJournal().entries[0]?.query).toBe('x=…ijkl~b8h9-…mnop~dob9-abcdefg');
});

test('a large body with many near matches is shown', async () => {
  const { sim, here } = stage;
  for (let n = 0; n < 2_000; n++) sim.keys.add(`aaaaaa${'a'.repeat(n % 50)}${n}`);
  await send(sim, { key: 'pro-key', body: JSON.stringify({ name: 'a'.repeat(60_000), categoryId: 1 }) });
  expect(here.queryJournal().entries[0]?.requestBody?.text).toContain('aaaa');
});

describe('under acceptAnyKey', () => {
  test('a key created by a request is found by text and id, is listed, and is masked', async () => {
    const sim = createSimulator({ scenario: { assumptions: { acceptAnyKey: true } } });
    const server = await openServer(sim);
    const control = createControl(server.controlUrl);
    await send(sim, { key: 'made-up-key-5678' });
    await send(sim, { key: 'pro-key', query: 'k=made-up-key-5678' });
    const { keys } = await control.listKeys();
    expect(keys.at(-1)).toMatchObject({ key: '…5678~b0x7', plan: 'free', minute: { remaining: perMinute - 1 } });
    const id = keys.at(-1)?.id as string;
    expect(await control.banKey({ key: id, for: '1h' })).toMatchObject({ id, state: 'banned' });
    expect(await control.getKey({ key: 'made-up-key-5678' })).toMatchObject({ id, key: '…5678~b0x7' });
    expect((await send(sim, { key: 'made-up-key-5678' })).status).toBe(429);
    expect((await control.queryJournal()).entries[1]?.query).toBe('k=…5678~b0x7');
  });
});
