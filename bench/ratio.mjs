import { median } from './median.mjs';

/**
 * Ratios of neighbours in time, in short. @param {(number | undefined)[]} ratios those that could be measured count
 * @returns {{ median: number, lowest: number, highest: number } | undefined} nothing without any
 */
export function ratioOf(ratios) {
  const there = ratios.filter((ratio) => ratio !== undefined && Number.isFinite(ratio));
  if (there.length === 0) return undefined;
  return { median: median(there), lowest: Math.min(...there), highest: Math.max(...there) };
}
