import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import type { KeyFrom } from '../../src/values/key-place.js';
import type { OpenedPage } from '../support/browser.js';
import { startBackend } from '../support/start-backend.js';
import { eventually, makeStorm, moveClock, openFindings, type PageStage, storm, useBrowser } from './stage.js';

const { openPage, openStage, rows } = useBrowser();

describe('layout at 1280 x 800', { tags: 'needs/chromium' }, () => {
  let stage: PageStage;
  let opened: OpenedPage;
  let page: Page;

  async function open(scenario = storm) {
    stage = await openStage(scenario);
    await makeStorm(stage);
    opened = await openPage(`${stage.server.controlUrl}/`, { viewport: { width: 1280, height: 800 } });
    page = opened.page;
    await rows().nth(8).waitFor();
    await page.getByRole('button', { name: '3 Findings' }).waitFor();
  }
  const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
  const isCut = (part: Locator) => part.evaluate((element) => element.scrollWidth > element.clientWidth + 1);

  test('after a failed run, the list and the fault rules are in sight; findings are a tab with their number', async () => {
    await open({ ...storm, keys: { ...storm.keys, 'business-key': { plan: 'business' }, more: { plan: 'free' } } });
    const list = await boxOf(page.locator('.list'));
    expect(list.y + 200).toBeLessThan(800);
    // A key that nobody has used takes one line.
    const unused = page.locator('.key').filter({ hasText: 'business-key' });
    expect((await boxOf(unused)).height).toBeLessThan(40);
    await eventually(() => unused.innerText()).toContain('0 / 1,000');
    const add = await boxOf(page.getByRole('button', { name: 'add a fault rule' }));
    expect(add.y + add.height).toBeLessThan(800);

    await page.getByRole('button', { name: 'quotas: business-key' }).click();
    await page.getByRole('button', { name: 'use up the minute: business-key' }).click();
    await unused.getByText('1,000 / 1,000').waitFor();
    await page.getByRole('button', { name: 'refill the minute: business-key' }).click();
    // The card stays open, so that its buttons keep their place.
    await unused.getByText('0 / 1,000').waitFor();
    await eventually(() => page.getByRole('button', { name: 'refill the minute: business-key' }).isVisible()).toBe(
      true,
    );

    await openFindings(page);
    await page.locator('.finding').nth(2).waitFor();
    await eventually(() => page.locator('.list').isVisible()).toBe(false);
    await page.setViewportSize({ width: 1440, height: 800 });
    await page.locator('.list').waitFor();
    await eventually(() => page.locator('.finding').nth(2).isVisible()).toBe(true);
    await eventually(() => page.getByRole('button', { name: '3 Findings' }).isVisible()).toBe(false);
    expect(opened.errors).toEqual([]);
  });

  test('of four used keys, two cards open by themselves, the others take one line, and the fault rules stay in sight', async () => {
    const names = ['pro-key', 'business-key', 'enterprise-key'];
    const others = Object.fromEntries(names.map((name) => [name, { plan: name.slice(0, -4) }]));
    await open({ ...storm, keys: { ...storm.keys, ...others, more: { plan: 'free' } } });
    for (const name of [...names, ...names]) await stage.call(name);
    const card = (name: string) => page.locator('.key').filter({ hasText: name });
    const quotas = (name: string) => page.getByRole('button', { name: `quotas: ${name}` });
    await card('enterprise-key').getByText('2 / 5,000').waitFor();
    const isOpen = (name: string) => quotas(name).getAttribute('aria-expanded');
    const all = ['free-key', ...names, 'more'];
    await eventually(() => Promise.all(all.map(isOpen))).toEqual(['true', 'true', 'false', 'false', 'false']);
    for (const name of ['business-key', 'enterprise-key']) {
      expect((await boxOf(card(name))).height).toBeLessThan(40);
      expect(await card(name).innerText()).toContain('2 / ');
    }
    const add = await boxOf(page.getByRole('button', { name: 'add a fault rule' }));
    expect(add.y + add.height).toBeLessThan(800);
    // A card that the user closes stays closed, and no other opens in its place.
    await quotas('pro-key').click();
    await stage.call('enterprise-key');
    await card('enterprise-key').getByText('3 / 5,000').waitFor();
    expect(await Promise.all(all.map(isOpen))).toEqual(['true', 'false', 'false', 'false', 'false']);
    stage.sim.keys.ban('business-key', '2m');
    await stage.call('business-key');
    await card('business-key').getByText('■ banned 2:00').waitFor();
    // Two lines at most.
    expect((await boxOf(card('business-key'))).height).toBeLessThan(64);
  });

  test('a wide page has findings beside the list, and in a tab while a request takes their place', async () => {
    await open();
    await openFindings(page);
    await page.setViewportSize({ width: 1920, height: 900 });
    const marked = () => page.locator('.tabs [aria-pressed=true]').allInnerTexts();
    await eventually(marked).toEqual(['9 Requests']);
    await rows().first().click();
    await eventually(marked).toEqual(['9 Requests']);
    await page.getByRole('button', { name: '3 Findings' }).click();
    await page.locator('.finding').nth(2).waitFor();
    expect(await page.locator('.detail').isVisible()).toBe(true);
    expect(await page.locator('.list').isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    await page.locator('.list').waitFor();
    expect(await page.locator('.finding').nth(2).isVisible()).toBe(true);
  });

  test('a tooltip stays inside the timeline, which has no scroll bars', async () => {
    await open();
    const canvas = page.locator('canvas');
    const { width, height } = await boxOf(canvas);
    const hint = page.locator('.hint');
    await eventually(async () => {
      for (let x = width - 5; x > 0 && !(await hint.isVisible()); x -= 12)
        await canvas.hover({ position: { x, y: height - 25 } });
      return hint.isVisible();
    }).toBe(true);
    const timeline = page.locator('.canvas');
    expect(await timeline.evaluate((e) => [e.scrollWidth - e.clientWidth, e.scrollHeight - e.clientHeight])).toEqual([
      0, 0,
    ]);
  });

  test('list and detail stand side by side', async () => {
    await open();
    await rows().filter({ hasText: 'strike 2' }).click();
    await page.locator('.detail pre').first().waitFor();
    const [list, detail] = [await boxOf(page.locator('.list')), await boxOf(page.locator('.detail'))];
    expect(list.x + list.width).toBeLessThanOrEqual(detail.x);
    expect(detail.height).toBeGreaterThan(600);
    expect(list.height).toBeGreaterThan(150);
  });

  test('the title and the buttons of a detail take one line and two, also on a phone', async () => {
    await open();
    for (let n = 0; n < 3; n++) await stage.call('free-key');
    await rows().filter({ hasText: /^12/ }).click();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 740 });
      const parts = page.locator('.detail > header :is(h2, button)');
      const lines = async (parts: Locator) =>
        new Set(
          await parts.evaluateAll((all) =>
            all.map((each) => {
              const { top, bottom } = each.getBoundingClientRect();
              return Math.round((top + bottom) / 20);
            }),
          ),
        ).size;
      await eventually(() => parts.count()).toBe(4);
      await eventually(() => lines(parts)).toBe(1);
      await eventually(() => lines(page.locator('.detail > .acts button'))).toBeLessThanOrEqual(2);
    }
    // On a smaller phone the title wraps, and no button.
    await page.setViewportSize({ width: 280, height: 740 });
    await eventually(async () => {
      const boxes = await page
        .locator('.detail > header button')
        .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().top));
      return new Set(boxes.map((top) => Math.round(top / 4))).size;
    }).toBe(1);
  });

  test('the menu of exports says that it exports all requests, also with a filter', async () => {
    await open();
    await page.getByLabel('Filter requests').fill('strike');
    await page.getByText('3 of 9 requests').waitFor();
    await page.getByText('Export').click();
    await page.getByText('All 9 requests, filtered or not:').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await eventually(() => page.getByText('All 9 requests').count()).toBe(0);
    await page.getByText('Export').click();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'JSON Lines', exact: true }).click();
    expect(
      readFileSync(await (await saving).path(), 'utf8')
        .trim()
        .split('\n'),
    ).toHaveLength(9);
  });

  test('the buttons of a full header stay at the right, and each menu opens inside the window', async () => {
    await open({ ...storm, name: 'ban-on-third-strike' });
    stage.server.sandboxes.create('checkout-tests', storm);
    await page.getByRole('button', { name: 'Reset' }).click();
    await page.getByText('9 requests before the reset').waitFor();
    await moveClock(page, '+1 day');
    await page.getByLabel('Sandbox').waitFor();
    const help = page.getByRole('button', { name: 'Help' });
    const first = await boxOf(page.locator('.top h1'));
    const last = await boxOf(help);
    expect(last.x + last.width).toBe(1264);
    expect(Math.abs(last.y - first.y)).toBeLessThan(20);
    for (const width of [1280, 1000, 768, 360])
      for (const menu of ['Move the clock', 'Export']) {
        await page.setViewportSize({ width, height: 800 });
        const summary = page.locator('.top summary').filter({ hasText: menu === 'Export' ? menu : 'Move' });
        await summary.click();
        const [button, list] = [await boxOf(summary), await boxOf(page.locator('.menu[open] > div'))];
        await page.keyboard.press('Escape');
        expect(list.x, `${menu} at ${width}`).toBeGreaterThanOrEqual(0);
        expect(list.x + list.width, `${menu} at ${width}`).toBeLessThanOrEqual(width);
        expect(Math.abs(list.x + list.width - button.x - button.width)).toBeLessThan(list.width);
        expect(list.y - button.y).toBeLessThan(50);
      }
  });

  test('a phone has the whole target, key and reason of a request', async () => {
    await open();
    await stage.call('free-key', '/pets?status=available&limit=50');
    await page.setViewportSize({ width: 360, height: 740 });
    const row = rows().filter({ hasText: 'status=available' });
    for (const part of ['time', 'who', 'method', 'target', 'status', 'why'])
      expect(await isCut(row.locator(`.${part}`)), part).toBe(false);
    const [first, second] = [await boxOf(row), await boxOf(rows().nth(1))];
    expect(first.y + first.height).toBeLessThanOrEqual(second.y);
  });

  test('findings move from their tab to a column of their own as soon as the page is wide', async () => {
    await open();
    // Without the tick of each second, which renders the page as well.
    await page.addInitScript(() => {
      globalThis.setInterval = (() => 0) as never;
    });
    await page.reload();
    await page.getByRole('button', { name: '3 Findings' }).waitFor();
    await openFindings(page);
    const tabs = page.locator('.tabs button');
    await page.setViewportSize({ width: 1500, height: 800 });
    await eventually(() => tabs.allInnerTexts()).toEqual(['9 Requests', 'Pets']);
    expect(await page.locator('.tabs [aria-pressed=true]').innerText()).toBe('9 Requests');
    expect(await rows().first().isVisible()).toBe(true);
    expect((await boxOf(page.locator('.findings'))).x).toBeGreaterThan(1000);
    // An open request takes their place.
    await rows().first().click();
    await eventually(() => tabs.allInnerTexts()).toEqual(['9 Requests', '3 Findings', 'Pets']);
    expect(await page.locator('.findings').isVisible()).toBe(false);
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 1300, height: 800 });
    await eventually(() => tabs.allInnerTexts()).toEqual(['9 Requests', '3 Findings', 'Pets']);
    expect(await rows().first().isVisible()).toBe(true);
  });

  test('a closed detail leaves the uppermost row of the list in its place', async () => {
    await open();
    for (let n = 0; n < 70; n++) await stage.call('pro-key');
    await eventually(() => page.locator('.count').innerText()).toContain('79 requests');
    const list = page.locator('.list');
    await list.evaluate((frame) => frame.scrollTo(0, 20 * 25));
    const top = () =>
      list.evaluate((frame) => {
        const edge = frame.getBoundingClientRect().top;
        const shown = [...frame.querySelectorAll('.row:not([hidden])')].filter(
          (row) => row.getBoundingClientRect().bottom > edge + 8,
        );
        return Math.max(...shown.map((row) => Number(row.querySelector('.number')?.textContent)));
      });
    await eventually(top).toBe(59);
    // No mouse, because Playwright scrolls the list if something covers the row for a moment.
    await rows().filter({ hasText: /^58/ }).dispatchEvent('click');
    await page.locator('.detail pre').first().waitFor();
    await eventually(top).toBe(59);
    await page.keyboard.press('Escape');
    await page.locator('.detail').waitFor({ state: 'detached' });
    await eventually(top).toBe(59);
  });

  test('a reset folds the cards of keys, a run without findings says so, and a failure looks unlike a change', async () => {
    await open();
    // One command, because a message leaves by itself.
    const colorOf = (text: string) =>
      page.locator('.told', { hasText: text }).evaluate((line) => getComputedStyle(line).borderTopColor);
    const quotas = page.getByRole('button', { name: 'quotas: pro-key' });
    await quotas.click();
    expect(await quotas.getAttribute('aria-expanded')).toBe('true');
    await page.getByRole('button', { name: 'Reset' }).click();
    const change = await colorOf('Reset to the start');
    await eventually(() => quotas.getAttribute('aria-expanded')).toBe('false');
    await page.getByRole('button', { name: '0 Findings' }).click();
    await page.getByText('No findings.').waitFor();
    await page
      .getByLabel('Open a file')
      .setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('hello') });
    expect(await colorOf('notes.txt: expected a HAR file')).not.toBe(change);
  });

  test('the fields of a pet stand in its columns, and change none of their widths', async () => {
    await open();
    await page.getByRole('button', { name: 'Pets', exact: true }).click();
    await page.getByRole('button', { name: 'change pet 40' }).waitFor();
    const lefts = () =>
      page.locator('.pets th').evaluateAll((heads) => heads.map((head) => Math.round(head.getBoundingClientRect().x)));
    // The names of the columns have one line each.
    expect((await boxOf(page.locator('.pets thead'))).height).toBeLessThan(32);
    const [before, change] = [await lefts(), await boxOf(page.getByRole('button', { name: 'change pet 40' }))];
    await page.getByRole('button', { name: 'change pet 40' }).click();
    expect(await lefts()).toEqual(before);
    expect((await boxOf(page.getByRole('button', { name: 'save', exact: true }))).x).toBe(change.x);
    await page.getByLabel('Name', { exact: true }).fill('Rex');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'delete pet 39' }).click();
    await page.locator('.words').getByText('pet 40 changed, by page').waitFor();
    await page.locator('.words').getByText('pet 39 deleted, by page').waitFor();
  });

  test('the choice of a sandbox shows its name', async () => {
    await open();
    stage.server.sandboxes.create('checkout-tests', storm);
    const choice = page.getByLabel('Sandbox');
    await choice.waitFor();
    const isWide = () =>
      choice.evaluate((select: HTMLSelectElement) => {
        const context = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D;
        const { font, paddingLeft, paddingRight } = getComputedStyle(select);
        context.font = font;
        const { width } = context.measureText(select.selectedOptions[0]?.text ?? '');
        return select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) > width + 16;
      });
    await eventually(isWide).toBe(true);
    await choice.selectOption('checkout-tests');
    await page.locator('.base').getByText('/s/checkout-tests/v1').waitFor();
    await eventually(isWide).toBe(true);
  });

  test("a click on a key's name shows its requests and its lane, and a second click all", async () => {
    await open();
    await stage.call('pro-key');
    await rows().nth(9).waitFor();
    await openFindings(page);
    const name = page.locator('.key').filter({ hasText: 'pro-key' }).getByRole('button', { name: 'pro-key' }).first();
    const lanes = () => page.locator('.words li').evaluateAll((items) => items.map((item) => item.textContent));
    await name.click();
    await page.getByText('1 of 10 requests').waitFor();
    // The numbers of the chips are those of the key.
    await page.getByRole('button', { name: /^refused/ }).waitFor({ state: 'hidden' });
    await eventually(() => page.locator('.list').isVisible()).toBe(true);
    await eventually(() => name.getAttribute('aria-pressed')).toBe('true');
    await eventually(lanes).toEqual(['? pro-key: 1 served']);
    await name.click();
    await eventually(() => rows().count()).toBe(10);
    await eventually(lanes).toHaveLength(2);
  });

  test('the base URL has its port and path, and the date appears when the day changes', async () => {
    const today = new Date().toISOString().slice(0, 10);
    await open({ ...storm, clock: { start: `${today}T12:00:00Z`, mode: 'frozen' } });
    const base = page.locator('.base code');
    await eventually(() => base.textContent()).toBe(stage.server.baseUrl.replace('http://', ''));
    await eventually(() => isCut(base)).toBe(false);
    const time = () => page.locator('.clock time').innerText();
    await eventually(time).toMatch(/^12:00:\d\d frozen$/);
    await moveClock(page, '+1 day');
    const [name, day] = new Date(Date.parse(`${today}T12:00:00Z`) + 86_400_000).toUTCString().split(/,? /);
    await eventually(time).toMatch(new RegExp(`^${name} ${Number(day)} \\w+ 12:00:\\d\\d`));
  });

  test('columns are as wide as their content', async () => {
    const name = 'a-client-with-a-name';
    await open();
    stage.sim.keys.add(name, { plan: 'free' });
    await stage.call(name, '/pets?status=pending&limit=100');
    const row = rows().filter({ hasText: 'status=pending' });
    await row.waitFor();
    for (const cell of ['.who', '.target', '.why']) await eventually(() => isCut(row.locator(cell)), cell).toBe(false);
  });
});

