import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { missingProgramsReporter } from './test/support/missing-programs-reporter.js';
import { patience } from './test/support/patience.js';
import { findMissing, programs } from './test/support/programs.js';

/** These start processes, browsers or another Vitest, or wait for real clients. */
const processes = [
  'test/{cli,clients,docs,own-routes,package,page,replicas,test-kits}/**/*.test.ts',
  'test/adapters/{browser,haproxy,msw-3}.test.ts',
  'test/persistence/*-processes.test.ts',
  'test/persistence/redis/*.test.ts',
];

/**
 * Starts files that wait first, and then the slowest ones, so that no worker waits alone at the end. Vitest's order puts
 * files last that its previous run skipped.
 */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ project, moduleId }: TestSpecification) => {
      if (project.name === 'processes') return 0;
      return readFileSync(moduleId, 'utf8').startsWith('// @module-tag slow') ? 1 : 2;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

const missing = await findMissing();

export default defineConfig({
  test: {
    // Far above their usual seconds, because a timeout on a machine under load says nothing of the code.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: patience },
    setupFiles: [
      ...(process.env.TEST_COSTS === undefined ? [] : ['test/support/note-costs.ts']),
      'test/support/set-up-file.ts',
    ],
    // Nothing changes what another file sees, as set-up-file.ts checks, so a worker loads the modules once for its files.
    isolate: false,
    // Transformed modules, by their content, which are an eighth of the processor time of a run of `npm run test:quick`.
    experimental: { fsModuleCache: true },
    // A worker that waits leaves its core to another. Twice as many on two cores made clients late for their waits.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: WaitingFirst },
    reporters: ['default', missingProgramsReporter(missing)],
    tags: [
      { name: 'extended', description: 'Runs in `npm run test:all` only; CONTRIBUTING.md lists these tests.' },
      { name: 'slow', description: 'Not in `npm run test:quick`: the slowest files that start no process.' },
      ...Object.keys(programs).map((name) => ({
        name: `needs/${name}`,
        description: `Skipped on a machine without ${name}, except with CI=true.`,
        // Absent if installed, because the last of several tags would decide.
        ...(missing.includes(name) && { skip: true }),
      })),
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'processes',
          include: processes,
          maxConcurrency: 4,
        },
      },
      {
        extends: true,
        test: {
          name: 'same-process',
          include: ['test/**/*.test.ts'],
          // The packages that only some comparisons use lie below test/.
          exclude: [...processes, '**/node_modules/**'],
          maxConcurrency: 16,
        },
      },
    ],
  },
});
