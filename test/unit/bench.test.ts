import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { aims } from '../../bench/aims.mjs';
// @ts-expect-error plain JavaScript
import { figures } from '../../bench/figures.mjs';
// @ts-expect-error plain JavaScript
import { noiseOf, tooNoisy } from '../../bench/noise.mjs';
// @ts-expect-error plain JavaScript
import { performancePage, picture } from '../../bench/report.mjs';
// @ts-expect-error plain JavaScript
import { compare, takeTurns } from '../../bench/slice.mjs';

const results = JSON.parse(readFileSync(join(import.meta.dirname, 'bench-results.json'), 'utf8'));

describe('a part of the bench is published', () => {
  const noise = (samples: number[]) => ({ unit: 'requests a second', ...noiseOf(samples) });

  test('if its reference measurement varied by 15 % at most', () => {
    expect(tooNoisy('http', noise([100, 93, 107, 108, 96]))).toBeUndefined();
    expect(noiseOf([92, 100, 107]).spread).toBeCloseTo(0.15, 10);
    expect(tooNoisy('http', noise([92, 100, 107]))).toBeUndefined();
  });

  test('if it has no reference measurement, because it takes no time', () => {
    expect(tooNoisy('bundle', undefined)).toBeUndefined();
  });

  test('not if its reference measurement varied more, which is explained in one sentence', () => {
    expect(tooNoisy('http', noise([50_000, 41_234, 52_345, 51_000]))).toBe(
      'http is not published: the yardstick spread by 22 % (41,200 to 52,300 requests a second in 4 samples), more than ' +
        '15 %; measure it again when the machine is quiet: npm run bench -- --only http',
    );
  });

  test('regardless of the lowest and highest tenth of the samples', () => {
    const calm = Array.from({ length: 18 }, (_, at) => 100 + (at % 5));
    expect(tooNoisy('http', noise([...calm, 10, 12]))).toBeUndefined();
    expect(tooNoisy('http', noise([...calm, 10, 12, 14, 16]))).toMatch(/spread by/);
  });
});

describe('a share', () => {
  test('is measured on servers loaded in turns, one at a time', async () => {
    const running = new Set<string>();
    const turns: string[] = [];
    const begin = async (url: string, _requests: unknown, { seconds }: { seconds: number }) => {
      running.add(url);
      const child = Object.assign(new EventEmitter(), {
        kill(signal: string) {
          if (signal !== 'SIGCONT') return running.delete(url);
          turns.push(url);
          running.add(url);
          expect([...running]).toEqual([url]);
          if (turns.filter((each) => each === url).length === 3) child.emit('exit');
        },
      });
      return { child, result: once(child, 'exit').then(() => ({ requests: seconds * 100, other: 1 })) };
    };
    const run = (url: string) => ({ server: { url, pid: process.pid }, requests: [] });
    const samples = await takeTurns([run('a'), run('b')], { seconds: 2 }, begin);
    expect(turns.join('')).toBe('ababab');
    expect(running.size).toBe(0);
    for (const { requests, other, perSecond } of samples) {
      expect({ requests, other }).toEqual({ requests: 400, other: 1 });
      // Two turns of 60 ms and one that ended at once.
      expect(perSecond).toBeGreaterThan(100);
      expect(perSecond).toBeLessThan(3_400);
    }
  });

  test('is the median of the pairs, not a ratio of medians, also for processor time', () => {
    const slice = (perSecond: number, cpuUs: number) => ({ perSecond, cpuUs, p99Ms: 1 });
    const pairs = [
      { of: slice(40, 25), to: slice(50, 20) },
      { of: slice(9, 100), to: slice(10, 100) },
      { of: slice(70, 10), to: slice(100, 10) },
    ];
    const { perSecond, cpu } = compare(pairs);
    expect(perSecond).toEqual({ median: 0.8, lowest: 0.7, highest: 0.9 });
    expect(cpu).toEqual({ median: 1, lowest: 0.8, highest: 1 });
  });
});

interface Aim {
  what: string;
  aim: string;
  found?: string;
  spread?: string;
  byCpu?: string;
  isReached?: boolean;
}

