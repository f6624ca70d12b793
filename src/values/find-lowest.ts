/**
 * Finds by binary search the lowest index at which `holds` is true; `count` without one. `holds` must be true for
 * all higher indexes too.
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
