import { expect, test } from 'vitest';
import { wrapForTerminal } from '../../src/cli/terminal.js';
import { judge } from '../../src/entries/verdict.js';
import { frozen } from '../support/frozen.js';

const terminal = { columns: 60 };

test('a line is wrapped at the width of a terminal, with whole words, its margin, and colors that take no room', () => {
  const words = `${'word '.repeat(20)}end`;
  const lines = wrapForTerminal(`  ${words}`, 4, terminal).split('\n');
  expect(lines[0]).toMatch(/^ {2}word/);
  expect(lines.slice(1).every((line) => /^ {4}\w/.test(line))).toBe(true);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
  expect(lines.join(' ').split(/\s+/).filter(Boolean)).toEqual(words.split(' '));
  const colored = `\u001b[31m${'x'.repeat(58)}\u001b[39m`;
  expect(wrapForTerminal(colored, 4, terminal)).toBe(colored);
  // A file or a pipe has no width.
  expect(wrapForTerminal(words, 4, {})).toBe(words);
  for (const line of wrapForTerminal(words, 2, terminal, ' \\').split('\n').slice(0, -1)) expect(line).toMatch(/ \\$/);
});

test('a run that only tries keys is inconclusive; one that stops after the 401 of a used key passes', async () => {
  const sim = frozen({});
  const call = (key: string) =>
    sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: `Bearer ${key}` } });
  for (const key of ['bad-key-1', 'free-key', 'bad-key-2']) await call(key);
  expect(judge(sim, { isOver: true }).outcome).toBe('inconclusive');
  sim.keys.revoke('free-key');
  await call('free-key');
  expect(judge(sim, { isOver: true }).outcome).toBe('pass');
});
