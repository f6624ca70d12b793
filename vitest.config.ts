import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** These start processes, browsers or another Vitest, or wait for real clients. */
const processes = [
  'test/{cli,clients,docs,extend,kit,package,page,replicas}/**/*.test.ts',
  'test/adapters/{browser,haproxy,msw-3}.test.ts',
  'test/log/*-processes.test.ts',
  'test/log/redis/*.test.ts',
];

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A worker that waits leaves its core to another. Twice as many on two cores made clients late for their waits.
    maxWorkers: availableParallelism() + 1,
    projects: [
      {
        extends: true,
        test: {
          name: 'processes',
          include: processes,
          maxConcurrency: 4,
          // Real browsers, clients and clocks: a machine that stood still fails one. The report names what ran twice.
          retry: process.env.CI === undefined ? 0 : 1,
        },
      },
      {
        extends: true,
        test: {
          name: 'same-process',
          include: ['test/**/*.test.ts'],
          exclude: processes,
          // Nothing here changes what another file sees, so a worker loads the modules once for all of its files.
          isolate: false,
          maxConcurrency: 16,
        },
      },
    ],
  },
});
