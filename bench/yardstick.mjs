const mix = (hash, at) => Math.imul(hash ^ at, 16_777_619);

function work() {
  let hash = 1;
  for (let at = 0; at < 1_000_000; at++) hash = mix(hash, at);
  return hash;
}
for (let time = 0; time < 20; time++) work();

/** Measures the machine's current speed: the duration of a fixed piece of work, five times, in milliseconds. */
export function yardstickMs() {
  return Array.from({ length: 5 }, () => {
    const startedMs = performance.now();
    let hash = 0;
    for (let time = 0; time < 40; time++) hash ^= work();
    if (!Number.isInteger(hash)) throw new Error('the work was left out');
    return performance.now() - startedMs;
  });
}
