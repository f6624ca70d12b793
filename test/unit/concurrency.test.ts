import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { frozen } from '../support/frozen.js';
import { send } from '../support/plain-call.js';

const { minute: perMinute } = documentedPlans.free;

const address = 'http://petstore.test/v1/pets';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const header = (response: Response, name: string) => Number(response.headers.get(name));

test('of 500 parallel requests on a free key exactly those of the limit succeed, each with a different Remaining', async () => {
  const sim = frozen();
  const responses = await Promise.all(
    Array.from({ length: 500 }, () => sim.fetch(address, { headers: bearer('free-key') })),
  );
  const served = responses.filter(({ status }) => status === 200);
  const refused = responses.filter(({ status }) => status === 429);
  expect([served.length, refused.length]).toEqual([perMinute, 500 - perMinute]);
  const remaining = served.map((response) => header(response, 'X-RateLimit-Remaining')).sort((a, b) => b - a);
  expect(remaining).toEqual(Array.from({ length: perMinute }, (_, index) => perMinute - 1 - index));
  expect(new Set(refused.map((response) => header(response, 'Retry-After')))).toEqual(new Set([60]));
  expect(new Set(responses.map((response) => header(response, 'X-RateLimit-Reset'))).size).toBe(1);
  expect(sim.keys.get('free-key')).toMatchObject({
    strikes: 0,
    state: 'active',
    day: { remaining: 1_000 - perMinute },
  });
});

test('parallel keys do not share limits', async () => {
  const sim = frozen({ keys: { alice: {}, bob: {} } });
  const responses = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const key = index % 2 === 0 ? 'alice' : 'bob';
      return { key, status: (await sim.fetch(address, { headers: bearer(key) })).status };
    }),
  );
  for (const key of ['alice', 'bob']) {
    expect(responses.filter((response) => response.key === key && response.status === 200)).toHaveLength(perMinute);
  }
});

test('1,000 parallel creates get contiguous identifiers, each once, and lose no pet', async () => {
  const sim = frozen();
  const created = await Promise.all(
    Array.from({ length: 1000 }, async (_, index) => {
      const response = await sim.fetch(address, {
        method: 'POST',
        headers: { ...bearer('enterprise-key'), 'content-type': 'application/json' },
        body: JSON.stringify({ name: `pet ${index}`, categoryId: index }),
      });
      expect(response.status).toBe(201);
      return (await response.json()) as { id: number; name: string; categoryId: number };
    }),
  );
  const ids = created.map(({ id }) => id).sort((a, b) => a - b);
  expect(ids).toEqual(Array.from({ length: 1000 }, (_, index) => 41 + index));
  expect(sim.pets.size).toBe(1040);
  for (const { id, name, categoryId } of created) {
    expect(name).toBe(`pet ${categoryId}`);
    expect(sim.pets.get(id)?.name).toBe(name);
  }
});

test('lists read while pets are created are complete', async () => {
  const sim = frozen({ pets: [] });
  const headers = { ...bearer('enterprise-key'), 'content-type': 'application/json' };
  const lists = await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const body = JSON.stringify({ name: `pet ${index}`, categoryId: 1 });
      const list = sim.fetch(`${address}?limit=100`, { headers });
      await sim.fetch(address, { method: 'POST', headers, body });
      return (await (await list).json()) as { id: number }[];
    }),
  );
  for (const list of lists) expect(list.map(({ id }) => id)).toEqual(list.map((_, index) => index + 1));
});

describe('a request at the border of two seconds', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** Every reading of the machine's time is a second later than the previous one. */
  function hurry() {
    let nowMs = Date.parse('2026-01-01T12:00:00Z');
    vi.spyOn(Date, 'now').mockImplementation(() => {
      nowMs += 1_000;
      return nowMs;
    });
  }

  test('reads the clock once, so that the headers of a refusal agree', () => {
    const sim = createSimulator({ scenario: { keys: { used: { usage: { minute: 'all' } } } } });
    hurry();
    const { status, headers } = send(sim, { key: 'used' });
    expect(status).toBe(429);
    const date = Date.parse(headers.Date as string) / 1000;
    expect(Number(headers['X-RateLimit-Reset'])).toBe(date + Number(headers['Retry-After']));
    expect(headers['Retry-After']).toBe('60');
  });

  test('has a single time, even if a fault rule uses it', () => {
    const sim = createSimulator({
      scenario: { faults: [{ name: 'late', when: { after: '1h' }, then: { empty: true } }] },
    });
    hurry();
    send(sim);
    const [record] = sim.journal.query();
    expect(record?.answeredAtMs).toBe(record?.arrivedAtMs);
  });
});
