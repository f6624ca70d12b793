/** Maximum spread of the machine's speed during a part that is published, as a share of the median. */
export const mostSpread = 0.15;

/**
 * Describes how much the machine's speed varied during a part, as a share of the median. Ignores the outermost tenths.
 * The speed is measured by a server relative to its twin, or by a fixed piece of work in milliseconds.
 * @param {number[]} samples samples in the order of measurement
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
 * Explains why the results of a part are too noisy to publish.
 * @param {string} part name of the part
 * @param {{ unit: string } & ReturnType<typeof noiseOf>} [noise] absent for a part without times, such as a file size
 * @returns {string | undefined} one sentence, or `undefined` for a publishable part
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
