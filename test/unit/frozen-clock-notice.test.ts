import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { responsesTo } from '../../src/cli/replayed-calls.js';
import { createSimulator, type Fault } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { headerOfPlainCall } from '../../src/requests/plain-call.js';

const usedUp = { 'free-key': { usage: { minute: documentedPlans.free.minute } } };

/** A simulator, a function that sends a request to it, and its warnings. */
function world({ mode = 'frozen', faults = [] }: { mode?: 'frozen' | 'real'; faults?: Fault[] } = {}) {
  const onWarning = vi.fn<(message: string) => void>();
  const clock = { start: '2026-01-01T12:00:00Z', mode };
  const sim = createSimulator({ scenario: { clock, faults, ...(faults.length === 0 && { keys: usedUp }) }, onWarning });
  const list = () => sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
  return { sim, list, onWarning };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a client that waits under fake timers with a frozen clock is explained once', async () => {
  const { list, onWarning } = world();
  let tries = 0;
  const client = async () => {
    for (; tries < 5; tries++) {
      const response = await list();
      if (response.status !== 429) return;
      await new Promise((resolve) => setTimeout(resolve, Number(response.headers.get('retry-after')) * 1_000));
    }
  };
  const done = client();
  await vi.advanceTimersByTimeAsync(60_001);
  expect(tries).toBe(1);
  expect(onWarning).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(
      /refused again after a wait of 60 s, as Retry-After required.*frozen.*advance\('60000ms'\).*remove mode/,
    ),
  );
  await vi.advanceTimersByTimeAsync(300_000);
  await done;
  expect(onWarning).toHaveBeenCalledOnce();
});

test.each([
  ['comes back early', 1_000, 0],
  ['has its clock moved', 60_000, 60_000],
  ['has its clock moved a little', 60_000, 1],
])('a client that %s is not', async (_title, timersMs, clockMs) => {
  const { sim, list, onWarning } = world();
  await list();
  await vi.advanceTimersByTimeAsync(timersMs);
  sim.clock.advance(clockMs);
  await list();
  expect(onWarning).not.toHaveBeenCalled();
});

test('a client that waits on a running clock succeeds', async () => {
  const { list, onWarning } = world({ mode: 'real' });
  await list();
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await list()).status).toBe(200);
  expect(onWarning).not.toHaveBeenCalled();
});

test('a response delayed by a frozen clock is explained after a second of the timers', async () => {
  const { sim, list, onWarning } = world({ faults: [{ then: { delay: '200ms' } }] });
  const answer = list();
  await vi.advanceTimersByTimeAsync(999);
  expect(onWarning).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onWarning).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/delay of 200 ms is never sent.*frozen.*advance\('200ms'\)/),
  );
  sim.clock.advance('200ms');
  expect((await answer).status).toBe(200);
});

test('a response that the test releases is not explained, nor one withheld by its fault', async () => {
  const { sim, list, onWarning } = world({
    faults: [{ when: { first: 1 }, then: { delay: '200ms' } }, { then: { hang: true } }],
  });
  const answer = list();
  await vi.advanceTimersByTimeAsync(500);
  sim.clock.advance('200ms');
  await answer;
  void list().catch(() => {});
  await vi.advanceTimersByTimeAsync(10_000);
  expect(onWarning).not.toHaveBeenCalled();
});

test('the console shows the explanation if there is no listener', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const sim = createSimulator({ scenario: { clock: { mode: 'frozen' }, faults: [{ then: { delay: '1s' } }] } });
  void sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('frozen'));
  warn.mockRestore();
});

test('refusals of at most 1,000 keys are remembered', async () => {
  const names = Array.from({ length: 1_001 }, (_, n) => `key-${n}`);
  const keys = Object.fromEntries(
    names.map((name) => [name, { plan: 'free' as const, usage: { minute: documentedPlans.free.minute } }]),
  );
  const onWarning = vi.fn<(message: string) => void>();
  const sim = createSimulator({ scenario: { clock: { mode: 'frozen' }, keys }, onWarning });
  const list = async (name = '') => {
    const headers = { authorization: `Bearer ${name}` };
    expect((await sim.fetch('http://petstore.test/v1/pets', { headers })).status).toBe(429);
  };
  for (const name of names) await list(name);
  await vi.advanceTimersByTimeAsync(60_000);
  await list(names[0]);
  expect(onWarning).not.toHaveBeenCalled();
  await list(names.at(-1));
  expect(onWarning).toHaveBeenCalledOnce();
});

test('calls that a command sends again to a frozen simulator of its own are not explained', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const headers = { authorization: 'Bearer free-key' };
  const call = {
    method: 'GET',
    baseUrl: 'http://petstore.test/v1',
    path: '/pets',
    query: '',
    headers,
    header: headerOfPlainCall,
    body: undefined,
  };
  const resolved = resolveScenario({ faults: [{ then: { delay: '210ms' } }] });
  expect(responsesTo([{ atMs: Date.parse('2026-01-01T12:00:00Z'), call }], resolved)).toEqual(['delayed']);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
