import { TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    tries?: number;
  }
}

/** Whether this is `npm run prove`, which checks every claim completely; `npm test` checks a part. */
export const isProof = process.env.PROVE === '1';

/** Number of repetitions for a claim. The report of `npm run prove` contains the number. */
export function tries(slice: number, proof: number): number {
  const count = isProof ? proof : slice;
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.tries = count;
  return count;
}

/** Seed of random draws: constant in a test run, reported in a proof. */
export const seed = isProof ? Number(process.env.PROVE_SEED ?? 2) : 1;

/** Number of repetitions for a claim, as parameters of fast-check. */
export const fuzz = (slice: number, proof: number) => ({ numRuns: tries(slice, proof), seed });
