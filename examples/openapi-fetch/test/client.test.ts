import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSimulator } from 'petstore-sim';
import { createPetstore } from '../src/client.ts';

const sim = createSimulator({ scenario: { clock: { start: '2026-01-01T12:00:00Z', mode: 'frozen' } } });
const petstore = createPetstore('free-key', sim.fetch);

test('answers have the types of the description', async () => {
  const { data } = await petstore.GET('/pets', { params: { query: { status: 'sold', limit: 2 } } });
  const names: string[] = (data ?? []).map(({ name }) => name);
  assert.equal(names.length, 2);
  const { data: created, response } = await petstore.POST('/pets', { body: { name: 'Rex', categoryId: 1 } });
  assert.equal(response.status, 201);
  assert.equal(created?.id, 41);
});

test('so have refusals', async () => {
  sim.keys.setUsage('free-key', { minute: 60 });
  const { error, response } = await petstore.GET('/pets');
  assert.equal(response.status, 429);
  assert.equal(error?.code, 'rate_limit_exceeded');
  assert.equal(response.headers.get('Retry-After'), '60');
});
