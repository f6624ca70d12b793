/**
 * Returns the value of a header that was sent once, without outer spaces. Of equal lines, which a recipient joins with
 * commas (RFC 9110 section 5.3), returns one: `30` for `30, 30`. A value may contain commas, as a date does.
 */
export function singleValue(text: string): string {
  if (!text.includes(',')) return text.trim();
  const parts = text.split(',').map((part) => part.trim());
  for (let length = 1; length <= parts.length / 2; length++) {
    if (parts.length % length === 0 && parts.every((part, index) => part === parts[index % length]))
      return parts.slice(0, length).join(', ');
  }
  return text.trim();
}
