import { expect, test } from 'vitest';
import { JsonItems } from '../../src/traffic-files/json-items.js';

const odd = [
  '',
  '\\',
  '\\\\',
  '"',
  '\\"',
  '{"a":[',
  ']}',
  'log',
  '"entries":[',
  'ä 🐕 \u2028',
  'x'.repeat(40),
  '\\\\"\\',
];
const entries = odd.map((text, index) => ({ [text]: text, nested: { list: [text, { [text]: [text] }] }, index }));
const before = { version: '1.2', creator: { name: 'entries', pages: [{ entries: [1] }] }, [odd[4] as string]: odd };

/** Items found in a text that arrives in chunks of a given size, in bytes. */
function itemsOf(text: string, pieceBytes: number) {
  const bytes = new TextEncoder().encode(text);
  const items = new JsonItems();
  const found: { kind: string; value: unknown }[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const { kind, text } of items.push(bytes.subarray(at, at + pieceBytes))) {
      found.push({ kind, value: JSON.parse(text) });
    }
  }
  expect(items.isCut).toBe(false);
  return found;
}

const sizes = [1, 2, 3, 5, 7, 64, 100_000];

test.each(sizes)('finds the entries of an archive in chunks of %i bytes, with any text content', (size) => {
  const expected = entries.map((value) => ({ kind: 'har-entry', value }));
  for (const indent of [0, 2]) {
    const text = JSON.stringify({ log: { ...before, entries, after: odd } }, null, indent);
    expect(itemsOf(text, size)).toEqual(expected);
  }
});

test.each(sizes)('finds the objects of JSON Lines in chunks of %i bytes', (size) => {
  const text = entries.map((entry) => JSON.stringify(entry)).join('\n');
  expect(itemsOf(text, size)).toEqual(entries.map((value) => ({ kind: 'object', value })));
});
