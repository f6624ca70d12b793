import { expect, test } from 'vitest';
import { decodeUnreserved } from '../../src/values/percent-encoding.js';

const hex = (character: string) => `%${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
const unreserved = 'ABCXYZabcxyz0123456789-._~';

test('every unreserved character is decoded, with upper-case and lower-case digits', () => {
  const encoded = [...unreserved].map(hex).join('');
  expect(decodeUnreserved(encoded)).toBe(unreserved);
  expect(decodeUnreserved(encoded.toUpperCase())).toBe(unreserved);
});

test('every other byte is unchanged', () => {
  const others = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).filter(
    (character) => !/[A-Za-z0-9._~-]/.test(character),
  );
  expect(others).toHaveLength(256 - 66);
  for (const text of others.map(hex)) expect(decodeUnreserved(text)).toBe(text);
});

test('doubly encoded, unencoded and malformed text is unchanged', () => {
  for (const text of ['/v1/pets', '%2570', '%zz', '%', '%7', '/a%2Fb', '%E2%82%AC']) {
    expect(decodeUnreserved(text)).toBe(text);
  }
});
