import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { peers } from '../../bench/peers.mjs';
// @ts-expect-error plain JavaScript
import { performancePage, picture } from '../../bench/report.mjs';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

test('docs/performance.md and its picture match bench/results.json', () => {
  const results = JSON.parse(read('bench/results.json'));
  expect(read('docs/performance.md')).toBe(performancePage(results, peers));
  expect(read('docs/performance.svg')).toBe(picture(results));
});
