import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createSimulator, type Scenario, ScenarioError } from '../../src/entries/index.js';
import { generatePets } from '../../src/entries/seed.js';
import { RequestJournal } from '../../src/journal/journal.js';
import { JournalBudget } from '../../src/journal/journal-budget.js';
import { emptyRecord } from '../../src/requests/request-record.js';
import { frozen, noon } from '../support/frozen.js';
import { code, message, rate, send, sendTimes } from '../support/plain-call.js';

const issuesOf = (scenario: Scenario): string[] => {
  try {
    createSimulator({ scenario, generatePets });
  } catch (error) {
    if (error instanceof ScenarioError) return error.issues.map(({ path, message }) => `${path}: ${message}`);
    throw error;
  }
  return [];
};

describe('durations are bounded at every input', () => {
  const tooLong = 'expected a duration of at most 3650d, got "200000000d"';
  test.each<[Scenario, string]>([
    [{ windows: { day: '200000000d' } }, `windows.day: ${tooLong}`],
    [{ windows: { minute: '200000000d' } }, `windows.minute: ${tooLong}`],
    [{ keys: { k: { bannedFor: '200000000d' } } }, `keys.k.bannedFor: ${tooLong}`],
    [{ keys: { k: { expiresIn: '200000000d' } } }, `keys.k.expiresIn: ${tooLong}`],
    [{ clock: { skew: '-200000000d' } }, `clock.skew: ${tooLong}`],
    [{ faults: [{ then: { delay: '200000000d' } }] }, `faults[0].then.delay: ${tooLong}`],
    [{ faults: [{ when: { after: '200000000d' }, then: { empty: true } }] }, `faults[0].when.after: ${tooLong}`],
    [{ ban: { seconds: 1e15 } }, 'ban.seconds: expected a whole number from 1 to 315360000, got 1000000000000000'],
    [{ ban: { graceMs: 1e15 } }, 'ban.graceMs: expected a whole number from 0 to 315360000000, got 1000000000000000'],
  ])('%j', (scenario, issue) => {
    expect(issuesOf(scenario)).toEqual([issue]);
  });

  test('a ban by a control operation is bounded too, and the list of keys stays readable', () => {
    const sim = frozen();
    expect(() => sim.keys.ban('free-key', 1e16)).toThrow('expected a duration of at most 3650d');
    sim.keys.ban('free-key', '3650d');
    expect(sim.keys.get('free-key').bannedUntil).toBe('2035-12-30T12:00:00.000Z');
  });

  test('the longest durations work', () => {
    const sim = frozen({ windows: { minute: '3650d', day: '3650d' }, keys: { k: { usage: { minute: 'all' } } } });
    const answer = send(sim, { key: 'k' });
    expect([answer.status, answer.headers['Retry-After']]).toEqual([429, String(3650 * 86_400)]);
  });
});

describe('a listener of the journal that throws', () => {
  test('changes neither the response nor the count, and is reported', () => {
    const errors: unknown[] = [];
    const sim = createSimulator({
      scenario: { keys: { k: { usage: { minute: 'all' } } }, clock: { start: noon, mode: 'frozen' } },
      onError: (error) => errors.push(error),
    });
    const heard: number[] = [];
    sim.journal.listen(() => {
      throw new Error('broken listener');
    });
    sim.journal.listen(({ id }) => heard.push(id));
    expect([send(sim, { key: 'k' }).status, send(sim).status]).toEqual([429, 200]);
    expect(sim.journal.query().map(({ status }) => status)).toEqual([429, 200]);
    expect([sim.journal.size, sim.journal.pending, heard]).toEqual([2, 0, [1, 2]]);
    expect(errors.map((error) => (error as Error).message)).toEqual(['broken listener', 'broken listener']);
  });
});

describe('generated pets', () => {
  test('are limited to ten million, reported as an issue with its path', () => {
    expect(issuesOf({ pets: { generate: { available: 9e9 } } })).toEqual([
      'pets.generate: expected at most 10,000,000 pets in all',
    ]);
    expect(issuesOf({ pets: { generate: { available: 6e6, sold: 6e6 } } })).toHaveLength(1);
  });

  test('need an id each', () => {
    const start = 2n ** 63n - 2n;
    expect(issuesOf({ ids: { start }, pets: { generate: { sold: 3 } } })).toEqual([
      'pets.generate: expected ids for 3 pets from 9223372036854775806 on, got none after 9223372036854775807',
    ]);
    const pets = Array.from({ length: 3 }, () => ({ name: 'Rex', categoryId: 1 }));
    expect(issuesOf({ ids: { start }, pets })).toEqual([
      'pets[2].id: expected a free id, got 9223372036854775807, which is the id of pets[1] ("Rex")',
    ]);
    expect(issuesOf({ ids: { start }, pets: pets.slice(1) })).toEqual([]);
  });

  test('rejected by the generator are an issue of the scenario', () => {
    const refuse = () => {
      throw new RangeError('expected at most 5 pets');
    };
    const load = () => createSimulator({ scenario: { pets: { generate: { sold: 6 } } }, generatePets: refuse });
    expect(load).toThrow(ScenarioError);
    expect(load).toThrow('scenario at pets.generate: expected at most 5 pets');
  });
});

