import { defineConfig } from '@playwright/test';
import type { PetstoreOptions } from 'petstore-sim/playwright';

const port = (name: string, usual: number) => Number(process.env[name] ?? usual);
const dev = `http://127.0.0.1:${port('DEV_PORT', 5173)}`;
const preview = `http://127.0.0.1:${port('PREVIEW_PORT', 4173)}`;
const petstoreUrl = `http://127.0.0.1:${port('PETSTORE_PORT', 4010)}`;
const vite = (command: string, url: string) =>
  `npx vite ${command} --host 127.0.0.1 --port ${new URL(url).port} --strictPort`;

export default defineConfig<PetstoreOptions>({
  testDir: 'e2e',
  fullyParallel: true,
  // The first page in development waits until Vite has transformed its modules.
  expect: { timeout: 30_000 },
  webServer: [
    {
      command: `npx --no-install petstore-sim --port ${new URL(petstoreUrl).port}`,
      url: `${petstoreUrl}/__sim/health`,
    },
    { command: `npx vite build && ${vite('preview', preview)}`, url: preview },
    { command: vite('', dev), url: dev },
  ],
  projects: [
    { name: 'built', testMatch: 'built.spec.ts', use: { baseURL: preview, petstoreUrl } },
    { name: 'development', testMatch: 'development.spec.ts', use: { baseURL: dev } },
  ],
  use: {
    // Chromium of Debian: set CHROMIUM_PATH=/usr/bin/chromium CHROMIUM_ARGS='["--no-sandbox"]'
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH,
      args: JSON.parse(process.env.CHROMIUM_ARGS ?? '[]'),
    },
  },
});
