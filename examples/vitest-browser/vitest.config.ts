import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';

// Chromium of Debian: set CHROMIUM_PATH=/usr/bin/chromium CHROMIUM_ARGS='["--no-sandbox"]'
const { CHROMIUM_PATH, CHROMIUM_ARGS = '[]' } = process.env;

export default defineConfig({
  test: {
    browser: {
      enabled: true,
      headless: true,
      screenshotFailures: false,
      provider: playwright({
        launchOptions: {
          ...(CHROMIUM_PATH !== undefined && { executablePath: CHROMIUM_PATH }),
          args: JSON.parse(CHROMIUM_ARGS),
        },
      }),
      instances: [{ browser: 'chromium' }],
    },
  },
});
