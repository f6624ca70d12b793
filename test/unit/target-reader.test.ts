import { expect, test } from 'vitest';
import { createTargetReader } from '../../src/node/http/target-reader.js';

/** Reads every target with a new reader. */
const readAlone = (url: string, start: number) => createTargetReader()(url, start);

test('a target is its path and its query', () => {
  expect(readAlone('/v1/pets', 3)).toMatchObject({ path: '/pets', query: '' });
  expect(readAlone('/v1/pets?limit=20', 3)).toMatchObject({ path: '/pets', query: 'limit=20' });
  expect(readAlone('/s/one/v1?a?b', 9)).toMatchObject({ path: '', query: 'a?b' });
  expect(readAlone('/v1', 3)).toMatchObject({ path: '', query: '' });
});

test('a target is parsed independently of previous targets', () => {
  const bases = ['/v1', '/s/a/v1', '/s/b/v1', '/s/pets/v1'];
  const rests = [
    '',
    '/',
    '/pets',
    '/pets/',
    '/pets?',
    '/pets?limit=2',
    '/pets?limit=20',
    '/pets?limit=21',
    '/pet/s',
    '?',
  ];
  const targets = bases.flatMap((base) => rests.map((rest) => [base + rest, base.length] as const));
  const read = createTargetReader();
  for (const before of targets) {
    for (const target of targets) {
      read(...before);
      expect([before, target, read(...target)]).toEqual([before, target, readAlone(...target)]);
    }
  }
});

test('an equal target returns the same text', () => {
  const read = createTargetReader();
  const first = read('/v1/pets?limit=20', 3);
  expect(read('/s/one/v1/pets?limit=20', 9)).toBe(first);
});
