// Writes the pictures of the dashboard for light and dark pages, docs/page*.webp; part of npm run picture. Requires
// Chromium.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
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
/** Parts of the dashboard, in the order of their numbers in docs/page.md. */
const parts = ['.grow button', '.keys h2', '.keys + section h2', '.reason', '.timeline', '.tabs', '.detail h2'];

/** Puts a number on each part. */
const number = (parts) => {
  for (const [index, part] of parts.entries()) {
    const { left, top } = document.querySelector(part).getBoundingClientRect();
    const mark = document.createElement('b');
    mark.textContent = index + 1;
    mark.style = `position:fixed;left:${Math.max(2, left - 14)}px;top:${Math.max(2, top - 10)}px;width:22px;height:22px;border-radius:50%;background:#b3261e;color:#fff;font:bold 14px/22px system-ui;text-align:center;z-index:9`;
    document.body.append(mark);
  }
};

try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, bypassCSP: true });
  await page.goto(`${server.controlUrl}/`);
  await page.locator('.finding').first().waitFor({ state: 'attached' });
  await page.locator('.list .row.strike').first().click();
  await page.locator('.detail pre').first().waitFor();
  await page.mouse.move(0, 0);
  await page.waitForTimeout(1_500);
  // The click scrolled to its row.
  await page.evaluate(() => document.querySelector('.center').scrollTo(0, 0));
  const session = await page.context().newCDPSession(page);
  for (const kind of ['', '-numbered']) {
    if (kind !== '') await page.evaluate(number, parts);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.waitForTimeout(500);
      // PNG would be four times as large.
      const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 78 });
      writeFileSync(join(root, `docs/page${kind}-${colorScheme}.webp`), data, 'base64');
    }
  }
  noteProof('page.webp', { dashboard: dashboardHash() });
} finally {
  await browser.close();
  await server.close({ graceMs: 0 });
}
