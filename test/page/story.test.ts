import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readPageFiles } from '../../src/control-api/node/package-files.js';
import { reportHtml } from '../../src/control-api/report-html.js';
import { runText } from '../../src/control-api/run-operations.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import { controlOperations } from '../../src/petstore/served-petstore.js';
import { serveLogged } from '../persistence/memory-log.js';
import { freePort } from '../support/free-port.js';
import { noon } from '../support/frozen.js';
import { openServer } from '../support/open-server.js';
import { eventually, holdBack, judged, makeStorm, openFindings, storm, useBrowser } from './stage.js';

const cost = 'Without requests 5–9, free-key would be served again after 59 s; now it is after 2:06.';

describe('what is shown to others', { tags: 'needs/chromium' }, () => {
  const { openPage, openStage, rows } = useBrowser();

  async function openStorm(scenario: Scenario = storm) {
    const stage = await openStage(scenario);
    await makeStorm(stage);
    // The page reads and shows times in UTC, in each time zone.
    const { page, errors } = await openPage(`${stage.server.controlUrl}/`, { timezoneId: 'America/New_York' });
    await rows().nth(8).waitFor();
    return { stage, page, errors };
  }
  /** Copies the timeline as a picture, and reads it. */
  async function copyPicture(page: Awaited<ReturnType<typeof openStorm>>['page']) {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    // The message about an earlier picture can still be shown, so the clipboard tells when this one is copied.
    await page.evaluate(() => navigator.clipboard.writeText(''));
    await page.getByRole('button', { name: 'copy as picture' }).click();
    const types = () => page.evaluate(async () => (await navigator.clipboard.read()).flatMap(({ types }) => types));
    await eventually(types).toContain('image/svg+xml');
    await page.getByText('Copied the picture, as PNG and SVG.').waitFor();
    return page.evaluate(async () => {
      const [item] = await navigator.clipboard.read();
      const svg = await (await (item as ClipboardItem).getType('image/svg+xml')).text();
      return { types: item?.types, svg, png: (await (item as ClipboardItem).getType('image/png')).size };
    });
  }
  const legend = (page: Awaited<ReturnType<typeof openStorm>>['page']) => page.locator('.legend').innerText();

  test('the cost of early requests is in the verdict, on the lane, in the legend and in Markdown', async () => {
    const { stage, page, errors } = await openStorm();
    await page.locator('.cost').getByText(cost).waitFor();
    // The promise is beyond the axis, so nothing of it is drawn.
    expect(await legend(page)).not.toContain('first promise');
    stage.sim.clock.advance('60s');
    await eventually(() => legend(page)).toContain('first promise');
    // The red line reaches from the first promise to the end of the axis.
    const [, width = ''] = /width="([\d.]+)" height="3"/.exec((await copyPicture(page)).svg) ?? [];
    expect(Number(width)).toBeGreaterThan(20);
    await openFindings(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy as Markdown: early-retry of free-key' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(cost);
    expect(errors).toEqual([]);
  });

  test('the legend explains what is drawn, and a bar has the number of its requests', async () => {
    const stage = await openStage({ ...storm, keys: { 'pro-key': { plan: 'pro' } } });
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    await stage.call('pro-key');
    await rows().first().waitFor();
    await eventually(() => legend(page)).toMatch(/^●\s+served$/);
    for (let n = 0; n < 6; n++) await stage.call('pro-key');
    await eventually(() => legend(page)).toMatch(/^▮\s+several served$/);
    // The picture has the sign of the latest verdict.
    await judged(page, 7);
    const { svg } = await copyPicture(page);
    expect(svg).toContain('>7<');
    // The only key has its sign, too: inconclusive here.
    expect(svg).toContain('>?<');
    expect(await page.locator('.key .pill').count()).toBe(0);
    await eventually(() => page.getByLabel('Judge').count()).toBe(0);
  });

  test('an example request has the key that the scenario tests; the page says what it waits for, and what the server has', async () => {
    const wall = { ...storm, client: { key: 'free-key' }, keys: { 'pro-key': {}, 'free-key': { bannedFor: '10s' } } };
    const stage = await openStage(wall, { upstream: 'http://127.0.0.1:1' });
    const { page } = await openPage('about:blank');
    const release = await holdBack(page, '**/page.js');
    const url = `${stage.server.controlUrl}/`;
    await page.goto(url, { waitUntil: 'commit' });
    await page.getByText('Loading…').waitFor();
    release();
    await page.getByText("'Authorization: Bearer free-key'").waitFor();
    await eventually(() => page.getByText('Loading…').count()).toBe(0);
    await page.getByText('with a backend', { exact: true }).waitFor();
    const logged = await serveLogged();
    const html = await fetch(`${logged.controlUrl}/`, { headers: { accept: 'text/html' } });
    expect(await html.text()).toContain('<meta name="about" content="state is stored">');
    await logged.close();
    await page.route('**/pets?limit=3', () => {});
    await page.getByRole('button', { name: 'Send a request' }).click();
    await page.getByText('Request sent.').waitFor();
  });

  test('a narrow list has times; a 400 its mistake; a long name stays on one line', async () => {
    const stage = await openStage({ ...storm, name: 'a-scenario-whose-name-is-as-long-as-names-of-teams-are' });
    await makeStorm(stage);
    await stage.call('pro-key', '/pets', '{"name":"Rex"}');
    const { page } = await openPage(`${stage.server.controlUrl}/`, { viewport: { width: 1280, height: 800 } });
    await rows().filter({ hasText: 'categoryId is missing' }).click();
    await page.locator('.detail pre').first().waitFor();
    await eventually(() => rows().first().locator('.time').innerText()).toBe('12:00:11.5');
    expect(await rows().first().locator('.time').isVisible()).toBe(true);
    const { height = 0 } = (await page.locator('h1').boundingBox()) ?? {};
    expect(height).toBeLessThan(40);
  });

  test('a finding leads to the scenarios that test its rule', async () => {
    const walled: Scenario = { ...storm, name: 'walled', expect: { verdict: 'pass', fail: ['early-retry'] } };
    const stage = await openStage(storm, {}, { walled });
    await makeStorm(stage);
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    await openFindings(page);
    // No scenario tests this.
    expect(await page.getByRole('button', { name: 'Scenarios that test ban-tripped' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Scenarios that test early-retry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'walled' }).waitFor();
    expect(await dialog.locator('li').count()).toBe(1);
    await page.getByLabel('Find a scenario').press('Enter');
    await page.getByText('Loaded walled.').waitFor();
  });

  test('a client that may go on has passed so far only', async () => {
    const stage = await openStage({
      clock: { start: noon, mode: 'real', speed: 0.01 },
      windows: { minute: '2s' },
      keys: { 'free-key': { usage: { minute: 'all' } } },
    });
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    expect(await stage.call('free-key')).toBe(429);
    stage.sim.clock.advance('2s');
    expect(await stage.call('free-key')).toBe(200);
    await page.locator('h1').getByText('pass so far').waitFor();
    stage.sim.clock.advance('20s');
    await eventually(() => page.locator('h1').innerText()).not.toContain('so far');
  });

  test('a picture has verdict, cost and lane, as SVG and PNG', async () => {
    const { stage, page, errors } = await openStorm();
    await page.locator('.cost').waitFor();
    const copied = await copyPicture(page);
    expect(copied.types).toEqual(expect.arrayContaining(['image/png', 'image/svg+xml']));
    expect(copied.png).toBeGreaterThan(5_000);
    for (const text of ['FAIL storm', cost, 'free-key', '▲', '■', '>now<']) expect(copied.svg).toContain(text);
    // The line of an open request, from the top edge, does not cross the texts there.
    await stage.control('POST', '/faults', { name: 'slow', then: { delay: 1 } });
    await page.locator('.legend').getByText('changed through the control API').waitFor();
    await rows().first().click();
    await page.locator('.detail').waitFor();
    const { svg } = await copyPicture(page);
    const line = svg.search(/d="M([\d.]+) 2L\1 /);
    expect(line).toBeGreaterThan(0);
    for (const text of ['>now<', '>▼<']) expect(svg.indexOf(text)).toBeGreaterThan(line);
    expect(errors).toEqual([]);
  });

  test('Move takes times as the page prints them, keeps its menu with a mistake, and offers the end of the ban', async () => {
    const { stage, page } = await openStorm();
    const now = () => new Date(stage.sim.clock.now()).toISOString().slice(11, 19);
    const menu = page.getByLabel('Move the clock', { exact: true });
    const amount = page.getByLabel('Amount to move the clock by');
    await menu.click();
    await amount.fill('a while');
    await page.getByRole('button', { name: 'move by' }).click();
    await page.getByText('expected a duration such as "500ms", "2s", "5m" or "1d", got "a while"').waitFor();
    expect(await amount.isVisible()).toBe(true);
    for (const [text, time] of [
      ['1:30', '12:01:41'],
      ['1m5s', '12:02:46'],
    ] as const) {
      if (!(await amount.isVisible())) await menu.click();
      await amount.fill(text);
      await page.getByRole('button', { name: 'move by' }).click();
      await page.getByText(`Clock moved to ${time}.`).waitFor();
      await eventually(now).toBe(time);
    }
    for (const [text, time] of [
      ['2026-01-01 12:00', '12:00:00'],
      ['12:00:20', '12:00:20'],
    ] as const) {
      await menu.click();
      await page.getByLabel('Instant to move the clock to').fill(text);
      await page.getByRole('button', { name: 'move to' }).click();
      await eventually(now).toBe(time);
    }
    await menu.click();
    await page.getByRole('button', { name: 'end of ban · free-key · 12:02:07' }).waitFor();
    await page.getByRole('button', { name: '1 s before it' }).click();
    await eventually(now).toBe('12:02:06');
    expect(await stage.call('free-key')).toBe(429);
    stage.sim.clock.advance('1s');
    expect(await stage.call('free-key')).toBe(200);
  });

  test('a printed page has its findings, also while it shows its requests', async () => {
    const { page } = await openStorm();
    const finding = page.locator('.finding').first();
    await page.getByRole('button', { name: '3 Findings' }).waitFor();
    expect(await finding.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    expect(await finding.isVisible()).toBe(true);
    // Only names of keys and of requests are left of the buttons.
    expect(await page.locator('button:visible:not(.link), figcaption button:visible').allInnerTexts()).toEqual([]);
    await page.locator('.key').getByRole('button', { name: 'free-key' }).waitFor();
  });

  test('a printed report has findings before keys and requests, its date and version, and no controls', async () => {
    const stage = await openStage();
    await makeStorm(stage);
    const html = reportHtml(readPageFiles(), runText(stage.sim, judge(stage.sim, { isOver: true }), controlOperations));
    const { page, errors } = await openPage('about:blank');
    await page.route('http://report.test/', (route) => route.fulfill({ contentType: 'text/html', body: html }));
    await page.goto('http://report.test/');
    // A failed report opens with its findings.
    await page.locator('.finding').first().waitFor();
    await page.emulateMedia({ media: 'print' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    const top = async (selector: string) => (await page.locator(selector).first().boundingBox())?.y ?? -1;
    const tops = await Promise.all(['.reason', '.timeline', '.finding', '.key', '.printed'].map(top));
    expect(tops).toEqual([...tops].sort((a, b) => a - b));
    expect(tops[0]).toBeGreaterThan(0);
    expect(await page.locator('.printed .row').count()).toBe(9);
    expect(await page.locator('.printed .row').first().innerText()).toMatch(/^1\n/);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    await page.getByText(`version ${version}`).waitFor();
    await page.locator('.clock time').getByText('Thu 1 Jan 2026').waitFor();
    for (const control of ['.tools', '.tabs', '.list', '.grow', '.foot'])
      expect(await page.locator(control).isVisible(), control).toBe(false);
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
    expect(await page.locator('.printed').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  test('after a restart of the server its requests can still be read', async () => {
    const port = await freePort();
    const stage = await openStage(storm, { port });
    await makeStorm(stage);
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    await page.locator('.cost').waitFor();
    await stage.server.close({ graceMs: 0 });
    await page.getByText('Connection lost.').waitFor();
    await openServer(createSimulator({ scenario: storm }), { port });
    await page.getByRole('button', { name: '9 requests before the restart' }).click();
    await page.getByText('finished run', { exact: true }).waitFor();
    await eventually(() => rows().count()).toBe(9);
    await page.locator('.cost').getByText(cost).waitFor();
  });
});