describe('what the page adds to a request', { tags: 'needs/chromium' }, () => {
  test('chips have the number of requests that they select; a body is indented; a source is a link', async () => {
    const stage = await openStage({ ...storm, description: 'A storm. Seen in ccxt/ccxt#2068.' });
    await makeStorm(stage);
    await stage.call('pro-key', '/pets', '{"name":"Rex","categoryId":1}');
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    await rows().nth(9).waitFor();
    for (const chip of ['refused 6', 'strikes 3', 'by a ban 3', 'not served 6']) {
      await page.getByRole('button', { name: chip, exact: true }).click();
      await eventually(() => rows().count()).toBe(Number(chip.slice(-1)));
      await page.getByRole('button', { name: chip, exact: true }).click();
    }
    await rows().first().click();
    await page.locator('.detail pre').getByText('{\n  "name": "Rex",\n  "categoryId": 1\n}').waitFor();
    await page.getByText('A storm.').click();
    const link = page.getByRole('link', { name: 'ccxt/ccxt#2068' });
    expect(await link.getAttribute('href')).toBe('https://github.com/ccxt/ccxt/issues/2068');
  });

  test('a request is copied as Markdown, and saved in a report that opens with it', async () => {
    const stage = await openStage();
    await makeStorm(stage);
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    await rows().filter({ hasText: 'strike 2' }).click();
    await page.locator('.detail pre').first().waitFor();
    await page.getByRole('button', { name: 'as Markdown', exact: true }).click();
    const text = await page.getByRole('textbox', { name: 'As Markdown' }).inputValue();
    expect(text).toMatch(/^### 429 to GET \/pets \(request 6\)\n\n- passed: key found: free-key, plan free\n/);
    expect(text).toContain('- noted: strike 2 of 3\n');
    expect(text).toContain(`\`\`\`sh\ncurl -i '${stage.server.baseUrl}/pets'`);
    await page.keyboard.press('Escape');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'save report', exact: true }).click();
    const body = readFileSync(await (await saving).path(), 'utf8');
    const report = await openPage('about:blank');
    await report.page.route('http://report.test/', (route) => route.fulfill({ contentType: 'text/html', body }));
    await report.page.goto('http://report.test/');
    await report.page.getByRole('heading', { name: 'request 6' }).waitFor();
    expect(report.errors).toEqual([]);
  });
});

