import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { frozen, noon } from '../support/frozen.js';
import { apiCall, type PlainCall } from '../support/plain-call.js';

const { minute: perMinute } = documentedPlans.free;

const noonMs = Date.parse(noon);
const settle = () => new Promise((resolve) => setImmediate(resolve));
const late = (delay: string, more: Scenario = {}): Scenario => ({ faults: [{ then: { delay } }], ...more });

/** The first request waits three seconds, the second one, the third two. */
const threeOneTwo: Scenario = {
  faults: ['3s', '1s', '2s'].map((delay) => ({ when: { first: 1 }, then: { delay } })) as Scenario['faults'],
};

const send = (sim: Simulator, call?: PlainCall) => sim.handle(apiCall(call));

const rex = '{"name":"Rex","categoryId":1}';
/** Journal entries in the order of their responses: the id, and the time in milliseconds since noon. */
function answered(sim: Simulator): [number, number][] {
  const seen: [number, number][] = [];
  sim.journal.listen(({ id, answeredAtMs }) => void seen.push([id, answeredAtMs - noonMs]));
  return seen;
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('delayed requests', () => {
  test('get their responses even if a pause of the process outlasts the delay', async () => {
    const sim = createSimulator({ scenario: late('5ms') });
    let nowMs = Date.now();
    vi.spyOn(Date, 'now').mockImplementation(() => (nowMs += 10));
    const response = await Promise.race([send(sim), new Promise((resolve) => setTimeout(resolve, 5_000))]);
    expect(response).toMatchObject({ status: 200 });
  });

  test('continue in the order of their due times, in any order of arrival', async () => {
    const sim = frozen(threeOneTwo);
    const seen = answered(sim);
    const answers = [send(sim), send(sim), send(sim)];
    sim.clock.advance('10s');
    expect(seen).toEqual([
      [2, 1_000],
      [3, 2_000],
      [1, 3_000],
    ]);
    const dates = (await Promise.all(answers)).map(({ headers }) => headers.Date?.slice(17, 25));
    expect(dates).toEqual(['12:00:03', '12:00:01', '12:00:02']);
  });

  test('with equal due times continue in order of arrival', () => {
    const sim = frozen(late('2s'));
    const seen = answered(sim);
    for (let n = 0; n < 5; n++) void send(sim, { body: rex });
    sim.clock.advance('2s');
    expect(seen.map(([id]) => id)).toEqual([1, 2, 3, 4, 5]);
    expect(sim.journal.query().map(({ storedId }) => storedId)).toEqual(['41', '42', '43', '44', '45']);
  });

  test('continue at their millisecond and not before, with the pets at that time', async () => {
    const sim = frozen(late('100ms'));
    const answer = send(sim, { query: 'limit=100' });
    sim.clock.advance(99);
    sim.pets.add({ name: 'New', categoryId: 1, status: 'sold' });
    await settle();
    expect(sim.journal.pending).toBe(1);
    sim.clock.advance(1);
    expect(sim.journal.pending).toBe(0);
    expect((await answer).body).toContain('"New"');
  });

  test('continue when due before the next request that arrived later', () => {
    vi.useFakeTimers({ now: noonMs });
    const sim = createSimulator({ scenario: { faults: [{ when: { nth: 1 }, then: { delay: '1s' } }] } });
    const seen = answered(sim);
    void send(sim);
    // The machine is busy, and no timer has fired yet.
    vi.setSystemTime(noonMs + 1_500);
    void send(sim);
    expect(seen).toEqual([
      [1, 1_000],
      [2, 1_500],
    ]);
    expect(sim.journal.query().map(({ lastArrivedId }) => lastArrivedId)).toEqual([2, 2]);
  });

  test('continue by a timer without other requests, earlier with the speed of the clock', async () => {
    vi.useFakeTimers({ now: noonMs });
    const sim = createSimulator({ scenario: late('60s', { clock: { start: noon, speed: 60 } }) });
    const seen = answered(sim);
    void send(sim);
    await vi.advanceTimersByTimeAsync(999);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toEqual([[1, 60_000]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('stop with the clock, and continue with it', async () => {
    vi.useFakeTimers({ now: noonMs });
    const sim = createSimulator({ scenario: late('100ms') });
    const seen = answered(sim);
    void send(sim);
    await vi.advanceTimersByTimeAsync(60);
    sim.clock.freeze();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(seen).toEqual([]);
    sim.clock.resume();
    await vi.advanceTimersByTimeAsync(39);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toEqual([[1, 100]]);
  });

  test('wait for their time again when the clock is set back', () => {
    const sim = frozen(late('10s'));
    const seen = answered(sim);
    void send(sim);
    sim.clock.set(noonMs - 60_000);
    sim.clock.advance('61s');
    expect(seen).toEqual([]);
    sim.clock.advance('9s');
    expect(seen).toEqual([[1, 10_000]]);
  });

  test.each(['reset', 'restore', 'load with reseed', 'load with another clock'] as const)(
    'end with a %s, and neither run nor are in the journal',
    async (how) => {
      const sim = frozen(late('10s'));
      const before = sim.snapshot();
      const answer = send(sim, { body: rex });
      const failed = expect(answer).rejects.toThrow('reset');
      if (how === 'reset') sim.reset();
      else if (how === 'restore') sim.restore(before);
      else if (how === 'load with reseed') sim.load({ clock: { start: noon, mode: 'frozen' } }, { reseed: true });
      else sim.load({ clock: { start: noon, mode: 'frozen', skew: '1s' } });
      await failed;
      sim.clock.advance('1h');
      expect([sim.pets.size, sim.journal.size, sim.journal.pending]).toEqual([40, 0, 0]);
    },
  );

  test('survive the load of a scenario with the same clock, in their own scenario', async () => {
    const sim = frozen(late('10s', { assumptions: { defaultStatus: 'pending' } }));
    const answer = send(sim, { body: rex });
    sim.load({ clock: { start: noon, mode: 'frozen' }, hostileHeaders: { reset: 'delta' } });
    sim.clock.advance('10s');
    const { body, headers } = await answer;
    expect(JSON.parse(body)).toMatchObject({ id: 41, status: 'pending' });
    expect(headers['X-RateLimit-Reset']).toBe(String(noonMs / 1000 + 60));
  });

  test('of a client that disconnects are in the journal without a response; others continue', async () => {
    const sim = frozen(late('10s'));
    const leave = new AbortController();
    const removed = vi.spyOn(leave.signal, 'removeEventListener');
    const left = send(sim, { body: rex, signal: leave.signal });
    const other = send(sim, { body: rex });
    sim.clock.advance('1s');
    leave.abort(new Error('enough'));
    await expect(left).rejects.toThrow('enough');
    expect(removed).toHaveBeenCalledOnce();
    sim.clock.advance('9s');
    expect((await other).status).toBe(201);
    expect(sim.journal.query().map(({ id, status, answeredAtMs }) => [id, status, answeredAtMs - noonMs])).toEqual([
      [1, 0, 1_000],
      [2, 201, 10_000],
    ]);
    leave.abort();
    expect(sim.journal.size).toBe(2);
  });

  test('of a client that has already disconnected end at once', async () => {
    const sim = frozen(late('10s'));
    await expect(send(sim, { signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
    expect(sim.journal.query()[0]?.status).toBe(0);
  });

  test('report the strikes and the episode directly after the request', async () => {
    const sim = frozen({
      keys: { 'free-key': { usage: { minute: perMinute - 1 } } },
      faults: [{ when: { nth: 1 }, then: { delay: '5s' } }],
    });
    const first = send(sim);
    void send(sim);
    sim.clock.advance('2s');
    void send(sim);
    sim.clock.advance('3s');
    await first;
    expect(sim.journal.query().map(({ strikes, episode }) => [strikes, episode])).toEqual([
      [0, 0],
      [0, 1],
      [1, 1],
    ]);
  });
});
