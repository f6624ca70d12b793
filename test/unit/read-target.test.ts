import { expect, test } from 'vitest';
import { readTarget } from '../../src/http/read-target.js';

test('a target is its path and its query', () => {
  expect(readTarget('/v1/pets', 3)).toEqual({ text: '/pets', path: '/pets', query: '' });
  expect(readTarget('/v1/pets?limit=20', 3)).toEqual({ text: '/pets?limit=20', path: '/pets', query: 'limit=20' });
  expect(readTarget('/s/one/v1?a?b', 9)).toEqual({ text: '?a?b', path: '', query: 'a?b' });
  expect(readTarget('/v1/pets?', 3)).toEqual({ text: '/pets?', path: '/pets', query: '' });
  expect(readTarget('/v1', 3)).toEqual({ text: '', path: '', query: '' });
});
