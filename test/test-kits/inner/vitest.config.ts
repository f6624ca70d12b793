import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Configuration of test files with expected failures, which another test runs. */
export default defineConfig({
  cacheDir: join(import.meta.dirname, '../../../node_modules/.vite-inner'),
  test: {
    root: import.meta.dirname,
    include: ['*.inner.ts'],
    testTimeout: 5_000,
    hookTimeout: 5_000,
    experimental: { fsModuleCache: true },
  },
});
