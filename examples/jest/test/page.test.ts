import { setupServer } from 'msw/node';
import { createSimulator, ScenarioError } from 'petstore-sim';
import { matchers } from 'petstore-sim/matchers';
import { handlers } from 'petstore-sim/msw';
import { listPets } from '../src/petstore';

expect.extend(matchers);

const baseUrl = 'https://api.petstore.example/v1';
const sim = createSimulator({
  scenario: { keys: { 'free-key': { usage: { minute: 'all' } } }, windows: { minute: '1s' } },
});
const server = setupServer(...handlers(sim, { baseUrl }));
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => sim.reset());
afterAll(() => server.close());

test('the page shows the pets once the service lets it', async () => {
  for (const { id, name } of await listPets(baseUrl, 'free-key')) {
    document.body.append(Object.assign(document.createElement('li'), { id: `pet-${id}`, textContent: name }));
  }
  expect(document.querySelectorAll('li')).toHaveLength(40);
  expect(sim).toHaveHonouredRetryAfter();
});

test('a mistake in a scenario is an error of the one class', () => {
  expect(() => sim.load({ keys: { 'free-key': { plan: 'fre' as 'free' } } })).toThrow(ScenarioError);
});
