// Measures the judge on a full journal of 10,000 entries, in milliseconds of processor time: `node bench/judge.mjs`
// prints the result as JSON.
import { createSimulator } from '../dist/index.js';
import { judge } from '../dist/verdict.js';

const entries = 10_000;
const runs = 25;
const utf8 = new TextEncoder();
const rex = (n) => ({ method: 'POST', body: utf8.encode(`{"name":"Pet ${n}","categoryId":1}`) });

/**
 * Kinds of judged runs: the scenario, a function that returns the n-th call, and seconds to advance the clock after it.
 */
const kinds = {
  'refusals of one call': [{ keys: { 'free-key': { usage: { minute: 60 } } }, ban: 'off' }, () => ({}), 3],
  'mixed calls at the limit': [
    { plans: { free: { minute: 60, day: 1e6 } } },
    (n) => (n % 7 === 0 ? rex(n) : { query: `limit=${(n % 20) + 1}` }),
    400,
  ],
  'distinct calls': [{ limits: 'off' }, (n) => ({ path: `/pets/${n}` }), 5],
  'lost answers': [{ limits: 'off', faults: [{ when: { probability: 0.5 }, then: { reset: true } }] }, () => ({}), 50],
};

const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };

const found = {};
for (const [kind, [scenario, callAt, stepMs]] of Object.entries(kinds)) {
  const sim = createSimulator({ scenario: { ...scenario, clock: { start: '2026-01-01T12:00:00Z', mode: 'frozen' } } });
  for (let n = 0; n < entries; n++) {
    const call = { method: 'GET', path: '/pets', query: '', body: undefined, ...callAt(n) };
    sim.handle({ baseUrl: 'http://127.0.0.1/v1', connection: 1, header: (name) => headers[name], ...call });
    sim.clock.advance(stepMs);
  }
  const all = Array.from({ length: runs }, () => {
    const start = process.cpuUsage();
    judge(sim, { isOver: true });
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  });
  const sorted = all.toSorted((a, b) => a - b);
  found[kind] = { firstMs: all[0], medianMs: sorted[runs >> 1], highestMs: sorted.at(-1) };
}
console.log(JSON.stringify(found));
