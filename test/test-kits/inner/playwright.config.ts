import { defineConfig } from '@playwright/test';
import { chromiumArguments } from '../../support/chromium.js';

/** Configuration of playwright.inner.ts, for playwright-runs.test.ts. */
export default defineConfig({
  testMatch: 'playwright.inner.ts',
  // A timeout on a machine under load says nothing of the kit.
  timeout: 120_000,
  expect: { timeout: 60_000 },
  workers: 2,
  fullyParallel: true,
  use: {
    // The option of a plain `defineConfig`, known since the tests import petstore-sim/playwright.
    petstoreUrl: process.env.PETSTORE_SIM_URL as string,
    launchOptions: {
      ...(process.env.CHROMIUM_PATH !== undefined && { executablePath: process.env.CHROMIUM_PATH }),
      args: [...chromiumArguments, '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'],
    },
  },
});
