/** The most that the yardstick of a part may spread, as a share of its median, for the part to be published. */
export const mostSpread = 0.15;

/**
 * How far the samples of a yardstick lie apart: from the lowest to the highest without a tenth at either end, as a share
 * of the median. The yardstick of a part that loads servers is one of them beside its twin, of the others a fixed piece of
 * work, in milliseconds.
 * @param {number[]} samples in the order in which they were taken
 * @returns {{ samples: number, lowest: number, median: number, highest: number, spread: number }}
 */
export function noiseOf(samples) {
  const sorted = samples.toSorted((a, b) => a - b);
  const tenth = Math.floor(sorted.length / 10);
  const [lowest, highest] = [sorted[tenth], sorted[sorted.length - 1 - tenth]];
  const median = (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
  return { samples: sorted.length, lowest, median, highest, spread: (highest - lowest) / median };
}

/**
 * Why a part must not be published.
 * @param {string} part its name
 * @param {{ unit: string } & ReturnType<typeof noiseOf>} [noise] none for a part that takes no time, as the size of a file
 * @returns {string | undefined} one sentence; `undefined` for a part that may be published
 */
export function tooNoisy(part, noise) {
  if (noise === undefined || noise.spread <= mostSpread) return undefined;
  const { unit, samples, lowest, highest, spread } = noise;
  const figures = [lowest, highest].map((value) => value.toLocaleString('en-US', { maximumSignificantDigits: 3 }));
  return (
    `${part} is not published: the yardstick spread by ${percent(spread)} (${figures.join(' to ')} ${unit} in ${samples} ` +
    `samples), more than ${percent(mostSpread)}; measure it again when the machine is quiet: npm run bench -- --only ${part}`
  );
}

const percent = (share) => `${(share * 100).toFixed(0)} %`;
