import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { mswFolder } from '../support/package-copy.js';

const inside = join(await mswFolder(3), 'package.json');

/** Runs msw.test.ts with `msw` being version 3; see msw-3.test.ts. */
export default defineConfig({
  plugins: [
    {
      name: 'msw-3',
      enforce: 'pre',
      resolveId(source) {
        return /^msw(\/|$)/.test(source) ? this.resolve(source, inside, { skipSelf: true }) : undefined;
      },
    },
  ],
  // A timeout on a machine under load says nothing of the code.
  test: { include: ['test/adapters/msw.test.ts'], env: { MSW_MAJOR: '3' }, testTimeout: 60_000 },
});
