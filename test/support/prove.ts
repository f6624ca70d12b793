import { onTestFailed, TestRunner } from 'vitest';
import { shellWords } from '../../src/cli/shell-words.js';

declare module 'vitest' {
  interface TaskMeta {
    tries?: number;
  }
}

/** Whether this is `npm run prove`, which checks every claim completely; `npm test` checks a part. */
export const isProof = process.env.PROVE === '1';

/** Seed of random draws; `PROVE_SEED` sets another. */
export const seed = Number(process.env.PROVE_SEED ?? (isProof ? 2 : 1));

/**
 * Number of repetitions for a claim. The report of `npm run prove` contains the number. A failed test prints its seed and
 * the command that repeats the same draws.
 */
export function tries(slice: number, proof: number): number {
  const count = isProof ? proof : slice;
  const test = TestRunner.getCurrentTest();
  if (test === undefined) return count;
  test.meta.tries = count;
  onTestFailed(({ task }) => console.log(`Seed ${seed}; this repeats it: ${repeatCommand(task.file.name, task.name)}`));
  return count;
}

function repeatCommand(file: string, name: string): string {
  const variables = [`PROVE_SEED=${seed}`, ...(isProof ? ['PROVE=1'] : [])];
  const pattern = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return [...variables, shellWords(['npx', 'vitest', 'run', file, '-t', pattern])].join(' ');
}

/** Number of repetitions for a claim, as parameters of fast-check. */
export const fuzz = (slice: number, proof: number) => ({ numRuns: tries(slice, proof), seed });
