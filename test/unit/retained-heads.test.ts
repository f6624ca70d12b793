import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const requests = 2_000;

/** Returns the memory that requests with headers of 14 kB leave in a simulator, in megabytes. */
function retained(
  scenario: Parameters<typeof createSimulator>[0],
  headersOf: (filler: string) => Record<string, string>,
) {
  const sim = createSimulator(scenario);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < requests; index++) {
    // Text that owns its characters, as the HTTP parser creates it.
    const headers = headersOf(Buffer.from(String(index).padStart(14_000, 'x')).toString('latin1'));
    const header = (name: string) => headers[name];
    void sim.handle({ method: 'GET', path: '/pets', query: 'limit=1', baseUrl: '', header, body: undefined });
  }
  collect();
  return { megabytes: (process.memoryUsage().heapUsed - before) / 1e6, records: sim.journal.query().length };
}

/** Text in one piece, of which V8 makes slices that keep it alive. */
const flat = (text: string) => Buffer.from(text).toString('latin1');

test('the journal keeps the token of a refused request, not its long Authorization header', () => {
  const { megabytes, records } = retained({}, (filler) => ({
    authorization: flat(`${filler} a-token-of-${filler.slice(-8)}`),
  }));
  expect(records).toBe(requests);
  expect(megabytes).toBeLessThan(10);
});

test('accepted unknown keys keep their token, not the long Authorization header', () => {
  const spaces = ' '.repeat(14_000);
  const { megabytes } = retained({ scenario: { assumptions: { acceptAnyKey: true } } }, (filler) => ({
    authorization: flat(`Bearer${spaces}a-token-of-${filler.slice(-8)}`),
  }));
  expect(megabytes).toBeLessThan(15);
});

test('the journal counts long User-Agent headers in its memory', () => {
  const { megabytes, records } = retained({}, (filler) => ({ authorization: 'Bearer free-key', 'user-agent': filler }));
  expect(records).toBeLessThan(1_500);
  expect(megabytes).toBeLessThan(24);
});
