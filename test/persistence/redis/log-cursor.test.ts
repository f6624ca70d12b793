import { expect, test } from 'vitest';
import { HashChains } from '../../../src/persistence/node/redis/log-cursor.js';

test('a cursor agrees with the last 65,536 entries, and is unknown before them', () => {
  const chains = new HashChains();
  const last = 70_000;
  for (let position = 10; position <= last; position++) chains.add({ position, chain: position });
  const oldest = last - 65_536 + 1;
  expect([chains.agrees(last, last), chains.agrees(last, 1), chains.agrees(last + 1, 1)]).toEqual([true, false, false]);
  expect([chains.agrees(oldest, oldest), chains.agrees(oldest, 1)]).toEqual([true, false]);
  expect([chains.agrees(oldest - 1, last), chains.agrees(9, 9)]).toEqual([undefined, undefined]);
});

test('a cursor is unknown before a gap', () => {
  const chains = new HashChains();
  for (const position of [1, 2, 5]) chains.add({ position, chain: position });
  expect([1, 2, 5].map((position) => chains.agrees(position, position))).toEqual([undefined, undefined, true]);
});
