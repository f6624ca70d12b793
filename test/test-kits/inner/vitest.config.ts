import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** Of the test files that another test runs, because it is about how they fail. */
export default defineConfig({
  cacheDir: join(import.meta.dirname, '../../../node_modules/.vite-inner'),
  test: { root: import.meta.dirname, include: ['*.inner.ts'], testTimeout: 5_000, hookTimeout: 5_000 },
});
