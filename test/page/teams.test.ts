import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { eventually, storm, useBrowser } from './stage.js';

describe('dashboards of a team', { tags: 'needs/chromium' }, () => {
  const { openPage, openStage } = useBrowser();
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  /** Makes the scripts of a page believe that the user shows or hides its tab, which a headless browser never does. */
  const setHidden = (page: Page, isHidden: boolean) =>
    page.evaluate((value) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value });
      document.dispatchEvent(new Event('visibilitychange'));
    }, isHidden);

  test('two dashboards are live beside 28 others and twenty programs that read events', async () => {
    const { server } = await openStage();
    const sandboxUrl = (n: number) => `${server.controlUrl}/sandboxes/person-${n}`;
    for (let n = 0; n < 30; n++) server.sandboxes.create(`person-${n}`);
    const read = (count: number, urlOf: (n: number) => string) =>
      Promise.all(Array.from({ length: count }, (_, n) => fetch(urlOf(n), { headers: { 'X-Sim-Caller': 'page' } })));
    // A dashboard that nobody looks at is its stream.
    const streams = [
      ...(await read(20, () => `${server.controlUrl}/events`)),
      ...(await read(28, (n) => `${sandboxUrl(n)}/updates`)),
    ];
    expect(streams.map(({ status }) => status)).toEqual(Array(48).fill(200));
    for (const n of [28, 29]) {
      const { page } = await openPage(`${server.controlUrl}/?sandbox=person-${n}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await fetch(`${server.baseUrl.replace('/v1', '')}/s/person-${n}/v1/pets`, {
        headers: { authorization: 'Bearer free-key' },
      });
      await page.getByText('1 request', { exact: true }).waitFor();
      expect(await button(page, 'Reset').getAttribute('aria-disabled')).toBe('false');
    }
    for (const { body } of streams) await body?.cancel();
  });

  test('shows the sentence of a server that refuses the connection', async () => {
    const { server } = await openStage();
    const { page } = await openPage('about:blank');
    const message = 'Expected at most 1000 dashboards of this server; close one first.';
    await page.route('**/__sim/updates*', (route) => route.fulfill({ status: 503, json: { status: 503, message } }));
    await page.goto(`${server.controlUrl}/`);
    await page.getByRole('alert').getByText(`The server refused: ${message}`).waitFor();
    await page.unrouteAll();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  test('asks for the control token once for all tabs, without an error in the console', async () => {
    const { server } = await openStage(storm, { controlToken: 'open-sesame' });
    const { page, errors } = await openPage(`${server.controlUrl}/`);
    await page.getByLabel('Control token').fill('wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('Wrong token.').waitFor();
    await page.getByLabel('Control token').fill('open-sesame');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'storm' }).waitFor();
    const another = await page.context().newPage();
    another.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
    await another.goto(`${server.controlUrl}/`);
    await another.getByRole('heading', { name: 'storm' }).waitFor();
    expect(errors).toEqual([]);
  });

  test('seven tabs of one browser all work, of which one is visible', async () => {
    const { server, call } = await openStage();
    const { page: first } = await openPage(`${server.controlUrl}/`);
    const context = first.context();
    let shown = first;
    for (let n = 2; n <= 7; n++) {
      await first.getByRole('heading', { name: 'storm' }).waitFor();
      await setHidden(shown, true);
      shown = await context.newPage();
      await shown.goto(`${server.controlUrl}/`);
      await shown.getByRole('heading', { name: 'storm' }).waitFor();
    }
    await call('pro-key');
    await first.getByText('1 request', { exact: true }).waitFor();
    await setHidden(shown, true);
    await setHidden(first, false);
    await call('pro-key');
    for (const page of context.pages()) {
      await page.getByText('2 requests', { exact: true }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(0);
    }
    await button(first, 'Reset').click();
    await eventually(() => shown.getByText('No requests yet.').count()).toBe(1);
  });
});