describe('the aims', () => {
  const rows = new Map((aims(results) as Aim[]).map((aim) => [aim.what, aim]));

  test.each([
    ['List, `--log silent`: relative to *limit*', ['≥ 0.85', '0.86', '0.84–0.88', '0.87', true]],
    ['List: relative to *real-work*, lowest value', ['≥ 1', '0.98', '0.98–1.30', '1.21', false]],
    ['p99 of the list: relative to *limit*', ['≤ 1.3', '1.25', '1.10–1.40', undefined, true]],
    ['List with `--data FOLDER`: relative to memory', ['≥ 0.85', '0.80', '0.78–0.82', '0.79', false]],
    [
      'List with a page that is open: relative to the list alone, by CPU',
      ['≥ 0.9', '0.95', '0.90–0.99', undefined, true],
    ],
    ['First response after a start: compared to bare node', ['≤ 35 ms', '35 ms', '20–60', undefined, false]],
    ['Verdict over 10,000 entries, the worst kind', ['≤ 30 ms', '31 ms', undefined, undefined, false]],
    ['Packages installed', ['≤ 77', '77', undefined, undefined, true]],
    ['Installed', ['≤ 8 MB', '8.1 MB', undefined, undefined, false]],
  ])('report for "%s" the measured value and whether the aim is reached', (what, expected) => {
    const { aim, found, spread, byCpu, isReached } = rows.get(what) ?? {};
    expect([aim, found, spread, byCpu, isReached]).toEqual(expected);
  });

  test('report an unmeasured value as not measured, neither reached nor missed', () => {
    const aim = rows.get('Create with `--data redis:`, one replica: relative to memory');
    expect(aim).toEqual({ what: aim?.what, aim: '≥ 0.4' });
    expect(performancePage(results, [])).toContain(`| ${aim?.what} | ≥ 0.4 | not measured |  |  |  |\n`);
  });

  test('are those of the issue, each once', () => {
    expect(rows.size).toBe(24);
    expect((aims({ parts: {} }) as Aim[]).every(({ found }) => found === undefined)).toBe(true);
  });
});

test('compare a peer with its share of the limit on its own Node version', () => {
  const { peers } = figures(results);
  expect(peers.map(({ name }: { name: string }) => name)).toEqual(['json-server-1', 'express']);
  expect(peers.map(({ behind }: { behind: number }) => behind.toFixed(2))).toEqual(['4.00', '10.00']);
});

test('the page and the picture name unmeasured peers, without a bar', () => {
  const peer = (name: string) => ({ name, packages: { [name]: '1.2.3' }, differs: 'Does less.' });
  const page = performancePage(results, [peer('express'), peer('mockoon'), peer('stubby')]);
  expect(page).toContain('- **express** (express 1.2.3): Does less.\n');
  expect(page).toContain('- **mockoon** (mockoon 1.2.3): Does less. Not measured: answers wrongly');
  expect(page).toContain('- **stubby** (stubby 1.2.3): Does less. Not measured: npm failed');
  expect(page).toContain('Measured on 2026-01-02; 2026-01-03: 2 cores; Node v20.20.2; wrk.');
  const drawn = [...picture(results).matchAll(/text-anchor="end"[^>]*>([^<]+)/g)].map(([, label]) => label);
  expect(drawn).toEqual(['bare node:http', 'petstore-sim', 'handwritten on node:http', 'json-server-1 ¹', 'express']);
});

test('the picture has room for a server that is faster than the limit', () => {
  const fast = structuredClone(results);
  fast.parts.http.found.ratios[0].cpu.median = 1.6;
  const svg: string = picture(fast);
  const widthOfAll = Number(/<svg[^>]* width="(\d+)"/.exec(svg)?.[1]);
  const bars = [...svg.matchAll(/<rect x="(\d+)"[^>]* width="([\d.]+)"/g)];
  expect(bars).toHaveLength(5);
  // Each bar is followed by a text of four figures.
  for (const [, left, width] of bars) expect(Number(left) + Number(width) + 40).toBeLessThan(widthOfAll);
});
