import { exec } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { HttpResponse, http } from 'msw';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { guarded } from '../../src/entries/msw.js';
import { maskedKey } from '../../src/values/mask-key.js';
import type { OpenedPage } from '../support/browser.js';
import {
  eventually,
  frames,
  holdBack,
  judged,
  makeStorm,
  moveClock,
  openFindings,
  type PageStage,
  showBanTripped,
  storm,
  useBrowser,
} from './stage.js';

describe('dashboard of a server', { tags: 'needs/chromium' }, () => {
  const { openPage, openStage, rows } = useBrowser();
  let stage: PageStage;
  let opened: OpenedPage;
  let page: Page;

  async function open(scenario = storm, options = {}) {
    stage = await openStage(scenario, options);
    opened = await openPage(`${stage.server.controlUrl}/`, { acceptDownloads: true });
    page = opened.page;
    await page
      .getByRole('heading', { level: 1 })
      .filter({ hasText: scenario.name as string })
      .waitFor();
  }
  const key = (name: string) => page.locator('.key').filter({ hasText: name });

  describe('1. keys', () => {
    test('show plan, meters, time until reset, strikes and ban', async () => {
      await open();
      await makeStorm(stage);
      const free = key('free-key');
      await free.getByText('■ banned 1:56').waitFor();
      await eventually(() => free.textContent()).toMatch(
        /free.*minute60 \/ 60.*resets 12:01:00, in 49 s.*day3 \/ 1,000.*resets Fri 2 Jan 12:00:00, in 23:59:49.*3 strikes.*served again at 12:02:07, in 1:56/,
      );
      await eventually(() => free.getByRole('meter', { name: /minute/ }).getAttribute('aria-valuenow')).toBe('60');
      await eventually(() => key('pro-key').textContent()).toContain('0 / 300');
    });

    test('give one time for a ban during a used-up day: on card, lane, row and step', async () => {
      await open({ ...storm, keys: { 'free-key': { plan: 'free', usage: { day: 1_000 } } } });
      for (let n = 0; n < 4; n++) {
        await stage.call('free-key');
        stage.sim.clock.advance('2s');
      }
      const free = key('free-key');
      await free.getByText('■ banned 1:58').waitFor();
      await free.getByText('then the day is used up: served again at Fri 2 Jan 12:00:00, in 23:59:52').waitFor();
      await rows().filter({ hasText: 'strike 3: banned for 2:00 (day used up, wait 23:59:54)' }).click();
      await page
        .locator('.detail')
        .getByText('so the key is banned until 12:02:06, then the day is used up until Fri 2 Jan 12:00:00')
        .waitFor();
      // The verdict may come between, and move what a click aims at.
      await page.getByText('banned from 12:00:06 to 12:02:06').waitFor();
    });

    test('have buttons that use up, refill, ban, unban and revoke', async () => {
      await open();
      const pro = key('pro-key');
      await page.getByRole('button', { name: 'quotas: pro-key' }).click();
      await page.getByRole('button', { name: 'use up the minute: pro-key' }).click();
      await pro.getByText('× used up').waitFor();
      const colorOf = (part: string) => pro.locator(part).evaluate((element) => getComputedStyle(element).color);
      const amber = await colorOf('.state');
      expect(await stage.call('pro-key')).toBe(429);
      await page.getByRole('button', { name: 'refill the minute: pro-key' }).click();
      await eventually(() => pro.textContent()).toContain('0 / 300');
      await page.getByRole('button', { name: 'ban 2 min: pro-key' }).click();
      await pro.getByText('■ banned 2:00').waitFor();
      // Used up is the normal state after a 429.
      expect(amber).not.toBe(await colorOf('.state'));
      await page.getByRole('button', { name: 'unban: pro-key' }).click();
      await eventually(() => pro.textContent()).not.toContain('banned');
      expect(await stage.call('pro-key')).toBe(200);
      await page.getByLabel('more: pro-key').click();
      await page.getByRole('button', { name: 'revoke: pro-key' }).click();
      await pro.getByText('revoked').waitFor();
      expect(await stage.call('pro-key')).toBe(401);
    });
  });

  describe('2. the timeline', () => {
    test('has a text version: requests, the ban, and the sender of a clock change', async () => {
      await open();
      await makeStorm(stage);
      await stage.control('POST', '/clock', { advance: '1s' });
      const words = page.locator('.words');
      await words.getByText('by curl/8.14.1').first().waitFor();
      await eventually(() => words.textContent()).toMatch(
        /free-key: 3 served, 1 refused, 3 strikes, 2 refused in a ban, banned from 12:00:07 to 12:02:07/,
      );
      // The third strike begins the ban.
      await page.getByText('9 requests: 3 served, 6 refused (3 by a ban)').waitFor();
      await eventually(() => words.textContent()).toContain('clock moved to 12:00:12, by curl/8.14.1');
      await eventually(() => page.locator('.legend').textContent()).toMatch(
        /served.*refused.*strike.*refused in a ban.*changed through the control API.*told to wait.*banned/,
      );
    });

    test('draws each key in its lane, with marks only at the times of requests', async () => {
      await open();
      await makeStorm(stage);
      await rows().nth(8).waitFor();
      const inked = () =>
        page.evaluate(() => {
          const canvas = document.querySelector('canvas') as HTMLCanvasElement;
          const context = canvas.getContext('2d') as CanvasRenderingContext2D;
          const colours = new Set<string>();
          const { data } = context.getImageData(118, 18, canvas.width - 118, 46);
          for (let at = 0; at < data.length; at += 4)
            if ((data[at + 3] as number) > 250) colours.add(`${data[at]},${data[at + 1]},${data[at + 2]}`);
          return [...colours];
        });
      // Success, requested wait, ban and strike, in the colors of the style sheet.
      await eventually(inked).toEqual(expect.arrayContaining(['23,114,47', '242,213,143', '243,182,179', '192,35,44']));
    });

    test('zooms and filters by dragging; Esc shows everything; a click selects the request', async () => {
      await open();
      await makeStorm(stage);
      await judged(page, 9);
      const canvas = page.locator('canvas');
      await canvas.dragTo(canvas, { sourcePosition: { x: 112, y: 30 }, targetPosition: { x: 300, y: 40 } });
      await page.getByText(/^[1-8] of 9 requests/).waitFor();
      await page.getByRole('button', { name: 'show all' }).click();
      await page.getByText('9 requests', { exact: true }).waitFor();
      await canvas.click({ position: { x: 120, y: 38 } });
      await page.getByRole('heading', { name: 'Why 200' }).waitFor();
    });

    test('works by keyboard', async () => {
      await open();
      await makeStorm(stage);
      await rows().nth(8).waitFor();
      await page.locator('.canvas').focus();
      // Farther away than all there is nothing.
      for (let n = 0; n < 50; n++) await page.keyboard.press('-');
      await page.keyboard.press('+');
      await page.getByText(/\d of 9 requests/).waitFor();
      await page.keyboard.press('0');
      await page.getByText('9 requests', { exact: true }).waitFor();
    });
  });

  describe('3. the requests', () => {
    test('appear when answered, newest first, each with a short reason', async () => {
      await open();
      await makeStorm(stage);
      await rows().nth(8).waitFor();
      await eventually(() => rows().allTextContents()).toEqual([
        expect.stringMatching(/^9.*free-keyGET\/pets429 ■banned, 1:56 left/),
        expect.stringMatching(/^8.*429 ■banned, 1:58 left/),
        expect.stringMatching(/^7.*429 ▲strike 3: banned for 2:00/),
        expect.stringMatching(/^6.*429 ▲strike 2: retried after 2 s instead of 57 s/),
        expect.stringMatching(/^5.*429 ▲strike 1: retried after 2 s instead of 59 s/),
        expect.stringMatching(/^4.*429 ×minute used up, wait 59 s/),
        expect.stringMatching(/^3.*limit=3200last request: 0 left/),
        expect.stringMatching(/^2.*limit=2200$/),
        expect.stringMatching(/^1.*12:00:00.0.*free-keyGET\/pets\?limit=1200$/),
      ]);
    });

    test.each([
      ['strike', 3],
      ['listPets 200', 3],
      ['pro-key', 0],
      ['limit=2', 1],
      ['early-retry', 3],
      ['body:key_banned', 3],
    ])('the filter %s leaves %d', async (filter, count) => {
      await open();
      await makeStorm(stage);
      await page.locator('.finding').first().waitFor({ state: 'attached' });
      await page.keyboard.press('/');
      await page.keyboard.type(filter);
      await page.getByText(`${count} of 9 requests`).waitFor();
      await eventually(() => rows().count()).toBe(count);
    });

    test("can be searched by a fault's name", async () => {
      await open({
        ...storm,
        faults: [{ name: 'lost', when: { operation: 'createPet' }, then: { reset: true, phase: 'after' } }],
      });
      await stage.call('pro-key', '/pets', '{"name":"Rex","categoryId":1}');
      await stage.call('pro-key');
      await page.getByRole('button', { name: 'faults' }).click();
      await page.getByText('1 of 2 requests').waitFor();
      await eventually(() => rows().textContent()).toContain('stored pet 41; response lost (lost)');
    });

    test('pause freezes the list, while the counters continue', async () => {
      await open();
      await stage.call('free-key');
      await rows().first().waitFor();
      await page.keyboard.press('p');
      for (let n = 0; n < 5; n++) await stage.call('pro-key');
      await page.getByText('5 more since the pause').waitFor();
      await eventually(() => rows().count()).toBe(1);
      await page.keyboard.press('p');
      await eventually(() => rows().count()).toBe(6);
    });

    test('a mouse press freezes the list until the release, so that the target does not move', async () => {
      await open();
      const verdictOn = (requests: number) =>
        page.waitForResponse(
          async (response) =>
            response.url().endsWith('/verdict') && (await response.json()).counts.requests === requests,
        );
      const isFirst = verdictOn(1);
      await stage.call('free-key', '/pets?limit=7');
      // The first verdict moves the list.
      await isFirst;
      await frames(page);
      await rows().filter({ hasText: 'limit=7' }).hover();
      await page.mouse.down();
      const isLast = verdictOn(10);
      await makeStorm(stage);
      await isLast;
      await frames(page);
      expect(await rows().count()).toBe(1);
      await page.mouse.up();
      await page.getByText('request 1', { exact: true }).waitFor();
      await eventually(() => rows().count()).toBe(10);
      await page.locator('.finding').first().waitFor({ state: 'attached' });
    });

    test('detail shows the steps, headers and bodies', async () => {
      await open();
      await makeStorm(stage);
      await rows().nth(8).waitFor();
      await rows().filter({ hasText: 'banned for 2:00' }).click();
      const detail = page.locator('.detail');
      await detail.getByText('so the key is banned until 12:02:07').waitFor();
      const steps = async () =>
        (await detail.locator('ol.why li').allTextContents()).map((text) =>
          text.replace(/^\S(passed: |noted: |stopped: )?/, ''),
        );
      await eventually(steps).toEqual([
        'key found: free-key, plan free',
        'not banned yet',
        'minute: 60 of 60 usedassumption windowStart',
        'request 6 was told to wait 55 s; this request followed after 2 s, too early',
        'strike 3 of 3assumption banGraceMs',
        'so the key is banned until 12:02:07assumption banAfter',
        'the response asks to wait 2:00 (Retry-After), until 12:02:07',
        'listPets not reached',
      ]);
      await eventually(() => detail.textContent()).toContain('Retry-After: 120');
      await eventually(() => detail.textContent()).toContain('key_banned');
      await detail.getByText('ban-tripped').waitFor();
    });

    test('can be copied as a working command', async () => {
      await open();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await stage.call('free-key', '/pets', `{"name":"O'Rex","categoryId":1}`);
      // Also before its body has come.
      const answer = await holdBack(page, '**/journal/1');
      await rows().first().click();
      await page.getByRole('button', { name: 'copy as curl' }).click();
      answer();
      const told = page.locator('.told');
      await told.getByText('Copied.').waitFor();
      const command = await page.evaluate(() => navigator.clipboard.readText());
      expect(command).toMatch(/^curl -i 'http:\/\/127\.0\.0\.1:\d+\/v1\/pets' .*-H 'authorization: Bearer free-key'/);
      const { stdout } = await promisify(exec)(command);
      expect(stdout).toMatch(/^HTTP\/1\.1 201/);
      expect(stdout).toContain(`"name":"O'Rex"`);
    });

    test('is copied with its key in the query as a command that gets the same response', async () => {
      // Its encoded text differs from the key, and has a quote for the shell.
      const token = "O'Rex&1";
      await open({ ...storm, keyFrom: 'query api_key', keys: { [token]: { plan: 'free' } } });
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const url = `${stage.server.baseUrl}/pets?limit=2&api_key=O'Rex%261&page_token=x`;
      const sent = await (await fetch(url)).text();
      await rows().filter({ hasText: "api_key=O'Rex%261" }).click();
      await page.getByRole('button', { name: 'copy as curl' }).click();
      await page.locator('.told').getByText('Copied.').waitFor();
      const { stdout } = await promisify(exec)(await page.evaluate(() => navigator.clipboard.readText()));
      expect(stdout).toMatch(/^HTTP\/1\.1 200/);
      expect(stdout.endsWith(sent)).toBe(true);
      expect(stage.sim.journal.query().map(({ token }) => token)).toEqual([token, token]);
    });

    test('can be copied with its body after the journal has dropped it', async () => {
      await open();
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await stage.call('free-key', '/pets', '{"name":"Rex","categoryId":1}');
      await rows().first().click();
      await page.getByText('Request body').waitFor();
      await page.route('**/journal/1', (route) => route.fulfill({ status: 404, json: { message: 'dropped' } }));
      await page.getByRole('button', { name: 'copy as curl' }).click();
      await page.locator('.told').getByText('Copied.').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('{"name":"Rex","categoryId":1}');
    });
  });

  test('a command is displayed if the clipboard is not available', async () => {
    await open();
    await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
    await stage.call('free-key');
    await rows().first().click();
    await page.getByRole('button', { name: 'copy as curl' }).click();
    expect(await page.getByRole('textbox', { name: 'As a command' }).inputValue()).toMatch(/^curl -i 'http/);
  });

  describe('4. the verdict', () => {
    test('applies to all keys again after its key was removed', async () => {
      await open();
      await stage.control('POST', '/keys', { key: 'a-key-of-mine' });
      await stage.call('a-key-of-mine');
      await stage.call('pro-key');
      await page.getByLabel('Judge').selectOption({ label: `? ${maskedKey('a-key-of-mine')}` });
      await page.keyboard.press('r');
      await page.getByText('Reset to the start of the scenario.').waitFor();
      await makeStorm(stage);
      await page.getByText('The client retried too early').waitFor();
      // One key leaves no choice.
      await eventually(() => page.getByLabel('Judge').count()).toBe(0);
    });

    test('has findings that link to their requests, and can be limited to one key', async () => {
      await open();
      await makeStorm(stage);
      await page.getByText('The client retried too early').waitFor();
      await eventually(() => page.title()).toBe('✗ storm · petstore-sim');
      await eventually(() => page.locator('link[rel=icon]').getAttribute('href')).toContain(encodeURIComponent('✗'));
      await showBanTripped(page);
      await stage.call('pro-key');
      await page.getByLabel('Judge').selectOption({ label: '? pro-key' });
      await page.getByText('so nothing was put to the test.').waitFor();
    });
  });

  test('4. the verdict counts a 503 of a fault rule as another error, not as a 4xx', async () => {
    await open({ ...storm, faults: [{ when: { nth: 1 }, then: { respond: { status: 503 } } }] });
    await stage.call('pro-key');
    await stage.call('no-key');
    await eventually(() => page.locator('.verdict .note').first().textContent()).toBe(
      '2 requests: 0 served, 0 refused, 2 with another error',
    );
  });

  describe('4b. no requests', () => {
    test('requests to other URLs appear in the badge, the list and the timeline', async () => {
      await open();
      await fetch(`${new URL(stage.server.baseUrl).origin}/pets`);
      await page.locator('h1 .pill').getByText('API not reached').waitFor();
      await page.locator('figure.timeline').getByText('No request reached the API.').waitFor();
      await page.locator('.empty').getByText('No request reached the API.').waitFor();
      await eventually(() => page.getByText('No requests yet').count()).toBe(0);
    });

    test('an empty timeline shows an example request until the first request', async () => {
      await open();
      const line = `curl -i '${stage.server.baseUrl}/pets?limit=3' -H 'Authorization: Bearer free-key'`;
      const figure = page.locator('figure.timeline');
      await figure.getByText('Each key gets a line here with its first request.').waitFor();
      await eventually(() => figure.locator('code').textContent()).toBe(line);
      await eventually(() => figure.locator('canvas').isVisible()).toBe(false);
      await stage.call('free-key');
      await figure.locator('canvas').waitFor();
      await eventually(() => figure.getByText('1 served').count()).toBe(1);
      await eventually(() => figure.getByText('Each key gets').count()).toBe(0);
      const isDrawn = () =>
        figure.locator('canvas').evaluate((element) => {
          const canvas = element as HTMLCanvasElement;
          const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
          return pixels.some((value) => value > 0);
        });
      await eventually(isDrawn).toBe(true);
      expect(opened.errors).toEqual([]);
    });

    test('requests outside the API are listed above the others, with the text of their 404', async () => {
      await open();
      const url = stage.server.baseUrl.replace('/v1', '/pets');
      const { message } = (await (await fetch(url)).json()) as { message: string };
      await fetch(url);
      const missed = page.getByLabel('Requests that the journal does not have');
      await eventually(() => missed.locator('li').allTextContents()).toEqual([`GET /pets 404 ${message} 2 times`]);
      await page.getByText('2 requests went to /pets; the API is under /v1.').waitFor();
      const colourOf = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => getComputedStyle(element).color);
      expect(await colourOf('.unrecorded')).toBe(await colourOf('.count'));
      await page.keyboard.press('r');
      await missed.waitFor({ state: 'detached' });
      await page.getByText('No requests received.').waitFor();
    });

    test("requests to a route of the user's own have their operation and are counted", async () => {
      const route = (sim: PageStage['sim']) => [
        http.get(
          '*/v1/orders',
          guarded(sim, () => HttpResponse.json([])),
        ),
      ];
      await open(storm, { handlers: route });
      await key('free-key').getByText('57 / 60').waitFor();
      expect([await stage.call('free-key', '/orders'), await stage.call('free-key', '/orders')]).toEqual([200, 200]);
      await key('free-key').getByText('59 / 60').waitFor();
      await eventually(() => rows().filter({ hasText: 'GET/orders200' }).count()).toBe(2);
      await rows().first().click();
      await page.getByText('GET /v1/orders responded with 200').waitFor();
    });
  });

  describe('5. clock, scenarios, faults, assumptions, sandboxes', () => {
    test('heading and tab title show a loaded scenario before any request', async () => {
      await open({ name: 'first' });
      await stage.control('POST', '/scenario', { scenario: 'tiny' });
      await page.getByRole('heading', { level: 1 }).filter({ hasText: 'tiny' }).waitFor();
      await eventually(() => page.title()).toContain('tiny');
    });

    test('the clock advances by a second, a minute, to the next reset and to the end of a ban, stops and resumes', async () => {
      await open();
      await makeStorm(stage);
      const now = () => new Date(stage.sim.clock.now()).toISOString().slice(11, 19);
      await key('free-key').getByText('banned').waitFor();
      await moveClock(page, '+1 s');
      await eventually(now).toBe('12:00:12');
      await moveClock(page, 'next reset');
      await eventually(now).toBe('12:01:00');
      await moveClock(page, 'end of ban');
      await eventually(now).toBe('12:02:07');
      expect(await stage.call('free-key')).toBe(200);
      await moveClock(page, '+1 min');
      await eventually(now).toBe('12:03:07');
      // The keys f and Enter do not press a focused button.
      await page.evaluate(() => (document.activeElement as HTMLElement).blur());
      await page.keyboard.press('f');
      await page.locator('.clock').getByText('running').waitFor();
      expect(stage.sim.clock.frozen).toBe(false);
      await page.keyboard.press('f');
      await page.locator('.clock').getByText('frozen').waitFor();
    });

    test('lists scenarios with descriptions; reset needs no confirmation and can be undone', async () => {
      await open();
      await stage.call('free-key', '/pets', '{"name":"Kept","categoryId":1}');
      await page.getByRole('button', { name: 'Scenario…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Load a scenario' });
      await dialog.getByLabel('Find a scenario').fill('two');
      await dialog.getByText('Two pets, and a key of its own.').waitFor();
      await dialog.getByRole('button', { name: 'tiny' }).click();
      await page.getByRole('heading', { name: 'tiny' }).waitFor();
      expect(stage.sim.pets.size).toBe(40);
      // The heading changes with the first of two requests, and undo is possible after both.
      await page.getByText('Loaded tiny.').waitFor();
      await page.keyboard.press('u');
      await page.getByRole('heading', { name: 'storm' }).waitFor();
      expect(stage.sim.pets.size).toBe(41);
      await page.keyboard.press('r');
      await page.getByText('Reset to the start of the scenario.').waitFor();
      await page.getByText('No requests yet.').waitFor();
      expect(stage.sim.pets.size).toBe(40);
      await page.locator('.told').getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone: Reset to the start of the scenario.').waitFor();
      expect(stage.sim.pets.size).toBe(41);
      expect(stage.sim.keys.get('free-key').minute.remaining).toBe(2);
    });

    test('changed assumptions are first, with their default', async () => {
      await open({ ...storm, assumptions: { banStatus: 418 } });
      await page.getByText('banStatus 418 instead of 429').waitFor();
      await page.getByText('unchanged').click();
      await page.getByText('windowStart').waitFor();
    });

    test('a selected sandbox is shown and controlled by the buttons', async () => {
      await open();
      const { sim } = stage.server.sandboxes.create('mine');
      await stage.call('free-key');
      await page.reload();
      await page.getByLabel('Sandbox').selectOption('mine');
      await eventually(() => page.url()).toContain('?sandbox=mine');
      await page.getByText('No requests yet.').waitFor();
      await moveClock(page, '+1 min');
      await eventually(() => new Date(sim.clock.now()).toISOString()).toContain('12:01:00');
      expect(new Date(stage.sim.clock.now()).toISOString()).toContain('12:00:00');
      expect(opened.errors).toEqual([]);
      // A watcher of a test's sandbox sees that it is gone.
      stage.server.sandboxes.remove('mine');
      await page.getByText('no such sandbox').waitFor();
      stage.server.sandboxes.create('mine');
      await page.getByText('no such sandbox').waitFor({ state: 'hidden' });
    });
  });

  describe('6. files', () => {
    test.each([
      ['HAR', 'storm.har'],
      ['JSON Lines', 'storm.jsonl'],
      ['Report for others', 'storm.html'],
    ])('%s is saved, and shows the same requests and why when it is opened again', async (name, file) => {
      await open();
      await makeStorm(stage);
      await rows().nth(8).waitFor();
      await page.getByText('Export').click();
      const saving = page.waitForEvent('download');
      await page.getByRole('button', { name, exact: true }).click();
      const download = await saving;
      expect(download.suggestedFilename()).toBe(file);
      const text = readFileSync(await download.path(), 'utf8');
      const shown = await rows().allTextContents();

      await page
        .getByLabel('Open a file')
        .setInputFiles({ name: file, mimeType: 'text/plain', buffer: Buffer.from(text) });
      await page.getByText('finished run', { exact: true }).waitFor();
      await rows().nth(8).waitFor();
      await eventually(() => rows().allTextContents()).toEqual(shown);
      await rows().first().click();
      await page.getByText('in a ban: rejected until 12:02:07').waitFor();
      await page.getByRole('button', { name: 'back' }).click();
      await page.getByText('9 requests', { exact: true }).waitFor();
      expect(opened.errors).toEqual([]);
    });

    test('a dropped file is opened, or rejected with the expected formats', async () => {
      await open();
      const drop = (name: string, text: string) =>
        page.evaluate(
          ([name, text]) => {
            const data = new DataTransfer();
            data.items.add(new File([text as string], name as string));
            document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
          },
          [name, text],
        );
      await drop('notes.txt', 'hello');
      await page
        .getByText('notes.txt: expected a HAR file or JSON Lines, got "h" where an object should begin or end')
        .waitFor();
      const har = {
        log: {
          entries: [
            {
              startedDateTime: '2026-01-01T12:00:00.000Z',
              time: 12,
              request: {
                method: 'GET',
                url: 'https://api.example/v1/pets?limit=1',
                headers: [{ name: 'authorization', value: 'Bearer a-secret-key' }],
              },
              response: { status: 429, headers: [{ name: 'retry-after', value: '9' }], content: { text: '' } },
            },
          ],
        },
      };
      await drop('browser.har', JSON.stringify(har));
      await rows().first().waitFor();
      await eventually(() => rows().first().textContent()).toMatch(
        /key-1GET\/pets\?limit=1429 ×limit used up, wait 9 s/,
      );
      expect(await page.content()).not.toContain('a-secret-key');
      // The browser notes the response to the first file.
      expect(opened.errors).toEqual([expect.stringContaining('400 (Bad Request)')]);
    });
  });

  test('j, k, Enter, Esc and ? work as in the help', async () => {
    await open();
    await makeStorm(stage);
    await rows().nth(8).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: /request 9/ }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: /request 8/ }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: /request 9/ }).waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => page.locator('.detail').count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /request 9/ }).waitFor();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard' });
    await help.getByText('reset to the start of the scenario').waitFor();
    await page.keyboard.press('Escape');
    await eventually(() => help.count()).toBe(0);
  });

  test('a new user finds the reason for a ban by the texts of the dashboard', async () => {
    await open();
    await makeStorm(stage);
    await openFindings(page);
    await page
      .locator('.finding')
      .filter({ hasText: 'Kept sending after a 429 until the key was banned for 2:00.' })
      .waitFor();
    await page.getByText('After a 429, send nothing with this key until Retry-After has passed.').waitFor();
  });
});
