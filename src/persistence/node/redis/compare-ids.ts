/** Compares two ids of Redis stream entries, for sorting. */
export function compareIds(one: string, other: string): number {
  const [ms = 0, sequence = 0] = one.split('-').map(Number);
  const [otherMs = 0, otherSequence = 0] = other.split('-').map(Number);
  return ms - otherMs || sequence - otherSequence;
}
