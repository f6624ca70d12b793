import { createSimulator } from 'petstore-sim';
import type { HuntClient } from 'petstore-sim/hunt';
import { test } from 'petstore-sim/jest';
import { generatePets } from 'petstore-sim/seed';
import { listPets, listStubbornly } from '../src/petstore';

const usedUp = { keys: { 'free-key': { usage: { minute: 'all' } } } };
const baseUrl = 'https://api.petstore.example/v1';

describe('without waiting: sim.fetch and fake timers', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  const refused = test.extend({ scenario: usedUp });

  refused('the client waits a minute and succeeds', async ({ sim, apiKey }) => {
    const listed = listPets(baseUrl, apiKey, sim.fetch);
    await jest.advanceTimersByTimeAsync(70_000);
    expect(await listed).toHaveLength(40);
    expect(sim).toHaveHonouredRetryAfter();
    expect(sim).toHaveTrippedNoBan();
  });

  // The kit judges the client at the end of the test, and fails a test with findings.
  refused.failing('a client that tries again every second does not pass', async ({ sim, apiKey }) => {
    const listed = listStubbornly(baseUrl, apiKey, sim.fetch).catch(() => []);
    await jest.advanceTimersByTimeAsync(70_000);
    await listed;
  });

  refused.extend({ verdict: 'ignore' })('and the matchers report the reason', async ({ sim, apiKey }) => {
    const listed = listStubbornly(baseUrl, apiKey, sim.fetch).catch(() => []);
    await jest.advanceTimersByTimeAsync(70_000);
    await listed;
    expect(sim).not.toHaveHonouredRetryAfter();
    expect(() => expect(sim).toHaveBehaved()).toThrow('early-retry');
  });
});

describe('over real HTTP, with a minute of one second', () => {
  const refused = test.extend({ scenario: { windows: { minute: '1s' }, ...usedUp } });

  refused('the client waits for it', async ({ sim, baseUrl, apiKey }) => {
    expect(await listPets(baseUrl, apiKey)).toHaveLength(40);
    expect(sim).toHaveHonouredRetryAfter();
  });
});

test.extend({ scenario: 'minute-wall' })('a shipped scenario has a name', async ({ sim, apiKey }) => {
  await listPets(baseUrl, apiKey, sim.fetch);
  expect(sim.journal.size).toBe(1);
});

test.failing('a client that sends nothing to its simulator does not pass', ({ sim }) => {
  expect(sim.journal.size).toBe(0);
});

test.extend({ verdict: 'ignore' })('a test without requests declares it', ({ sim }) => {
  expect(sim.journal.size).toBe(0);
});

// `hunt` runs the client in many scenarios and finds the smallest in which the client fails.
it('a client that tries again every second does not survive a hunt', async () => {
  jest.useFakeTimers();
  const client: HuntClient = ({ fetch, baseUrl, apiKey }) => listStubbornly(baseUrl, apiKey, fetch);
  await expect(expect(client).toSurviveHunt({ runs: 20 })).rejects.toThrow('before Retry-After of the ban allowed');
  jest.useRealTimers();
});

it('generates pets', () => {
  const sim = createSimulator({ scenario: { pets: { generate: { sold: 3 } } }, generatePets });
  expect(sim.pets.size).toBe(3);
  // Loading faker takes a second or more on a busy machine.
}, 30_000);
