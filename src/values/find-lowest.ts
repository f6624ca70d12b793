/**
 * Finds the lowest number from 0 to `count` for which `holds` is true, by binary search. `holds` must be true for all
 * higher numbers too.
 */
export function findLowest(count: number, holds: (index: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
