import { stripVTControlCharacters } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createRequestLog } from '../../src/cli/request-log.js';
import type { ListenOptions } from '../../src/entries/node.js';
import type { OpenedPage } from '../support/browser.js';
import { freePort } from '../support/free-port.js';
import { openServer } from '../support/open-server.js';
import { eventually, holdBack, makeStorm, moveClock, type PageStage, storm, useBrowser, violations } from './stage.js';

declare global {
  interface Window {
    /** Times of the requests for updates. */
    attempts: number[];
  }
}

describe('changes by the page', { tags: 'needs/chromium' }, () => {
  const { openPage, openStage, rows } = useBrowser();
  let stage: PageStage;
  let opened: OpenedPage;
  let page: Page;

  async function open(scenario = storm, options: ListenOptions = {}, width = 1280) {
    stage = await openStage(scenario, options);
    opened = await openPage(`${stage.server.controlUrl}/`, { viewport: { width, height: 900 } });
    page = opened.page;
    await page.getByText(`petstore-sim · scenario ${scenario.name}`).waitFor();
  }
  const button = (name: string) => page.getByRole('button', { name });
  const middleOf = async (name: string) => {
    const { x, y, width, height } = (await button(name).boundingBox()) as NonNullable<
      Awaited<ReturnType<ReturnType<typeof button>['boundingBox']>>
    >;
    return { x: x + width / 2, y: y + height / 2 };
  };

  test('a second click on unban changes nothing, because buttons keep their place and focus', async () => {
    await open();
    await makeStorm(stage);
    await page.locator('.key').first().getByText('■ banned').waitFor();
    const before = await middleOf('unban: free-key');
    await page.mouse.click(before.x, before.y);
    await eventually(() => button('unban: free-key').getAttribute('aria-disabled')).toBe('true');
    await page.mouse.click(before.x, before.y);
    await eventually(() => button('unban: free-key').getAttribute('aria-disabled')).toBe('true');
    expect(await middleOf('unban: free-key')).toEqual(before);
    expect(stage.sim.keys.get('free-key')).toMatchObject({ state: 'active', strikes: 0 });
    await eventually(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
      'unban: free-key',
    );
  });

  test('undo takes back the latest change, whatever it was', async () => {
    await open();
    await page.keyboard.press('r');
    await page.getByText('Reset to the start of the scenario.').waitFor();
    const startMs = stage.sim.clock.now();
    const undo = page.locator('header').getByRole('button', { name: /^(Un|Re)do/ });
    const key = () => stage.sim.keys.get('free-key').state;

    await button('ban 2 min: free-key').click();
    await page.getByText(/^free-key: banned until [\d:]+\./).waitFor();
    expect(key()).toBe('banned');
    await undo.click();
    await page.getByText(/^Undone: free-key: banned until [\d:]+\./).waitFor();
    expect(key()).toBe('active');

    // Two moves, unlike the second click of a double click on Reset.
    const title = () => undo.getAttribute('title');
    await moveClock(page, '+1 min');
    await eventually(title).toMatch(/^Undo: Clock moved to .* Sets the clock as well\.$/);
    const afterFirst = await title();
    await moveClock(page, '+1 min');
    await eventually(() => stage.sim.clock.now() - startMs).toBe(120_000);
    // Before the page shows the second move, its button would undo the first one, which is refused.
    await eventually(
      async () => /^Undo: Clock moved/.test((await title()) ?? '') && (await title()) !== afterFirst,
    ).toBe(true);
    await eventually(() => [...stage.sim.snapshots.keys()].length).toBe(1);
    await page
      .getByText(/Clock moved to/)
      .first()
      .waitFor();
    await undo.click();
    await eventually(() => stage.sim.clock.now() - startMs).toBe(60_000);
  });

  test('undo restores a revoked key with its usage', async () => {
    await open();
    await stage.call('pro-key');
    await page.getByLabel('more: pro-key').click();
    await button('revoke: pro-key').click();
    await page.getByText('pro-key: revoked.').waitFor();
    expect(await stage.call('pro-key')).toBe(401);
    await page.locator('.told').getByRole('button', { name: 'Undo' }).click();
    await eventually(() => stage.sim.keys.get('pro-key').state).toBe('active');
    expect(await stage.call('pro-key')).toBe(200);
    expect(stage.sim.keys.get('pro-key').minute.remaining).toBe(298);
  });

  test('bans have any length, and minute and day windows can be used up and refilled', async () => {
    await open();
    await page.getByLabel('more: pro-key').click();
    await page.getByLabel('Length of the ban: pro-key').fill('90s');
    await page.getByLabel('Length of the ban: pro-key').press('Enter');
    await page.getByText('■ banned 1:30').waitFor();
    await button('unban: pro-key').click();
    await button('use up the day: pro-key').click();
    await eventually(() => stage.sim.keys.get('pro-key')).toMatchObject({
      day: { remaining: 0 },
      minute: { remaining: 300 },
    });
    await button('refill the day: pro-key').click();
    await eventually(() => stage.sim.keys.get('pro-key').day.remaining).toBe(10_000);
  });

  test('a reset keeps the removed requests with verdict and bodies, also after undo', async () => {
    await open();
    await makeStorm(stage);
    await rows().nth(8).waitFor();
    await page.keyboard.press('r');
    await page.getByText('No requests yet.').waitFor();
    await page.keyboard.press('u');
    await page.getByText('Undone: Reset').waitFor();
    await page.getByText('Undo restores all but these.').waitFor();
    await button('9 requests before the reset').click();
    await eventually(() => rows().count()).toBe(9);
    await page.getByText('The client retried too early').waitFor();
    await rows().first().click();
    await page.getByText('key_banned').waitFor();
    await button('back').click();
    await page.getByText('No requests yet.').waitFor();
    expect(opened.errors).toEqual([]);
  });

  test('undo takes back the latest change alone, redo repeats it, and a reload keeps undo and the removed requests', async () => {
    await open();
    await makeStorm(stage);
    await rows().nth(8).waitFor();
    await button('Scenario…').click();
    await page.getByRole('dialog').getByRole('button', { name: 'tiny' }).click();
    await page.getByText('Loaded tiny.').waitFor();
    await page.reload();
    await button('9 requests before the reset').waitFor();
    const undo = page.locator('header.top').getByRole('button', { name: /^Undo/ });
    await eventually(() => undo.getAttribute('aria-disabled')).not.toBe('true');
    await page.getByRole('button', { name: 'Pets', exact: true }).click();
    await button('delete pet 40').click();
    await page.getByText('Deleted pet 40.').waitFor();
    expect(stage.sim.pets.get(40)).toBeUndefined();
    await undo.click();
    await page.getByText('Undone: Deleted pet 40.').waitFor();
    expect([stage.sim.name, stage.sim.pets.get(40)?.id]).toEqual(['tiny', 40]);
    // Longer than a double click.
    await page.waitForTimeout(600);
    await page.locator('.told').getByRole('button', { name: 'Redo' }).click();
    await eventually(() => undo.getAttribute('title')).toBe('Undo: Deleted pet 40. Sets the clock as well.');
    expect([stage.sim.name, stage.sim.pets.get(40)]).toEqual(['tiny', undefined]);
    await page.reload();
    await button('9 requests before the reset').waitFor();
    await eventually(() => undo.getAttribute('title')).toBe('Undo: Deleted pet 40. Sets the clock as well.');
    expect(opened.errors).toEqual([]);
  });

  test('undo names the change and the requests since, a refused change leaves it, and redo returns both', async () => {
    await open();
    const undo = page.locator('header.top').getByRole('button', { name: /^(Un|Re)do/ });
    expect(await undo.getAttribute('aria-disabled')).toBe('true');
    await page.getByRole('button', { name: 'Pets', exact: true }).click();
    await button('delete pet 40').click();
    await eventually(() => undo.getAttribute('title')).toBe('Undo: Deleted pet 40. Sets the clock as well.');
    await stage.call('pro-key', '/pets', '{"name":"Zorro","categoryId":1}');
    await stage.call('pro-key');
    const hint =
      'Undo: Deleted pet 40. Sets the clock as well. Also takes back what 2 requests did since; Redo returns that.';
    await eventually(() => undo.getAttribute('title')).toBe(hint);
    await eventually(() => page.locator('.told button').first().getAttribute('title')).toBe(hint);
    await button('change pet 39').click();
    await page.getByLabel('Category', { exact: true }).fill('x');
    await button('save').click();
    await page.locator('.told').getByText('categoryId: expected').waitFor();
    expect(await undo.getAttribute('title')).toBe(hint);
    await eventually(() => [...stage.sim.snapshots.keys()]).toEqual(['page-undo.0.Deleted_pet_40.']);
    // A double click takes back once.
    await undo.dblclick();
    await page.getByText('Undone: Deleted pet 40.').waitFor();
    expect([stage.sim.pets.get(40)?.id, stage.sim.pets.size]).toEqual([40, 40]);
    await eventually(() => undo.getAttribute('title')).toBe('Redo: Deleted pet 40. Sets the clock as well.');
    await page.waitForTimeout(600);
    await undo.click();
    await eventually(() => stage.sim.pets.get(40)).toBeUndefined();
    expect(stage.sim.pets.get(41)?.name).toBe('Zorro');
    await eventually(() => stage.sim.snapshots.size).toBe(1);
  });

  test('Undo and Reset are apart, and say what they do', async () => {
    await open();
    const boxes = [];
    for (const name of ['Undo', 'Scenario…', 'Reset']) {
      const { x, width } = (await page.getByRole('button', { name, exact: true }).boundingBox()) ?? { x: 0, width: 0 };
      boxes.push({ left: x, right: x + width });
    }
    const [undo, , reset] = boxes as [(typeof boxes)[0], object, (typeof boxes)[0]];
    expect(reset.left - undo.right).toBeGreaterThan(60);
    expect(await button('Reset').getAttribute('title')).toMatch(/^Reset all to the start/);
  });

  test('back from the demo ends the requests for its sandbox', async () => {
    await open();
    await button('Show me a wrong and a right client').click();
    await button('back').waitFor();
    await button('back').click();
    await page.getByText('petstore-sim · scenario storm').waitFor();
    await eventually(async () => (await (await fetch(`${stage.server.controlUrl}/sandboxes`)).json()).length).toBe(0);
    const asked: string[] = [];
    page.on('request', (request) => request.url().includes('/sandboxes/demo-') && asked.push(request.url()));
    await stage.call('pro-key');
    await rows().first().waitFor();
    await page.waitForTimeout(2_500);
    expect(asked).toEqual([]);
  });

  test('usage and ban of a scenario begin with the first request, and have no time before', async () => {
    const usage = { minute: 60 };
    const keys = { 'free-key': { usage }, 'pro-key': { plan: 'pro', bannedFor: '20s' } };
    await open({
      name: 'wall',
      clock: { start: '2026-01-01T12:00:00Z', mode: 'frozen' },
      keys,
      windows: { minute: '10s' },
    });
    const card = page.locator('.key').first();
    await eventually(async () => (await card.innerText()).replaceAll(/\s+/g, ' ')).toContain('minute (10s) 60 / 60');
    await eventually(() => page.locator('.key', { hasText: 'begins with the first request' }).count()).toBe(2);
    expect(await page.locator('.keys').innerText()).not.toMatch(/resets 1|served again at|banned 0:20/);
    await stage.call('free-key');
    await stage.call('pro-key');
    await card.getByText('resets 12:00:10, in 10 s').waitFor();
    await page.getByText('■ banned 20 s').waitFor();
    await eventually(() => page.locator('.keys').innerText()).not.toContain('begins with');
  });

  test('the verdict names the requests that it does not cover yet', async () => {
    await open();
    await stage.call('free-key');
    await page.getByText('1 request: 1 served').waitFor();
    const send = await holdBack(page, '**/verdict');
    for (let n = 0; n < 4; n++) await stage.call('free-key');
    await page.getByText('Judging 4 newer requests…').waitFor();
    send();
    await page.getByText('5 requests: 3 served, 2 refused').waitFor();
    await eventually(() => page.getByText('Judging').count()).toBe(0);
  });

  test('strikes without a ban are cleared by a button of that name', async () => {
    await open();
    for (let n = 0; n < 5; n++) {
      await stage.call('free-key');
      stage.sim.clock.advance('2s');
    }
    await button('clear strikes: free-key').click();
    await eventually(() => stage.sim.keys.get('free-key').strikes).toBe(0);
    await eventually(() => button('unban: free-key').getAttribute('aria-disabled')).toBe('true');
  });

  test('the header takes one line of 1280 pixels with an outcome and a sandbox', async () => {
    await open();
    await stage.control('POST', '/sandboxes', { name: 'checkout-flow' });
    await makeStorm(stage);
    await page.locator('h1 .pill').getByText('fail').waitFor();
    await page.getByLabel('Sandbox').waitFor();
    const { height = 0 } = (await page.locator('header.top').boundingBox()) ?? {};
    expect(height).toBeGreaterThan(30);
    expect(height).toBeLessThan(50);
  });

  test('a loaded scenario begins without the requests and the verdict of the previous one', async () => {
    await open();
    await makeStorm(stage);
    await page.locator('h1 .pill').getByText('fail').waitFor();
    await button('Scenario…').click();
    await page.getByRole('dialog').getByRole('button', { name: 'tiny' }).click();
    await page.getByText('petstore-sim · scenario tiny').waitFor();
    await page.getByText('No requests yet.').waitFor();
    await eventually(() => page.locator('h1 .pill').count()).toBe(0);
    await eventually(() => page.locator('.finding').count()).toBe(0);
    await page.getByText('Export').click();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'HAR', exact: true }).click();
    expect((await saving).suggestedFilename()).toBe('tiny.har');
    await button('9 requests before the reset').waitFor();
  });

  test('the clock moves by any duration and to any time', async () => {
    await open();
    const now = () => new Date(stage.sim.clock.now()).toISOString();
    await page.getByLabel('Move the clock', { exact: true }).click();
    await page.getByLabel('Amount to move the clock by').fill('2h');
    await button('move by').click();
    await eventually(now).toBe('2026-01-01T14:00:00.000Z');
    await page.getByLabel('Move the clock', { exact: true }).click();
    await page.getByLabel('Instant to move the clock to').fill('2030-12-05T00:00:00Z');
    await page.keyboard.press('Enter');
    await eventually(now).toBe('2030-12-05T00:00:00.000Z');
    // Menus close on Esc and on a press elsewhere.
    for (const leave of [() => page.keyboard.press('Escape'), () => page.mouse.click(700, 400)]) {
      await page.getByText('Export').click();
      await page.getByRole('button', { name: 'HAR', exact: true }).waitFor();
      await leave();
      await page.getByRole('button', { name: 'HAR', exact: true }).waitFor({ state: 'hidden' });
    }
  });

  test('pets are listed and searchable; a stored pet links to its request', async () => {
    await open();
    await stage.call('pro-key');
    await stage.call('pro-key', '/pets', '{"name":"Zorro","categoryId":1}');
    await rows().nth(1).waitFor();
    await button('Pets').click();
    await page.getByText('41 of 41 pets; 1 stored by requests').waitFor();
    await stage.call('pro-key', '/pets', '{"name":"Zazu","categoryId":1}');
    await page.getByText('42 of 42 pets; 2 stored by requests').waitFor();
    await page.getByLabel('Find pets').fill('zorro');
    await page.getByText('1 of 42 pets; 1 stored by requests').waitFor();
    await button('request 2').click();
    await page.getByRole('heading', { name: 'Why 201' }).waitFor();
    await button('pet 41').click();
    await page.getByText('1 of 42 pets').waitFor();
    expect(opened.errors).toEqual([]);
  });

  test('a message leaves by itself and covers nothing; a failure stays until it is closed', async () => {
    await open();
    await stage.call('pro-key');
    await rows().first().waitFor();
    await page.clock.install();
    await page.keyboard.press('r');
    const told = page.locator('.told');
    await told.getByText('Reset to the start of the scenario.').waitFor();
    const [main, line] = await Promise.all([page.locator('.main').boundingBox(), told.boundingBox()]);
    expect(line?.y).toBeGreaterThanOrEqual((main?.y ?? 0) + (main?.height ?? 0));
    await told.hover();
    await page.clock.runFor(20_000);
    expect(await told.count()).toBe(1);
    await page.mouse.move(5, 5);
    await page.clock.runFor(8_000);
    await told.waitFor({ state: 'detached' });
    await button('Pets').click();
    await button('change pet 40').click();
    await page.getByLabel('Category', { exact: true }).fill('x');
    await button('save').click();
    await told.waitFor();
    await page.clock.runFor(20_000);
    expect(await told.count()).toBe(1);
  });

  test('the scenario search ranks names first, marks a line for Enter and the loaded one, and returns the focus', async () => {
    await open(storm, {}, 1024);
    await page.keyboard.press('s');
    const marked = page.locator('.scenarios .marked');
    await page.getByLabel('Find a scenario').fill('pets');
    await eventually(() => marked.textContent()).toContain('z-pets');
    await page.keyboard.press('ArrowDown');
    await eventually(() => marked.textContent()).not.toContain('z-pets');
    await page.keyboard.press('ArrowUp');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('Loaded z-pets.').waitFor();
    expect(stage.sim.scenario.name).toBe('z-pets');
    await eventually(() => page.evaluate(() => document.activeElement?.closest('.tabbed') !== null)).toBe(true);
    await page.keyboard.press('s');
    await page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'z-pets loaded' }).waitFor();
  });

  test('a pet is changed and deleted in its row', async () => {
    await open();
    await button('Pets').click();
    await button('change pet 40').click();
    await page.keyboard.press('Escape');
    await button('change pet 40').click();
    await page.getByLabel('Name', { exact: true }).fill('Rex');
    await page.getByLabel('Category', { exact: true }).fill('9007199254740993');
    await page.getByLabel('Status', { exact: true }).selectOption('sold');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await button('change pet 40').click();
    await page.getByLabel('Category', { exact: true }).fill('many');
    await button('save').click();
    await page.getByText('categoryId: expected a whole number').waitFor();
    await page.getByLabel('Category', { exact: true }).fill('9007199254740993');
    await page.getByLabel('Name', { exact: true }).fill('Rex');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /^40 Rex 9007199254740993/ }).waitFor();
    await page.getByText('Changed pet 40.').waitFor();
    expect(stage.sim.pets.get(40)).toMatchObject({ name: 'Rex', categoryId: 9007199254740993n });
    await button('delete pet 40').click();
    await page.getByText('39 of 39 pets').waitFor();
    expect(stage.sim.pets.get(40)).toBeUndefined();
  });

  test('after a lost connection a banner shows the time since, controls are disabled, and pauses grow until reconnection', async () => {
    // The server listens on this port again later.
    const port = await freePort();
    await open({ ...storm, clock: { start: '2026-01-01T12:00:00Z', mode: 'real' } }, { port });
    await stage.call('pro-key');
    await button('use up the minute: pro-key').waitFor();
    // By the page's clock, because events reach a busy test late.
    await page.evaluate(() => {
      window.attempts = [];
      const request = window.fetch;
      window.fetch = (...args) => {
        if (String(args[0]).includes('/updates')) window.attempts.push(performance.now());
        return request(...args);
      };
    });
    const others = () => opened.requested.filter((url) => !url.includes('/updates')).length;
    await stage.server.close({ graceMs: 0 });
    await page.getByText('Connection lost.').waitFor();
    const time = () => page.locator('.clock time').textContent();
    const stopped = await time();
    const othersBefore = others();
    await page.getByText(/Last data (?:[3-9]|\d\d) s ago/).waitFor();
    expect(await time()).toBe(stopped);
    await page.getByLabel('Move the clock', { exact: true }).click();
    for (const name of ['Reset', 'freeze', '+1 s', 'unban: free-key', 'use up the minute: pro-key'])
      await eventually(() => page.getByRole('button', { name, exact: true }).getAttribute('aria-disabled'), name).toBe(
        'true',
      );
    await page.keyboard.press('Escape');
    await page.keyboard.press('r');
    await page.getByText(/Last data (?:[89]|\d\d) s ago/).waitFor();
    const attempts = await page.evaluate(() => window.attempts);
    const pauses = attempts.slice(1).map((ms, index) => ms - (attempts[index] as number));
    expect(pauses.length).toBeGreaterThanOrEqual(2);
    expect(pauses.at(-1), `${pauses}`).toBeGreaterThan((pauses[0] as number) * 1.2);
    expect(others()).toBe(othersBefore);
    await openServer(stage.sim, { port });
    await button('Retry now').click();
    await page.getByText('Connection lost.').waitFor({ state: 'detached' });
    await eventually(time).not.toBe(stopped);
    await eventually(() => page.getByRole('button', { name: 'Reset', exact: true }).getAttribute('aria-disabled')).toBe(
      'false',
    );
  });

  test('the readable log omits the reads of an open dashboard', async () => {
    const lines: string[] = [];
    const log = createRequestLog('pretty', (line) => lines.push(stripVTControlCharacters(line)));
    await open(storm, { onAnswer: (...of) => log?.(...of) });
    await makeStorm(stage);
    await rows().nth(8).waitFor();
    await rows().first().click();
    await page.getByText('key_banned').waitFor();
    await page.reload();
    await rows().nth(8).waitFor();
    expect(opened.requested.length).toBeGreaterThan(20);
    expect(lines.filter((line) => !line.includes('/v1/pets'))).toEqual([]);
    expect(lines).toHaveLength(9);
  });

  test('the list has sizes and positions for screen readers, and Home, End and Page keys move in it', async () => {
    await open({ ...storm, limits: 'off' });
    for (let n = 0; n < 60; n++) await stage.call('pro-key', `/pets?limit=${n + 1}`);
    await page.getByText('60 requests', { exact: true }).waitFor();
    await page.locator('.row[aria-posinset="1"][aria-setsize="60"]').waitFor();
    await page.locator('.list').focus();
    const selected = () => page.locator('.row[aria-selected=true]');
    const position = async () => Number(await selected().getAttribute('aria-posinset'));
    for (const [key, place] of [
      ['End', 60],
      ['Home', 1],
      ['ArrowDown', 2],
    ] as const) {
      await page.keyboard.press(key);
      await eventually(position).toBe(place);
    }
    await eventually(() => selected().getAttribute('aria-setsize')).toBe('60');
    await page.keyboard.press('PageDown');
    await eventually(position).toBeGreaterThan(5);
    // A page is as long as the list, which shrinks when the drawer below gets its content.
    const before = await position();
    await page.keyboard.press('PageUp');
    await eventually(position).toBeLessThan(before - 1);
    await page.keyboard.press('Escape');
    await eventually(() => page.evaluate(() => document.activeElement?.id)).toBe('requests');
  });

  test('the focus stays near an element that a change removes or hides', async () => {
    await open();
    await makeStorm(stage);
    await rows().nth(8).waitFor();
    const focused = () =>
      page.evaluate(() => {
        const { ariaLabel, textContent } = document.activeElement as HTMLElement;
        return ariaLabel ?? textContent;
      });
    await page.locator('.list').focus();
    await page.keyboard.press('j');
    await page.getByRole('button', { name: 'Close', exact: true }).press('Enter');
    await eventually(focused).toBe('Requests, the newest first');

    await page.getByLabel('Filter requests').fill('nothing');
    await button('Clear filter').press('Enter');
    await rows().nth(8).waitFor();
    await eventually(focused).toBe('Filter requests');

    await page.locator('.list').focus();
    await page.keyboard.press('r');
    await page.getByText('No requests yet.').waitFor();
    await eventually(focused).toBe('Filter requests');

    await stage.control('POST', '/faults', { name: 'down', then: { respond: { status: 503 } } });
    await button('remove down').press('Enter');
    await page.getByLabel('Fault rules').getByText('none').waitFor();
    await eventually(focused).toBe('add a fault rule…');

    await button('9 requests before the reset').press('Enter');
    await button('back').waitFor();
    await eventually(focused).not.toBeNull();
    await eventually(() => page.evaluate(() => document.activeElement?.closest('.sim') !== null)).toBe(true);
    // A click on nothing takes the focus away, and nothing takes it back.
    await page.locator('.about, .verdict').first().click();
    await button('back').click();
    await page.locator('.about, .verdict').first().click();
    await stage.call('pro-key');
    await rows().first().waitFor();
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    expect(opened.errors).toEqual([]);
  });

  test('on a phone a bar leads to the parts of the page, names are above their lanes, and rows fit a finger', async () => {
    await open(storm, {}, 390);
    await makeStorm(stage);
    await page.locator('.finding').nth(2).waitFor({ state: 'attached' });
    const bar = page.getByRole('navigation', { name: 'Parts of the page' });
    const topOf = async (selector: string) => (await page.locator(selector).boundingBox())?.y ?? Number.NaN;
    for (const [name, selector] of [
      ['Keys', '.keys'],
      ['Requests', '.tabbed'],
      ['Findings', '.findings'],
      ['Verdict', '.head-of-body'],
    ] as const) {
      await bar.getByRole('button', { name }).click();
      // The last part may be shorter than the screen.
      const rest = () => page.evaluate(() => document.documentElement.scrollHeight - innerHeight - scrollY);
      await eventually(async () => Math.min(Math.abs(await topOf(selector)), await rest())).toBeLessThan(50);
      const { y, height } = (await bar.boundingBox()) as { y: number; height: number };
      expect(y + height).toBeCloseTo(900, 0);
      expect(height).toBeGreaterThanOrEqual(44);
    }
    await bar.getByRole('button', { name: 'Requests' }).click();
    await eventually(async () => (await rows().first().boundingBox())?.height).toBeGreaterThanOrEqual(44);
    const canvas = await page.locator('canvas').boundingBox();
    // Name, lane and axis of one key.
    expect(canvas?.height).toBe(18 + 46 + 16 + 20);
  });
});
