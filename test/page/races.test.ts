import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import type { OpenedPage } from '../support/browser.js';
import { deferred } from '../support/deferred.js';
import { eventually, frames, holdBack, makeStorm, type PageStage, storm, useBrowser } from './stage.js';

describe('quick and unusual use of the dashboard', { tags: 'needs/chromium' }, () => {
  const { openPage, openStage, rows } = useBrowser();
  let stage: PageStage;
  let opened: OpenedPage;
  let page: Page;

  beforeEach(async () => {
    stage = await openStage();
  });
  const open = async (hash = '', viewport = { width: 1280, height: 800 }) => {
    opened = await openPage(`${stage.server.controlUrl}/${hash}`, { viewport });
    page = opened.page;
    await page.getByText(`petstore-sim · scenario ${storm.name}`).waitFor();
  };
  const numbers = () => page.locator('.list .row:not([hidden]) .number').allTextContents();

  test('an address of a missing request is reported, and the next selection replaces it', async () => {
    await makeStorm(stage);
    await open('#request=99');
    await page.getByText('The link points to nothing in this run.').waitFor();
    await rows().first().click();
    await page.getByRole('heading', { name: /^Why / }).waitFor();
    await eventually(() => new URL(page.url()).hash).toBe('#request=9');
    await page.evaluate(() => {
      location.hash = '#request=5';
    });
    await page.getByRole('heading', { name: 'request 5' }).waitFor();
    await eventually(() => page.locator('.told').count()).toBe(0);
  });

  test('a paused list stays the same when a request is selected', async () => {
    await makeStorm(stage);
    await open();
    await eventually(() => rows().count()).toBe(9);
    await page.locator('.pause', { hasText: 'Pause' }).click();
    await stage.call('pro-key');
    await page.getByText('1 more since the pause').waitFor();
    await rows().nth(2).click();
    await page.getByRole('heading', { name: 'Why 429' }).waitFor();
    await page.getByLabel('Filter requests').fill('key:key');
    await page.getByText('9 requests, 1 more since the pause').waitFor();
    expect(await numbers()).toEqual(['9', '8', '7', '6', '5', '4', '3', '2', '1']);
    await page.locator('.pause', { hasText: 'Resume' }).click();
    await eventually(numbers).toContain('10');
  });

  test.each([
    [
      'requests',
      'Filter requests',
      'body:key_ban',
      'body:key_banned',
      'text=key_ban$',
      '3 of 9 requests',
      '.list .row:not([hidden])',
    ],
    ['pets', 'Find pets', 'Re', 'Rex', 'text=Re$', '1 of 40 pets', '.pets tbody tr'],
  ])(
    'a slow response for an earlier text does not replace that of the latest, among %s',
    async (tab, field, earlier, latest, url, found, shown) => {
      await makeStorm(stage);
      await open();
      if (tab === 'pets') await page.getByRole('button', { name: 'Pets', exact: true }).click();
      const release = await holdBack(page, new RegExp(url));
      const asked = page.waitForRequest(new RegExp(url));
      await page.getByLabel(field).fill(earlier);
      await asked;
      await page.getByLabel(field).fill(latest);
      await page.getByText(found).waitFor();
      const count = await page.locator(shown).count();
      const answered = page.waitForResponse(new RegExp(url));
      release();
      await (await answered).finished();
      await frames(page);
      expect(await page.locator(shown).count()).toBe(count);
    },
  );

  test('a reset ends the pause and closes the detail of a removed request', async () => {
    await makeStorm(stage);
    await open();
    await rows().first().click();
    await page.getByRole('heading', { name: 'Why 429' }).waitFor();
    await page.keyboard.press('p');
    await page.locator('.pause', { hasText: 'Resume' }).waitFor();
    await stage.control('POST', '/reset');
    await page.getByText('No requests yet.').waitFor();
    await eventually(() => page.locator('.detail').count()).toBe(0);
    await page.locator('.pause', { hasText: 'Pause' }).waitFor();
    await eventually(() => new URL(page.url()).hash).toBe('');
  });

  test('a verdict that a reset overtakes is not shown', async () => {
    await makeStorm(stage);
    await open();
    const isFail = page.locator('.pill.fail');
    await isFail.first().waitFor();
    const [judged, sent] = [deferred(), deferred()];
    await page.route('**/verdict', async (route) => {
      const response = await route.fetch();
      judged.resolve();
      await sent.promise;
      await route.fulfill({ response });
    });
    await stage.call('free-key');
    await judged.promise;
    await stage.control('POST', '/reset');
    await page.getByText('No requests yet.').waitFor();
    await eventually(() => isFail.count()).toBe(0);
    const isTold = page.waitForResponse('**/verdict');
    sent.resolve();
    await isTold;
    await frames(page);
    expect(await isFail.count()).toBe(0);
  });

  test('undo after a double click on Reset restores the state before the first click', async () => {
    await makeStorm(stage);
    await open();
    await page.locator('.key').first().getByText('■ banned').waitFor();
    // Lets a second snapshot pass only after the first reset, which is the worst order.
    const isReset = page.waitForResponse((response) => response.url().endsWith('/reset'));
    let saved = 0;
    await page.route('**/snapshots/page-undo.*', async (route) => {
      if (++saved > 1) await isReset;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Reset', exact: true }).dblclick();
    await page.getByRole('button', { name: '9 requests before the reset' }).waitFor();
    await eventually(() => stage.sim.keys.get('free-key').state).toBe('active');
    await page.getByRole('button', { name: 'Undo', exact: true }).first().click();
    await eventually(() => stage.sim.keys.get('free-key').state).toBe('banned');
  });

  test('a held key acts once', async () => {
    await open();
    const moves: string[] = [];
    page.on('request', (request) => request.url().endsWith('/clock') && moves.push(request.method()));
    await page.keyboard.down('f');
    await page.locator('.clock').getByText('running').waitFor();
    await page.keyboard.down('f');
    await page.keyboard.up('f');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(moves).toEqual(['POST']);
  });

  test('Enter in the scenario list waits for the scenarios', async () => {
    await open();
    const send = await holdBack(page, '**/scenarios');
    await page.keyboard.press('s');
    await page.getByLabel('Find a scenario').fill('tiny');
    await page.keyboard.press('Enter');
    send();
    await page.getByText('Loaded tiny.').waitFor();
    expect(stage.sim.scenario.name).toBe('tiny');
  });

  test('list keys do nothing while the pets are displayed', async () => {
    await makeStorm(stage);
    await open();
    await eventually(() => rows().count()).toBe(9);
    await page.getByRole('button', { name: 'Pets', exact: true }).click();
    await page.getByRole('cell', { name: '40', exact: true }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    expect(await page.locator('.detail').count()).toBe(0);
  });

  test('an opened file does not get the selection of the previous run', async () => {
    await makeStorm(stage);
    await open();
    const journal = await (await fetch(`${stage.server.controlUrl}/journal.jsonl`)).text();
    await rows().first().click();
    await page.getByRole('heading', { name: 'Why 429' }).waitFor();
    await page.getByLabel('Open a file').setInputFiles({
      name: 'run.jsonl',
      mimeType: 'application/jsonl',
      buffer: Buffer.from(journal),
    });
    await page.getByText('finished run').waitFor();
    await eventually(() => rows().count()).toBe(9);
    await eventually(() => page.locator('.detail').count()).toBe(0);
    await eventually(() => new URL(page.url()).hash).toBe('');
  });

  test('pets show bidirectional control characters as escapes', async () => {
    await stage.call('pro-key', '/pets', JSON.stringify({ name: 'Rex\u202Eevil', categoryId: 1 }));
    await open();
    await page.getByRole('button', { name: 'Pets', exact: true }).click();
    await page.getByRole('cell', { name: 'Rex\\u202eevil', exact: true }).waitFor();
    expect(await page.locator('.pets').textContent()).not.toContain('\u202E');
  });

  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 1280, height: 800 },
    { width: 800, height: 700 },
    { width: 390, height: 844 },
  ]) {
    test(`a selected row stays above the drawer, also after a resize: ${viewport.width} px`, async () => {
      await makeStorm(stage);
      for (let n = 0; n < 40; n++) await stage.call('pro-key', `/pets?limit=${n + 1}`);
      await open('', viewport);
      await page.getByText('49 requests').first().waitFor();
      await page.locator('.finding').first().waitFor({ state: 'attached' });
      const isInSight = () =>
        page.evaluate(() => {
          const row = document.querySelector('.row[aria-selected="true"]:not([hidden])');
          const { left, top, bottom } = row?.getBoundingClientRect() ?? { left: 0, top: -1, bottom: -1 };
          return [top + 3, bottom - 3].every((y) => row?.contains(document.elementFromPoint(left + 20, y)));
        });
      await rows().nth(6).click();
      await page.locator('.detail pre').first().waitFor();
      await eventually(isInSight).toBe(true);
      for (let n = 0; n < 12; n++) await page.keyboard.press('j');
      await eventually(isInSight).toBe(true);
      await page.setViewportSize({ width: viewport.width, height: viewport.height - 150 });
      await eventually(isInSight).toBe(true);
    });
  }

  test('a lost connection keeps its banner and the open request in sight on a phone', async () => {
    await makeStorm(stage);
    await open('', { width: 390, height: 844 });
    await rows().first().click();
    const heading = page.getByRole('heading', { name: 'Why 429' });
    await heading.waitFor();
    await stage.server.close({ graceMs: 0 });
    await page.getByText('Connection lost.').waitFor();
    for (const part of [heading, page.locator('.lost')]) {
      const { y, height } = (await part.boundingBox()) ?? { y: -1, height: 0 };
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThanOrEqual(844);
    }
  });

  test('header and keys keep their lines with large quotas and a long outcome', async () => {
    stage = await openStage({ ...storm, keys: { big: { plan: 'business', usage: { minute: 1_000, day: 1_000 } } } });
    await open();
    await page
      .locator('.pill')
      .or(page.getByText('1,000 / 1,000', { exact: true }))
      .first()
      .waitFor();
    await stage.call('enterprise-key');
    await page.locator('.pill', { hasText: 'inconclusive' }).waitFor();
    const header = (await page.locator('.top').boundingBox()) as { height: number };
    expect(header.height).toBeLessThan(60);
    const middles = await page
      .locator('.key', { hasText: 'big' })
      .getByRole('button', { name: /minute: big/ })
      .evaluateAll((buttons) => buttons.map((button) => button.getBoundingClientRect().top));
    expect(middles).toHaveLength(2);
    expect(new Set(middles).size).toBe(1);
  });

  test('a request is copied as a command from its row, without opening it, and with the key c', async () => {
    await makeStorm(stage);
    await open();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    const row = rows().filter({ hasText: 'limit=2' });
    await row.hover();
    await row.locator('.curl').click();
    await page.getByText('Copied.').waitFor();
    await eventually(copied).toContain('/v1/pets?limit=2');
    expect(await page.locator('.detail').count()).toBe(0);
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Why 429' }).waitFor();
    await page.keyboard.press('c');
    await eventually(copied).toMatch(/\/v1\/pets'/);
  });

  test('the button for more keys has the number of banned ones', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `team-${n + 10}`);
    stage = await openStage({ ...storm, keys: Object.fromEntries(names.map((name) => [name, { plan: 'free' }])) });
    stage.sim.keys.ban('team-29', '2m');
    await open();
    await page.getByRole('button', { name: /show \d+ more, 1 banned/ }).waitFor();
  });
});