describe('other clients with a key', () => {
  test('are counted over a window of years without counting each second', () => {
    const sim = frozen({
      windows: { minute: '60s', day: '3650d' },
      plans: { free: { minute: 60, day: 900_000_000 } },
      background: { 'free-key': 2 },
      assumptions: {},
    });
    send(sim);
    sim.clock.advance('3000d');
    const count = vi.spyOn(Math, 'floor');
    const { remaining } = sim.keys.get('free-key').day;
    // Two per second are more than the minute limit: 60 per minute are accepted.
    const served = 3000 * 86_400;
    expect(900_000_000 - remaining).toBeGreaterThan(0.999 * served);
    expect(900_000_000 - remaining).toBeLessThan(1.001 * served);
    expect(count.mock.calls.length).toBeLessThan(5_000_000);
    count.mockRestore();
  });
});

describe('the machine’s clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: new Date(noon) });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const setBack = (ms: number) => vi.setSystemTime(Date.now() - ms);

  test('set back by an hour does not stall a delayed response', async () => {
    const sim = createSimulator({ scenario: { faults: [{ then: { delay: '200ms' } }] } });
    const answer = sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
    await vi.advanceTimersByTimeAsync(100);
    setBack(3_600_000);
    await vi.advanceTimersByTimeAsync(100);
    expect((await answer).status).toBe(200);
  });

  test('set back by a day forgets neither window nor ban, and Retry-After stays correct', () => {
    const sim = createSimulator({ scenario: { ban: 'strict' } });
    sendTimes(sim, 61);
    vi.advanceTimersByTime(2_000);
    expect(rate(send(sim))).toMatchObject({ remaining: 0 });
    const before = send(sim).headers['Retry-After'];
    setBack(86_400_000);
    expect([send(sim).status, send(sim).headers['Retry-After']]).toEqual([429, before]);
    vi.advanceTimersByTime(Number(before) * 1000);
    expect(send(sim).status).toBe(200);
  });

  test('never moves the simulated clock back', () => {
    const sim = createSimulator();
    let last = sim.clock.now();
    for (const step of [10, -5_000, 20, -86_400_000, 0, 1_000, -1, 5]) {
      if (step < 0) setBack(-step);
      else vi.advanceTimersByTime(step);
      expect(sim.clock.now()).toBeGreaterThanOrEqual(last);
      last = sim.clock.now();
    }
    expect(last).toBe(Date.parse(noon) + 10 + 20 + 1_000 + 5);
  });

  test('before 1970 bans no key', () => {
    vi.setSystemTime(-86_400_000);
    expect(send(createSimulator()).status).toBe(200);
  });
});

test('a clock set back before a ban and an episode removes both, like the windows', () => {
  const sim = frozen({ ban: 'strict' });
  sendTimes(sim, 61);
  sim.clock.advance('2s');
  expect(code(send(sim))).toBe('key_banned');
  sim.clock.set('2026-01-01T11:00:00Z');
  expect(send(sim).status).toBe(200);
  expect(sim.keys.get('free-key')).toMatchObject({ state: 'active', strikes: 0 });
});

describe('the message of a refusal', () => {
  test('blames requests after a 429 only for a ban that they caused', () => {
    const sim = frozen({ ban: 'strict', keys: { preset: { bannedFor: '30s' } } });
    sim.keys.ban('pro-key', '30s');
    expect(message(send(sim, { key: 'pro-key' }))).toBe('The API key is banned; retry in 30 seconds.');
    expect(message(send(sim, { key: 'preset' }))).toBe('The API key is banned; retry in 30 seconds.');
    sendTimes(sim, 61);
    sim.clock.advance('2s');
    expect(message(send(sim))).toBe(
      'The API key is banned because requests went on after a 429; retry in 120 seconds.',
    );
  });

  test('states the exact length of a ban that starts within a second', () => {
    const sim = frozen();
    sim.clock.advance(700);
    sim.keys.ban('free-key', '30s');
    const answer = send(sim);
    expect([message(answer), answer.headers['Retry-After']]).toEqual([
      'The API key is banned; retry in 30 seconds.',
      '30',
    ]);
  });

  test('states the length of a window that differs from the document', () => {
    const sim = frozen({ windows: { minute: '6s' }, keys: { k: { usage: { minute: 'all' } } } });
    expect(message(send(sim, { key: 'k' }))).toBe('The free plan allows 60 requests in 6 seconds; retry in 6 seconds.');
    const documented = frozen({ keys: { k: { usage: { minute: 'all' } } } });
    expect(message(send(documented, { key: 'k' }))).toContain('60 requests a minute');
  });
});

