import { describe, test as plain, vi } from 'vitest';
import { type Scenario, serveRoute } from '../../../src/entries/index.js';
import { expect, test } from '../../../src/entries/vitest.js';
import { patience } from '../../support/patience.js';

// Run by vitest-runs.test.ts, which checks the result of each test.

const it = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });

/** Nine requests, one second apart. */
async function hammer(fetch: typeof globalThis.fetch, baseUrl: string, apiKey: string, wait: () => void) {
  for (let attempt = 1; attempt <= 9; attempt++) {
    await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
    wait();
  }
}

it('passes and misbehaves', async ({ sim, baseUrl, apiKey }) => {
  await hammer(fetch, baseUrl, apiKey, () => sim.clock.advance('1001ms'));
});

it('fails by itself and misbehaves', async ({ sim, baseUrl, apiKey }) => {
  await hammer(sim.fetch, baseUrl, apiKey, () => sim.clock.advance('1001ms'));
  expect(sim.journal.query().at(-1)?.status).toBe(200);
});

it.fails('misbehaves, as expected', async ({ sim, baseUrl, apiKey }) => {
  await hammer(sim.fetch, baseUrl, apiKey, () => sim.clock.advance('1001ms'));
});

const tries: unknown[] = [];
it('misbehaves at the first try only', { retry: 1 }, async ({ sim, baseUrl, apiKey }) => {
  tries.push(sim);
  expect(sim.journal.size).toBe(0);
  if (tries.length === 1) await hammer(sim.fetch, baseUrl, apiKey, () => sim.clock.advance('1001ms'));
  else await sim.fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
});
plain('had a service for each try', () => {
  expect(new Set(tries).size).toBe(2);
});

const services = new Set<unknown>();
it('has a service for each repeat', { repeats: 2 }, async ({ sim, apiKey }) => {
  await sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: `Bearer ${apiKey}` } });
  expect(sim.journal.size).toBe(1);
  services.add(sim);
});
plain('had a service for each repeat', () => {
  expect(services.size).toBe(3);
});

describe.concurrent('at the same time', () => {
  it('one misbehaves', async ({ sim, baseUrl, apiKey }) => {
    await hammer(fetch, baseUrl, apiKey, () => sim.clock.advance('1001ms'));
  });
  it('one does not', async ({ baseUrl, apiKey }) => {
    await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
  });
});

const hanging = test.extend({ scenario: { faults: [{ then: { hang: true as const } }] } });
hanging('leaves fake timers and an open request behind', async ({ sim, baseUrl, apiKey }) => {
  const open = fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
  await vi.waitUntil(() => sim.journal.size + sim.journal.pending > 0, patience);
  vi.useFakeTimers();
  await Promise.race([open.catch(() => {}), vi.advanceTimersByTimeAsync(100)]);
});
plain('gets real timers back', () => {
  vi.useRealTimers();
});

const misspelt = test.extend({ scenario: { kees: {} } as Scenario });
misspelt('has a mistake in its scenario', ({ sim }) => {
  expect(sim.pets.size).toBe(40);
});

const unknown = test.extend({ scenario: 'minute-wal' });
unknown('names an unknown scenario', ({ sim }) => {
  expect(sim.pets.size).toBe(40);
});

test.extend({ verdict: 'checked' })('has a misspelt verdict', async ({ sim, apiKey }) => {
  await sim.fetch('/v1/pets', { headers: { authorization: `Bearer ${apiKey}` } });
});

test.extend({ verdict: 'chekc' })('has a misspelt verdict and takes no simulator', () => {
  expect(1).toBe(1);
});

const revoked = test.extend({ scenario: { keys: { mine: { plan: 'free', state: 'revoked' as const } } } });
revoked('is given the key that its scenario names, though it does not work', async ({ sim, apiKey }) => {
  expect(apiKey).toBe('mine');
  await sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: `Bearer ${apiKey}` } });
});

test('takes no simulator', () => {
  expect(1).toBe(1);
});

test.extend({ verdict: 'ignore' as const })('takes no simulator and need not', () => {
  expect(1).toBe(1);
});

test('sends nothing', ({ sim }) => {
  expect(sim.pets.size).toBe(40);
});

test('sends to the wrong address', async ({ baseUrl }) => {
  await fetch(baseUrl.replace('/v1', '/pets'));
});

test('sends requests only to its own route', async ({ sim, apiKey }) => {
  const request = new Request('http://petstore.test/v1/orders', { headers: { authorization: `Bearer ${apiKey}` } });
  expect((await serveRoute(sim, request, () => Response.json([]))).status).toBe(200);
});

test.extend({ verdict: 'ignore' as const })('sends nothing and need not', ({ sim }) => {
  expect(sim.pets.size).toBe(40);
});

test('fails before it sends anything', ({ sim }) => {
  expect(sim.pets.size).toBe(41);
});

test('sent something that is cleared', async ({ sim, apiKey }) => {
  await sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: `Bearer ${apiKey}` } });
  sim.reset();
});

async function comeBack(fetch: typeof globalThis.fetch, baseUrl: string, apiKey: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
    if (response.status !== 429) return;
    await new Promise((resolve) => setTimeout(resolve, 1_000 * Number(response.headers.get('retry-after'))));
  }
}

it('times out in a wait', async ({ sim, baseUrl, apiKey }) => {
  await comeBack(sim.fetch, baseUrl, apiKey);
}, 300);

let waited = 0;
it('times out in a wait at the first try only', { retry: 1, timeout: 300 }, async ({ sim, baseUrl, apiKey }) => {
  if (waited++ === 0) await comeBack(sim.fetch, baseUrl, apiKey);
  // Leaves a wait behind, and is done.
  await sim.fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
});

test('throws what is no error', async ({ sim, apiKey }) => {
  await sim.fetch('/v1/pets', { headers: { authorization: `Bearer ${apiKey}` } });
  throw { status: 429 };
});
