/**
 * Creates a formatter of ISO 8601 instants. Caches the last second, because a busy server sends thousands of responses
 * per second.
 */
export function createInstantText(): (ms: number) => string {
  let lastSecond = Number.NaN;
  let start = '';
  return (ms) => {
    const whole = Math.trunc(ms);
    const second = Math.floor(whole / 1000);
    if (second !== lastSecond) {
      start = new Date(ms).toISOString().slice(0, -4);
      lastSecond = second;
    }
    const rest = whole - second * 1000;
    return `${start}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`;
  };
}