describe('the memory of the journal', () => {
  /** Writes records with bodies of 1,000 bytes. */
  const fill = (journal: RequestJournal, count: number) => {
    for (let n = 0; n < count; n++) {
      journal.add({ ...emptyRecord, id: journal.open(), responseBody: 'x'.repeat(1_000) });
    }
  };
  const journalsOf = (budget: JournalBudget, count: number) =>
    Array.from({ length: count }, () => new RequestJournal(console.error, {}, budget));

  test('counts headers and URLs, not only bodies', () => {
    const sim = frozen();
    const token = 'x'.repeat(15_000);
    for (let n = 0; n < 3_000; n++) send(sim, { key: `${token}${n}` });
    expect(sim.journal.size).toBeLessThan(1_500);
    sim.journal.clear();
    for (let n = 0; n < 3_000; n++) send(sim, { query: `limit=3&pad=${'y'.repeat(14_000)}${n}` });
    expect(sim.journal.size).toBeLessThan(1_600);
    expect(sim.journal.size + sim.journal.dropped).toBe(3_000);
  });

  test('is shared by a simulator and its forks: the largest journal is trimmed first', () => {
    const budget = new JournalBudget(100_000);
    const [large, small] = journalsOf(budget, 2) as [RequestJournal, RequestJournal];
    fill(large, 80);
    const kept = large.size;
    fill(small, 20);
    expect(small.size).toBe(20);
    expect(large.size).toBeLessThan(kept);
    expect(large.bytes + small.bytes).toBeLessThanOrEqual(100_000);
  });

  test('is released when a journal is removed, like that of a removed sandbox', () => {
    const budget = new JournalBudget(100_000);
    const journals = journalsOf(budget, 5);
    for (const journal of journals) {
      fill(journal, 50);
      expect(journal.size).toBe(50);
      budget.leave(journal);
    }
    const [left, stays] = journalsOf(budget, 2) as [RequestJournal, RequestJournal];
    budget.leave(left);
    fill(stays, 100);
    expect(stays.bytes).toBeLessThanOrEqual(100_000);
    // Referenced until here, so that the garbage collector has not freed the journals before.
    expect(journals.map(({ size }) => size)).toEqual([50, 50, 50, 50, 50]);
  });

  test('of a server with many sandboxes is bounded in total', () => {
    const sim = frozen();
    const forks = Array.from({ length: 20 }, () => sim.fork());
    const pad = 'z'.repeat(60_000);
    for (const fork of forks) for (let n = 0; n < 100; n++) send(fork, { query: `pad=${pad}${n}` });
    const kept = forks.reduce((sum, { journal }) => sum + journal.size, 0);
    expect(kept).toBeLessThan((64 * 1024 * 1024) / 60_000);
    expect(forks.every(({ journal }) => journal.size > 0)).toBe(true);
  });

  test('is shared evenly by forks with equal use', () => {
    const budget = new JournalBudget(1_000_000);
    const journals = journalsOf(budget, 20);
    for (let n = 0; n < 200; n++) {
      for (const journal of journals) fill(journal, 1);
      const sizes = journals.map(({ size }) => size);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(3);
    }
    const bytes = journals.reduce((sum, journal) => sum + journal.bytes, 0);
    expect(bytes).toBeGreaterThan(900_000);
    expect(bytes).toBeLessThanOrEqual(1_000_000);
  });

  test('contains no body for a rule with failTimes', () => {
    const sim = frozen({ faults: [{ name: 'twice', then: { respond: { status: 503 }, failTimes: 2 } }] });
    const body = { name: 'n'.repeat(60_000), categoryId: 1 };
    const statuses = [1, 2, 3].map(() => send(sim, { body }).status);
    expect(statuses).toEqual([503, 503, 201]);
    expect(send(sim, { body: { ...body, categoryId: 2 } }).status).toBe(503);
    const [, state] = sim.snapshot().faults.counts[0] ?? [];
    expect(JSON.stringify([...(state?.failed ?? [])]).length).toBeLessThan(100);
  });
});
