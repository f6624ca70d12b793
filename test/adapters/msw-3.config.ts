import { defineConfig } from 'vitest/config';

/** Runs msw.test.ts with `msw` being version 3; see msw-3.test.ts. */
export default defineConfig({
  resolve: { alias: [{ find: /^msw(?=\/|$)/, replacement: 'msw-3' }] },
  test: { include: ['test/adapters/msw.test.ts'], env: { MSW_MAJOR: '3' } },
});
