/** Median of the defined numbers; `undefined` without any. @param {(number | undefined)[]} numbers */
export function median(numbers) {
  const sorted = numbers.filter((number) => number !== undefined).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? sorted[middle]
    : sorted.length > 0
      ? (sorted[middle - 1] + sorted[middle]) / 2
      : undefined;
}
