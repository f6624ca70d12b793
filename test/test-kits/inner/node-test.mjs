import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { test } from 'petstore-sim/node-test';

const get = (baseUrl, apiKey) => fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
const usedUp = { keys: { 'free-key': { usage: { minute: 'all' } } } };
const refused = test.extend({ scenario: { ...usedUp, windows: { minute: '1s' } } });

async function hurry(baseUrl, apiKey) {
  for (let attempt = 1; attempt <= 8; attempt++) await get(baseUrl, apiKey);
}

refused('waits, and is served', async ({ sim, baseUrl, apiKey }, t) => {
  assert.equal(t.name, 'waits, and is served');
  const { headers } = await get(baseUrl, apiKey);
  await new Promise((resolve) => setTimeout(resolve, Number(headers.get('retry-after')) * 1_000 + 100));
  assert.equal((await get(baseUrl, apiKey)).status, 200);
  assert.equal(sim.journal.size, 2);
});

refused('misbehaves', async ({ baseUrl, apiKey }) => hurry(baseUrl, apiKey));

refused('fails by itself, too', async ({ baseUrl, apiKey }) => {
  await hurry(baseUrl, apiKey);
  assert.equal(1, 2);
});

refused.extend({ verdict: 'ignore' })('may misbehave', async ({ baseUrl, apiKey }) => hurry(baseUrl, apiKey));

test('sends nothing', ({ sim }) => assert.equal(sim.journal.size, 0));

describe('at the same time', { concurrency: true }, () => {
  test.extend({ scenario: usedUp })(
    'times out during a wait',
    async ({ baseUrl, apiKey }) => {
      await get(baseUrl, apiKey);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    },
    1_500,
  );
  test('goes on', async ({ baseUrl, apiKey }) => {
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    assert.equal((await get(baseUrl, apiKey)).status, 200);
  });
});

test.skip('is skipped', ({ sim }) => sim.reset());
assert.throws(() => test('without fixtures', () => {}), /expected its function to use a simulator/);
assert.throws(() => test.extend({ scenaro: 'x' }), /expected the options scenario, verdict, got "scenaro"/);
