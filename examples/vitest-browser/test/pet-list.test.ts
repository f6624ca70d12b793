import { expect, test } from 'petstore-sim/vitest';
import { vi } from 'vitest';
import { showPets } from '../src/pet-list';

test.extend({ scenario: { windows: { minute: '1s' }, keys: { 'free-key': { usage: { minute: 'all' } } } } })(
  'the page shows the wait, then the pets',
  async ({ sim, apiKey }) => {
    const list = document.createElement('ul');
    const shown = showPets(list, apiKey, sim.fetch);
    await vi.waitFor(() => expect(list.textContent).toContain('Too many requests'));
    await shown;
    expect(list.children).toHaveLength(20);
    expect(sim).toHaveHonouredRetryAfter();
  },
);

test.extend({ scenario: 'minute-wall' })('a shipped scenario has a name', async ({ sim, apiKey }) => {
  await showPets(document.createElement('ul'), apiKey, sim.fetch);
  expect(sim.keys.get(apiKey).minute.remaining).toBe(0);
});
