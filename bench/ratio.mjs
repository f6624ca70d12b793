import { median } from './median.mjs';

/**
 * Summarizes ratios of consecutive measurements.
 * @param {(number | undefined)[]} ratios undefined values are ignored
 * @returns {{ median: number, lowest: number, highest: number } | undefined} `undefined` without any value
 */
export function ratioOf(ratios) {
  const there = ratios.filter((ratio) => ratio !== undefined && Number.isFinite(ratio));
  if (there.length === 0) return undefined;
  return { median: median(there), lowest: Math.min(...there), highest: Math.max(...there) };
}
