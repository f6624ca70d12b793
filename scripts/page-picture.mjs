// Writes docs/page.png, the picture of the dashboard; part of npm run picture. Requires Chromium.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { createSimulator } from '../dist/index.js';
import { listen } from '../dist/node.js';
import { dashboardHash } from './dashboard-hash.mjs';
import { noteProof, root } from './repository.mjs';

const sim = createSimulator({
  scenario: {
    name: 'minute-wall',
    description: 'The minute of the free key is used up after a while.',
    clock: { start: '2026-01-01T12:00:00Z', mode: 'frozen' },
    keys: { 'free-key': { plan: 'free', usage: { minute: 12 } }, 'pro-key': { plan: 'pro', usage: { minute: 232 } } },
    faults: [{ name: 'answer-lost', when: { operation: 'createPet', nth: 2 }, then: { reset: true, phase: 'after' } }],
  },
});
const server = await listen(sim, { port: 0 });
const call = (key, path = '/pets?limit=3', body) =>
  fetch(`${server.baseUrl}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body }),
  }).catch(() => {});
for (let n = 0; n < 54; n++) {
  sim.clock.advance(n < 49 ? '420ms' : '1500ms');
  await call('free-key');
  if (n % 3 !== 1)
    await call(
      'pro-key',
      n % 11 === 5 ? '/pets' : '/pets?status=pending',
      n % 11 === 5 ? '{"name":"Rex","categoryId":1}' : undefined,
    );
}
const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  const page = await browser.newPage({
    viewport: { width: 838, height: 1040 },
    deviceScaleFactor: 2,
    colorScheme: 'light',
  });
  await page.goto(`${server.controlUrl}/`);
  await page.locator('.finding').first().waitFor({ state: 'attached' });
  await page.locator('.list .row.strike').first().click();
  await page.locator('.detail pre').first().waitFor();
  await page.mouse.move(0, 0);
  // The timeline and the list above the detail.
  await page.evaluate(() => scrollBy(0, document.querySelector('.timeline').getBoundingClientRect().top - 8));
  await page.screenshot({ path: join(root, 'docs/page.png') });
  noteProof('page.png', { dashboard: dashboardHash() });
} finally {
  await browser.close();
  await server.close({ graceMs: 0 });
}
