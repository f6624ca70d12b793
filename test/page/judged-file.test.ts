import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { readPageFiles } from '../../src/control-api/node/package-files.js';
import { reportHtml } from '../../src/control-api/report-html.js';
import { createControl } from '../../src/entries/control.js';
import type { OpenedPage } from '../support/browser.js';
import { eventually, frames, makeStorm, type PageStage, useBrowser, violations } from './stage.js';

const github = [
  ['12:00:00', 200, '"X-RateLimit-Remaining":"0","X-RateLimit-Limit":"60","X-RateLimit-Reset":"1767268860"'],
  ['12:00:01', 429, '"Retry-After":"59"'],
  ['12:00:03', 429, '"Retry-After":"57"'],
]
  .map(
    ([time, status, headers]) =>
      `{"time":"2026-01-01T${time}Z","durationMs":90,"method":"GET","baseUrl":"https://api.github.com","path":"/repos","query":"access_token=QUERY-SECRET","status":${status},"requestHeaders":{"Authorization":"token HEADER-SECRET"},"headers":{${headers}}}\n`,
  )
  .join('');

describe('a dropped recording', { tags: 'needs/chromium' }, () => {
  const { openPage, openStage, rows } = useBrowser();
  let stage: PageStage;
  let opened: OpenedPage;
  let page: Page;
  let har: string;
  beforeEach(async () => {
    const recorded = await openStage();
    await makeStorm(recorded);
    await recorded.call('pro-key');
    har = JSON.stringify(createControl(recorded.sim).exportHar());
    stage = await openStage();
    opened = await openPage(`${stage.server.controlUrl}/`);
    page = opened.page;
    await page.getByText('No requests received.').waitFor();
  });

  const fire = (name: string, files: [name: string, text: string][] = [], relatedTarget = false) =>
    page.evaluate(
      ([name, files, isInside]) => {
        const dataTransfer = new DataTransfer();
        for (const [fileName, text] of files) dataTransfer.items.add(new File([text], fileName));
        const target = document.querySelector('.main') as Element;
        const relatedTarget = isInside ? document.body : null;
        target.dispatchEvent(new DragEvent(name, { dataTransfer, relatedTarget, bubbles: true, cancelable: true }));
      },
      [name, files, relatedTarget] as const,
    );
  const overlay = () => page.locator('.drop');

  test('is judged by the server: verdict, findings, keys, lanes and reasons as in the live run; back to the live view', async () => {
    await stage.call('pro-key');
    await rows().first().waitFor();
    const before = createControl(stage.sim).exportState();
    await fire('dragover', [['client.har', har]]);
    await overlay().getByText('Drop a HAR file to judge it').waitFor();
    await fire('dragleave', [], true);
    expect(await overlay().count()).toBe(1);
    await fire('dragleave');
    await overlay().waitFor({ state: 'detached' });
    await fire('dragover', [['client.har', har]]);
    await overlay().waitFor();
    await fire('drop', [['client.har', har]]);
    await page.getByText('The client retried too early').first().waitFor();
    await eventually(() => overlay().count()).toBe(0);
    await page.getByRole('heading', { name: 'client.har' }).waitFor();
    await page.getByText('finished run').waitFor();
    await eventually(() => rows().count()).toBe(10);
    expect(await page.locator('.key').allInnerTexts()).toEqual([
      expect.stringMatching(/free-key.*free.*■ banned.*60 \/ 60.*3 strikes/s),
      expect.stringMatching(/pro-key.*pro.*1 \/ 300/s),
    ]);
    await page.getByText('3 served, 1 refused, 3 strikes, 2 refused in a ban').waitFor();
    await rows().filter({ hasText: 'strike 3: banned for' }).click();
    await page.getByText('so the key is banned until 12:02:07').waitFor();
    await page.keyboard.press('Escape');

    // The live view is as before, and goes on.
    await page.getByRole('button', { name: 'back to the live view' }).click();
    await page.getByRole('heading', { name: 'storm' }).waitFor();
    expect(createControl(stage.sim).exportState()).toEqual(before);
    expect(stage.sim.changes.count).toBe(0);
    await stage.call('pro-key');
    await eventually(() => rows().count()).toBe(2);
    expect(opened.errors).toEqual([]);
  });

  test('is chosen with the keyboard, from the empty page and from the menu', async () => {
    const choose = async (press: () => Promise<void>) => {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press()]);
      await chooser.setFiles({ name: 'run.har', mimeType: 'application/json', buffer: Buffer.from(har) });
      await page.getByRole('heading', { name: 'run.har' }).waitFor();
    };
    await choose(() => page.getByRole('button', { name: /^Drop a HAR file to judge it/ }).press('Enter'));
    await page.getByRole('button', { name: 'back to the live view' }).press('Enter');
    await page.getByText('No requests received.').waitFor();
    // The same file again.
    await choose(async () => {
      await page.getByText('Export').press('Enter');
      await page.getByRole('button', { name: 'Open a file…' }).press('Enter');
    });
  });

  test('of another service is judged at once, without its secrets; its gaps are named', async () => {
    await fire('drop', [['traffic.jsonl', `${github}{"time":"2026-01-0`]]);
    await page.getByRole('heading', { name: 'api.github.com' }).waitFor();
    await page.getByText('The client retried too early').first().waitFor();
    await page.getByText('traffic.jsonl: the file ends within an entry, after 3 complete entries.').waitFor();
    await page.getByRole('button', { name: '1 Finding' }).click();
    const unknown = page.locator('.untested').filter({ hasText: /^Not known from a recording: \d+ rules/ });
    await unknown.locator('summary').click();
    await unknown.getByText(/ban-tripped/).waitFor();
    await page.getByRole('button', { name: '3 Requests' }).click();
    await rows().first().getByText('limit used up, wait 57 s').waitFor();
    await rows().first().click();
    await page.getByLabel(/^Request 3/).waitFor();
    expect(await page.content()).not.toContain('SECRET');
  });

  test('is judged again with what only its user knows: one key, and whether the client had ended', async () => {
    const own = `${stage.server.baseUrl}`;
    const hidden = github.replaceAll('https://api.github.com', own).replaceAll('/repos', '/pets');
    const keyless = hidden.replace(/"Authorization":"[^"]*"/g, '').replace(/"query":"[^"]*",/g, '');
    await fire('drop', [['traffic.jsonl', keyless]]);
    await page.getByText('or use --one-key if all had the same key').waitFor();
    const choose = (name: string) => page.getByLabel(name).check();
    await choose('All requests had the same key');
    await page.locator('.reason').getByText('The client retried too early.').waitFor();
    await page.getByRole('button', { name: '1 Finding' }).waitFor();
    await choose('The client had ended');
    await page.getByRole('button', { name: '2 Findings' }).click();
    await page.locator('.finding').getByText('gave-up').waitFor();
    expect(await page.getByLabel('All requests had the same key').isChecked()).toBe(true);
    await page.getByLabel('All requests had the same key').uncheck();
    await page.getByText('or use --one-key').waitFor();
    expect(opened.errors).toEqual([]);
  });

  test('keeps a choice that is made before the verdict on the one before it', async () => {
    const hidden = github.replaceAll('https://api.github.com', stage.server.baseUrl).replaceAll('/repos', '/pets');
    const keyless = hidden.replace(/"Authorization":"[^"]*"/g, '').replace(/"query":"[^"]*",/g, '');
    await fire('drop', [['traffic.jsonl', keyless]]);
    await page.getByText('or use --one-key if all had the same key').waitFor();
    const answers: (() => Promise<void>)[] = [];
    await page.route('**/judge?*', (route) => void answers.push(() => route.continue()));
    await page.getByLabel('All requests had the same key').check();
    await page.getByLabel('The client had ended').check();
    await eventually(() => answers.length).toBe(2);
    // The answer to the second choice arrives first.
    const [first, second] = answers as [() => Promise<void>, () => Promise<void>];
    const answered = () => page.waitForResponse('**/judge?*');
    await Promise.all([answered(), second()]);
    await page.getByRole('button', { name: '2 Findings' }).waitFor();
    await Promise.all([answered(), first()]);
    await frames(page);
    for (const name of ['All requests had the same key', 'The client had ended'])
      expect(await page.getByLabel(name).isChecked()).toBe(true);
    await page.getByRole('button', { name: '2 Findings' }).waitFor();
  });

  test('of another kind has the sentence of the command line, and changes nothing', async () => {
    await fire('drop', [['mappings.json', '{"mappings":[{"request":{"url":"/"},"response":{}}]}']]);
    await page
      .getByText('mappings.json: expected a HAR file or JSON Lines, got a map with the fields mappings')
      .waitFor();
    await page.getByRole('heading', { name: 'storm' }).waitFor();
    await fire('drop', [['page.html', '<!doctype html><p>Hello']]);
    await page.getByText('page.html: expected a HAR file or JSON Lines, got an HTML page').waitFor();
  });

  test('is not judged by a report without a server, which names the command; a report opens on a server', async () => {
    const { sim } = stage;
    await stage.call('pro-key');
    const html = reportHtml(readPageFiles(), JSON.stringify(createControl(sim).exportRun()));
    const { server } = await openStage();
    await page.route('**/report.html', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await page.goto(`${new URL(server.controlUrl).origin}/report.html`);
    await eventually(() => rows().count()).toBe(1);
    await fire('dragover', [['client.har', har]]);
    await overlay().getByText('Drop a report to open it').waitFor();
    await fire('drop', [['client.har', har]]);
    await page.getByText('client.har is no report. To judge a recording: petstore-sim judge client.har').waitFor();
    expect(await rows().count()).toBe(1);

    await page.goto(`${server.controlUrl}/`);
    await page.getByText('No requests received.').waitFor();
    await fire('drop', [['report.html', html]]);
    await page.getByText('finished run').waitFor();
    await eventually(() => rows().count()).toBe(1);
  });

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('is accessible, in %s at %i px: overlay and verdict', async (colorScheme, width) => {
    page = (await openPage(`${stage.server.controlUrl}/`, { colorScheme, viewport: { width, height: 800 } })).page;
    await page.getByText('No requests received.').waitFor();
    await fire('dragover', [['client.har', har]]);
    await overlay().waitFor();
    expect(await violations(page)).toEqual([]);
    await fire('drop', [['traffic.jsonl', github]]);
    await page.getByText('The client retried too early').first().waitFor();
    expect(await violations(page)).toEqual([]);
  });
});
