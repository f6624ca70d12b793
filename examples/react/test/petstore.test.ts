import { setupServer } from 'msw/node';
import { handlers } from 'petstore-sim/msw';
import { expect, test } from 'petstore-sim/vitest';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { createPetstore, type Quota } from '../src/petstore.ts';

const baseUrl = 'https://api.petstore.example/v1';

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }).setTimerTickMode('nextTimerAsync');
  return () => vi.useRealTimers();
});

test('lists the pets of a status', async ({ sim, apiKey }) => {
  server.use(...handlers(sim, { baseUrl }));
  const pets = await createPetstore({ baseUrl, apiKey }).listPets('sold');
  expect(new Set(pets.map(({ status }) => status))).toEqual(new Set(['sold']));
});

const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });

refused('two calls share one wait, and report it', async ({ sim, apiKey }) => {
  server.use(...handlers(sim, { baseUrl }));
  const seen: Quota[] = [];
  const petstore = createPetstore({ baseUrl, apiKey, onQuota: (quota) => seen.push(quota) });
  const [pets, rex] = await Promise.all([
    petstore.listPets('pending'),
    petstore.createPet({ name: 'Rex', categoryId: 1 }),
  ]);
  expect(pets.length).toBeGreaterThan(0);
  expect(rex).toMatchObject({ id: 41, name: 'Rex' });
  expect(seen.some(({ remaining, pausedUntilMs }) => remaining === 0 && pausedUntilMs > 0)).toBe(true);
  expect(sim).toHaveHonouredRetryAfter();
  expect(sim).toHaveTrippedNoBan();
});
