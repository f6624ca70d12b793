import { TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    tries?: number;
  }
}

/** Whether this is `npm run prove`, which tries every claim in full; `npm test` tries a slice of it. */
export const isProof = process.env.PROVE === '1';

/** How often to try a claim. What a test asks for is in the report of `npm run prove`. */
export function tries(slice: number, proof: number): number {
  const count = isProof ? proof : slice;
  const test = TestRunner.getCurrentTest();
  if (test !== undefined) test.meta.tries = count;
  return count;
}

/** Where random draws start: a slice draws the same each time, a proof what the seed in its report says. */
export const seed = isProof ? Number(process.env.PROVE_SEED ?? 2) : 1;

/** How often to try a claim, as parameters of fast-check. */
export const fuzz = (slice: number, proof: number) => ({ numRuns: tries(slice, proof), seed });
