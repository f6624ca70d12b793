import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { readPageFiles } from '../../src/control-api/node/package-files.js';
import { reportHtml } from '../../src/control-api/report-html.js';
import { runText } from '../../src/control-api/run-operations.js';
import { judge } from '../../src/entries/verdict.js';
import { controlOperations } from '../../src/petstore/served-petstore.js';
import type { OpenedPage } from '../support/browser.js';
import { eventually, makeStorm, openFindings, type PageStage, useBrowser } from './stage.js';

describe('addresses', { tags: 'needs/chromium' }, () => {
  const { openPage, openStage, rows } = useBrowser();
  let stage: PageStage;
  let opened: OpenedPage;
  let page: Page;

  async function open(hash = '') {
    stage = await openStage();
    await makeStorm(stage);
    opened = await openPage(`${stage.server.controlUrl}/${hash}`);
    page = opened.page;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  }
  const hash = async () => decodeURIComponent(new URL(page.url()).hash);
  const copied = () => page.evaluate(() => navigator.clipboard.readText());

  test('selecting a request, a finding or a part of the timeline changes the URL, which restores the selection', async () => {
    await open();
    await rows().nth(8).waitFor();
    await rows().filter({ hasText: 'strike 2' }).click();
    await eventually(hash).toBe('#request=6');
    await page.getByRole('button', { name: 'local link', exact: true }).click();
    await page.getByText(/Copied a link to 127\.0\.0\.1:\d+\. To others, send a report\./).waitFor();
    await eventually(copied).toBe(page.url());
    await page.reload();
    await page.getByRole('heading', { name: 'request 6' }).waitFor();
    await page.keyboard.press('Escape');
    await eventually(hash).toBe('');

    await openFindings(page);
    await page.getByRole('button', { name: 'Copy link: early-retry of free-key' }).click();
    await eventually(copied).toBe(`${stage.server.controlUrl}/#finding=early-retry`);
    await page.goto(await copied());
    await page.getByText('3 of 9 requests').waitFor();
    await eventually(() => page.locator('.finding.chosen b').textContent()).toBe('early-retry');
    for (let n = 0; n < 2; n++) await page.keyboard.press('Escape');
    await eventually(hash).toBe('');

    await page.evaluate(() => {
      location.hash = '#from=2026-01-01T12:00:01Z&to=2026-01-01T12:00:06Z';
    });
    await page.getByText('4 of 9 requests').waitFor();
    await eventually(hash).toBe('#from=2026-01-01T12:00:01.000Z&to=2026-01-01T12:00:06.000Z');
    expect(opened.errors).toEqual([]);
  });

  test("the server's root redirects a browser to the dashboard, and responds to other clients with 404", async () => {
    await open();
    const { origin } = new URL(page.url());
    await page.goto(origin);
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'storm' }).waitFor();
    expect(page.url()).toBe(`${origin}/__sim/`);
    expect((await fetch(origin)).status).toBe(404);
    expect((await fetch(`${origin}/pets`, { headers: { accept: 'text/html' } })).status).toBe(404);
  });

  test('a report opens at a request and at a finding', async () => {
    await open();
    const html = reportHtml(readPageFiles(), runText(stage.sim, judge(stage.sim, { isOver: true }), controlOperations));
    await page.route('http://report.test/**', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await page.goto('http://report.test/r.html#request=6&finding=early-retry');
    await page.getByRole('heading', { name: 'request 6' }).waitFor();
    await page.getByText('3 of 9 requests').waitFor();
    await eventually(() => new URL(page.url()).hash).toBe('#request=6&finding=early-retry');
  });

  test('the findings of a report end with the remedy', async () => {
    await open();
    const verdict = judge(stage.sim, { isOver: true });
    const remedies = [{ client: 'got', isCertain: true, settings: ['`retry: { limit: 4 }`'], fix: 'got' }];
    const html = reportHtml(readPageFiles(), runText(stage.sim, { ...verdict, remedies }, controlOperations));
    await page.route('http://report.test/**', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await page.goto('http://report.test/r.html');
    const last = page.locator('.findings > :last-child');
    const command = 'npx --no-install petstore-sim fix got';
    expect(await last.innerText()).toBe(`got: retry: { limit: 4 }; its code: ${command} copy`);
    expect(await page.getByText('got: ').count()).toBe(1);
    // A page without HTTPS has no clipboard.
    await last.getByRole('button', { name: 'copy' }).click();
    expect(await page.getByRole('dialog').getByRole('textbox').inputValue()).toBe(command);
  });

  test('a finding is copied as Markdown with its sentence, and three requests with their waits', async () => {
    await open();
    await openFindings(page);
    await page.getByRole('button', { name: 'Copy as Markdown: early-retry of free-key' }).click();
    await page.getByText('Copied.').waitFor();
    const text = await copied();
    expect(text).toMatch(/^### early-retry \(fail\) of free-key\n\n.+\.\n\n\| request \|/);
    expect(text).toContain('| 5 | 12:00:03.5 | `GET /pets` | 429 | 2000 ms | 58500 ms |');
    expect(text.match(/^\| \d/gm)).toHaveLength(3);
    expect(text).toContain('\n\nWait for the full Retry-After, plus a random time.\n');
    expect(text).toContain(`Scenario storm. ${stage.server.controlUrl}/#finding=early-retry`);
  });

  test('two requests are shown side by side with their differences, and have a URL', async () => {
    await open();
    await rows().filter({ hasText: 'limit=1' }).click();
    await page.getByRole('button', { name: 'compare…' }).click();
    await rows().filter({ hasText: 'minute used up' }).click();
    const compare = page.locator('.compare');
    await compare.getByRole('heading', { name: 'Requests 1 and 4' }).waitFor();
    const row = (name: string) =>
      compare.locator('tr').filter({ has: page.locator('th').getByText(new RegExp(`^(≠ )?${name}$`)) });
    await eventually(() => row('request').locator('td').allTextContents()).toEqual(['GET /pets?limit=1', 'GET /pets']);
    await eventually(() => row('Retry-After').locator('td').allTextContents()).toEqual(['', '59']);
    await eventually(() => row('quota').locator('td').allTextContents()).toEqual([
      'minute: 58 of 60',
      'minute: 60 of 60',
    ]);
    await eventually(() => row('key').getAttribute('class')).toBe('same');
    await eventually(hash).toBe('#request=4&compare=1');
    await page.reload();
    await compare.getByRole('heading', { name: 'Requests 1 and 4' }).waitFor();
    expect(opened.errors).toEqual([]);
  });

  test('a finding leads to the comparison of its request with the refusal before it', async () => {
    await open();
    await openFindings(page);
    const finding = page.locator('.finding').filter({ hasText: 'early-retry' });
    await finding.getByRole('button', { name: 'compare 4 and 5' }).click();
    const compare = page.locator('.compare');
    await compare.getByRole('heading', { name: 'Requests 4 and 5' }).waitFor();
    await compare.locator('tr.differs').getByText('2 s of 59 s').waitFor();
    await eventually(hash).toBe('#request=5&compare=4');
    const names = () => compare.locator('tbody th').allTextContents();
    await eventually(names).toEqual(expect.arrayContaining(['≠ waited', 'key', '≠ Retry-After']));
    expect(await names()).not.toContain('fault');
  });
});
