import { expect, test } from 'vitest';
import { judge } from '../../src/verdict.js';
import { runPrograms, sending } from '../support/client-lab.js';
import { frozen } from '../support/frozen.js';

test.each([
  [[0, 1_000, 1_000, 1_000, 1_000, 1_000], '1 request', 'Sent 1 request during a ban, 119.0 s before'],
  [
    [0, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000],
    '2 requests',
    'Sent 2 requests during a ban, the first 119.0 s before',
  ],
])('a finding counts the requests after the ban was reported: %j', (pauses, count, text) => {
  const sim = frozen({ keys: { 'free-key': { usage: { minute: 60 } } } });
  runPrograms(sim, [sending(pauses)]);
  const { findings } = judge(sim, { isOver: true });
  const found = findings.find(({ code }) => code === 'ban-hammered');
  expect(found?.measured).toBe(`${count} after the response that reported the ban`);
  expect(found?.text).toContain(text);
});