describe('several clients', { tags: 'needs/chromium' }, () => {
  const key = { plan: 'free', usage: { minute: 59 } };
  const duo: Scenario = { ...storm, windows: { minute: '10s' }, keys: { 'wrong-client': key, 'right-client': key } };

  /** One client retries every two seconds until it is banned, the other waits. */
  async function run({ sim, call }: PageStage) {
    for (const client of ['wrong-client', 'right-client']) for (let n = 0; n < 2; n++) await call(client);
    for (let n = 0; n < 6; n++) {
      sim.clock.advance('2s');
      if (n < 4) await call('wrong-client');
    }
    await call('right-client');
  }

  test('each has its own verdict: in the headline, on cards, lanes and in the choice of the judge', async () => {
    const stage = await openStage(duo);
    await run(stage);
    const { page, errors } = await openPage(`${stage.server.controlUrl}/`);
    const headline = page.locator('.reason li');
    await eventually(() => headline.allInnerTexts()).toEqual([
      expect.stringMatching(/^✗ wrong-client The client .*got its key banned/),
      '✓ right-client The client did what the service asked.',
    ]);
    for (const [client, pill] of [
      ['wrong-client', '✗ fail'],
      ['right-client', '✓ pass'],
    ] as const) {
      const card = page.locator('.key').filter({ hasText: client });
      await eventually(() => card.locator('.pill').innerText()).toBe(pill);
    }
    await eventually(() => page.getByLabel('Judge').locator('option').allTextContents()).toEqual(
      expect.arrayContaining(['all keys', '✗ wrong-client', '✓ right-client', 'free-key']),
    );
    const words = () => page.locator('.words li b').allTextContents();
    await eventually(words).toEqual(['✗ wrong-client', '✓ right-client']);
    // Chosen alone, a client has one verdict.
    await page.getByLabel('Judge').selectOption({ label: '✓ right-client' });
    await page.locator('.reason > span').getByText('The client did what the service asked.').waitFor();
    expect(errors).toEqual([]);

    // A saved report has the same names.
    const saving = page.waitForEvent('download');
    await page.getByText('Export').click();
    await page.getByRole('button', { name: 'Report for others', exact: true }).click();
    const file = await (await saving).path();
    await page.getByLabel('Open a file').setInputFiles({
      name: 'report.html',
      mimeType: 'text/html',
      buffer: readFileSync(file),
    });
    await page.getByText('finished run', { exact: true }).waitFor();
    await eventually(() => headline.locator('.pill').allInnerTexts()).toEqual(['✗ wrong-client', '✓ right-client']);
    await page.getByLabel('Judge').selectOption({ label: '✓ right-client' });
    await page.locator('.reason > span').getByText('The client did what the service asked.').waitFor();
  });

  test('a call that a client gave up with one key and made with another has one story', async () => {
    const stage = await openStage({
      ...storm,
      expect: { served: true },
      keys: { 'key-a': { plan: 'free', usage: { minute: 58 } }, 'key-b': { plan: 'free', usage: { minute: 58 } } },
    });
    const { sim, call } = stage;
    for (let n = 0; n < 4; n++) {
      await call('key-a');
      sim.clock.advance('2s');
    }
    await call('key-b');
    await call('key-b', '/pets?limit=3');
    for (const wait of ['2s', '2s', '1m', '5m']) {
      await call('key-b', '/pets?limit=4');
      sim.clock.advance(wait);
    }
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    // The other finding of key-a fails it, too.
    const pills = page.locator('.key .pill');
    await eventually(() => pills.allInnerTexts()).toEqual(['✗ fail', '✗ fail']);
    expect(await page.locator('.reason > span').innerText()).toBe('The client retried too early.');
    await openFindings(page);
    await page.locator('.finding').nth(1).waitFor();
    expect(await page.locator('.findings').innerText()).not.toContain('gave-up');
    // Judged alone, the key has given up.
    await page.getByLabel('Judge').selectOption({ label: '✗ key-a' });
    await page.locator('.finding').getByText('gave-up').waitFor();
    await page.locator('.reason > span').getByText('gave up').waitFor();
  });

  test('a client that nothing put to the test is only named', async () => {
    const stage = await openStage(duo);
    await run(stage);
    await stage.call('pro-key');
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    await eventually(() => page.locator('.reason li').allInnerTexts()).toEqual([
      expect.stringMatching(/^✗ wrong-client/),
      expect.stringMatching(/^✓ right-client/),
      'Not put to the test: pro-key.',
    ]);
  });
});

