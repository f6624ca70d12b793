/** A writer of HTTP dates (RFC 9110 section 5.6.7) that remembers the last one: most answers share their second. */
export function createHttpDate(): (seconds: number) => string {
  let lastSeconds = Number.NaN;
  let lastText = '';
  return (seconds) => {
    if (seconds !== lastSeconds) {
      lastSeconds = seconds;
      lastText = new Date(seconds * 1000).toUTCString();
    }
    return lastText;
  };
}
