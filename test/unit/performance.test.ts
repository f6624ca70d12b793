import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { performancePage, picture } from '../../bench/report.mjs';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

test('docs/performance.md and its picture match bench/results.json', () => {
  const results = JSON.parse(read('bench/results.json'));
  expect(read('docs/performance.md')).toBe(performancePage(results));
  expect(read('docs/performance.svg')).toBe(picture(results));
});

test('docs/performance.md is one page with one picture, which has a dark form', () => {
  const page = read('docs/performance.md');
  expect(page.split(/[\s|]+/).length).toBeLessThan(700);
  expect(page.match(/!\[/g)).toHaveLength(1);
  expect(read('docs/performance.svg')).toContain('@media (prefers-color-scheme: dark)');
});
