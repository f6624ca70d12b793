import { describe, expect, test } from 'vitest';
import { createProgressBar } from '../../src/cli/progress-bar.js';
import { generatePets } from '../../src/entries/seed.js';

/** Output of a bar for 1,000 pets, 10 per step, with a given time per step. */
function drawn(stepMs: number, { isTTY }: { isTTY: boolean }): string[] {
  const written: string[] = [];
  let nowMs = 0;
  let clear = () => {};
  const terminal = { isTTY, write: (text: string) => written.push(text) };
  const show = createProgressBar(
    terminal,
    () => nowMs,
    (whenIdle) => {
      clear = whenIdle;
    },
  );
  for (let made = 0; made <= 1_000; made += 10) {
    show(made, 1_000);
    nowMs += stepMs;
  }
  clear();
  return written;
}

describe('the progress bar', () => {
  test('shows the progress ten times a second, then that the pets are stored, and disappears', () => {
    const written = drawn(20, { isTTY: true });
    expect(written[0]).toBe(`\r█${'░'.repeat(29)} 50 of 1,000 pets`);
    expect(written[9]).toBe(`\r${'█'.repeat(15)}${'░'.repeat(15)} 500 of 1,000 pets`);
    expect(written.slice(-2)).toEqual(['\r\u001b[Kstoring 1,000 pets', '\r\u001b[K']);
    expect(written).toHaveLength(21);
  });

  test('shows nothing if all takes less than a second, or without a terminal', () => {
    expect(drawn(9, { isTTY: true })).toEqual([]);
    expect(drawn(20, { isTTY: false })).toEqual([]);
  });

  test('gets reports from the generator at the start, in between and at the end', () => {
    const steps: [number, number][] = [];
    const options = {
      seed: 1,
      firstId: 1,
      categories: [],
      onProgress: (...step: [number, number]) => steps.push(step),
    };
    generatePets({ available: 9_000, sold: 1_000 }, options);
    expect(steps).toEqual([
      [0, 10_000],
      [4_096, 10_000],
      [8_192, 10_000],
      [10_000, 10_000],
    ]);
  });
});