describe('an empty page', { tags: 'needs/chromium' }, () => {
  const wall: Scenario = { ...storm, name: 'minute-wall', keys: { wall: { plan: 'free', usage: { minute: 59 } } } };

  test('copies an example request, sends it, and loads minute-wall', async () => {
    const stage = await openStage(storm, {}, { 'minute-wall': wall });
    const { page, errors } = await openPage(`${stage.server.controlUrl}/`);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const button = (name: string) => page.getByRole('button', { name, exact: true });
    const line = `curl -i '${stage.server.baseUrl}/pets?limit=3' -H 'Authorization: Bearer free-key'`;
    await page.getByText(line).waitFor();
    await button('Copy curl').click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(line);
    await button('Send a request').click();
    await rows().filter({ hasText: 'free-keyGET/pets?limit=3200' }).waitFor();
    // The verdict on a request that tests nothing offers the same scenario, instead of a command.
    await page.getByText('so nothing was put to the test.').waitFor();
    await eventually(() => page.locator('.reason').innerText()).not.toContain('npx');
    await button('Load minute-wall').click();
    await page.getByText('Loaded minute-wall.').waitFor();
    expect(stage.sim.name).toBe('minute-wall');
    await page.getByRole('button', { name: /Show me/ }).waitFor();
    expect(errors).toEqual([]);
  });

  test.each<[keyFrom: KeyFrom, sent: string]>([
    ['bearer', "pets?limit=3' -H 'Authorization: Bearer free-key'"],
    ['basic', "pets?limit=3' -H 'Authorization: Basic ZnJlZS1rZXk6'"],
    ['token', "pets?limit=3' -H 'Authorization: token free-key'"],
    ['signature', "pets?limit=3' -H 'Authorization: AWS4-HMAC-SHA256 Credential=free-key/...'"],
    ['header x-api-key', "pets?limit=3' -H 'x-api-key: free-key'"],
    ['query api_key', "pets?limit=3&api_key=free-key'"],
    ['one', "pets?limit=3'"],
  ])('sends the key of an example request by %s', async (keyFrom, sent) => {
    const stage = await openStage({ ...storm, keyFrom });
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    const code = page.locator('.nothing code');
    await eventually(() => code.innerText()).toBe(`curl -i '${stage.server.baseUrl}/${sent}`);
    await page.getByRole('button', { name: 'Send a request' }).click();
    await rows().filter({ hasText: '200' }).waitFor();
    expect(stage.sim.journal.query()).toMatchObject([{ token: 'free-key', status: 200 }]);
  });

  test('a key with signs of URLs, shells and Base64 is sent as it is', async () => {
    const key = "a&b=c'd%2B+é";
    const stage = await openStage({ keyFrom: 'query key', keys: { [key]: { plan: 'free' } }, client: { key } });
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    await page.getByText("&key=a%26b%3Dc'\\''d%252B%2B%C3%A9'").waitFor();
    await page.getByRole('button', { name: 'Send a request' }).click();
    await rows().filter({ hasText: '200' }).waitFor();
    expect(stage.sim.journal.query()).toMatchObject([{ token: key, status: 200 }]);
  });

  test('without the API, an example request is for the root of the backend, and there is no demo', async () => {
    const { url, received } = await startBackend((_, response) => response.end('{}'));
    const stage = await openStage({ ...storm, keyFrom: 'query key' }, { upstream: { url, withoutApi: true } });
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    const origin = stage.server.baseUrl.replace('/v1', '');
    await eventually(() => page.locator('.nothing code').innerText()).toBe(`curl -i '${origin}/?key=free-key'`);
    expect(await page.locator('.base').innerText()).not.toContain('/v1');
    expect(await page.getByRole('button', { name: /Show me/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Send a request' }).click();
    await rows().filter({ hasText: '200' }).waitFor();
    expect(received.map((each) => each.url)).toEqual(['/']);
  });

  test('does not offer a scenario that the server lacks', async () => {
    const stage = await openStage();
    const { page } = await openPage(`${stage.server.controlUrl}/`);
    await page.getByRole('button', { name: /Show me/ }).waitFor();
    await page.getByRole('button', { name: 'quotas: pro-key' }).waitFor();
    expect(await page.getByRole('button', { name: 'Load minute-wall' }).count()).toBe(0);
  });

  test('shows both clients of the demo in a sandbox of their own, and leads back', async () => {
    const stage = await openStage();
    const { page } = await openPage('about:blank');
    await page.clock.install();
    await page.goto(`${stage.server.controlUrl}/`);
    await page.getByRole('button', { name: /Show me/ }).click();
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'demo' }).waitFor();
    for (const client of ['wrong-client', 'right-client']) await rows().filter({ hasText: client }).first().waitFor();
    const [sandbox] = stage.server.sandboxes.list();
    expect(page.url()).toBe(`${stage.server.controlUrl}/?sandbox=${sandbox?.name}`);
    expect(sandbox?.sim.clock.frozen).toBe(false);
    await page.clock.fastForward(20_000);
    await eventually(() => sandbox?.sim.clock.frozen).toBe(true);
    await page.getByRole('button', { name: 'back', exact: true }).click();
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'storm' }).waitFor();
    expect(page.url()).toBe(`${stage.server.controlUrl}/`);
    await eventually(() => stage.server.sandboxes.list()).toEqual([]);
    // Nobody's state was touched.
    expect(stage.sim.journal.size).toBe(0);
    await eventually(() => page.getByRole('button', { name: 'back', exact: true }).count()).toBe(0);
  });
});
