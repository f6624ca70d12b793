import { readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { measureDashboard, notedBundles } from '../../bench/bundle.mjs';
import type { OpenedPage } from '../support/browser.js';
import { freePort } from '../support/free-port.js';
import { openServer } from '../support/open-server.js';
import { isProof } from '../support/prove.js';
import { eventually, makeStorm, openFindings, type PageStage, storm, useBrowser, violations } from './stage.js';

/** Would set `window.hacked`, were it anything but text. */
const evil = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';

/** Gzipped bytes that a page may download before its first picture. */
const maximumBytes = 45_000;

test('all files of the page are at most 45 kB gzipped, and within 3 % of their noted size', () => {
  const sumOf = (bytes: Record<string, number>) => Object.values(bytes).reduce((sum, each) => sum + each, 0);
  const [now, noted] = [measureDashboard(), notedBundles().dashboard];
  const advice = `"node bench/bundle.mjs" notes ${JSON.stringify(now)} in place of ${JSON.stringify(noted)}`;
  expect(Math.abs(sumOf(now) / sumOf(noted) - 1), advice).toBeLessThanOrEqual(0.03);
  expect(sumOf(now), 'parts that are rarely used can be loaded when wanted, by useModule').toBeLessThanOrEqual(
    maximumBytes,
  );
  // A report contains page.js alone, and its bytes are all that is counted.
  expect(readFileSync(join(import.meta.dirname, '../../dist/dashboard/page/page.js'), 'utf8')).not.toMatch(
    /from ?["'`]\.\//,
  );
});

describe('the page', { tags: 'needs/chromium' }, () => {
  const { openPage, openStage, rows } = useBrowser();
  let stage: PageStage;
  let opened: OpenedPage;
  let page: Page;

  async function open(...of: Parameters<typeof openStage>): Promise<void> {
    stage = await openStage(...of);
    opened = await openPage(`${stage.server.controlUrl}/`);
    page = opened.page;
  }

  test('shows markup in a pet, a key, a path, a header, a fault and a scenario as text', async () => {
    const scenario = {
      ...storm,
      name: evil,
      description: `${evil}. And more ${evil}`,
      keys: { '<b>key</b>': { plan: 'free' } },
      faults: [{ name: evil, then: { respond: { status: 503, headers: { 'X-Evil': evil } } }, when: { nth: 2 } }],
    };
    await open(scenario);
    await stage.call('<b>key</b>', '/pets', JSON.stringify({ name: evil, categoryId: 1 }));
    await stage.call('<b>key</b>', `/pets?x=${encodeURIComponent(evil)}`);
    await stage.sim.fetch(`http://petstore.test/v1/<script>hacked=1</script>`, {
      headers: { authorization: `Bearer ${evil.replaceAll(' ', '')}` },
    });
    await stage.control('POST', '/keys', { key: `k${evil.replaceAll(' ', '')}` });
    await rows().nth(2).waitFor();
    for (const row of await rows().all()) {
      await row.click();
      await page.locator('.detail pre').first().waitFor();
    }
    await eventually(() => page.locator('h1').textContent()).toContain(evil);
    expect(await page.locator('.detail, .list, aside').locator('script, img, b b').count()).toBe(0);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(opened.errors).toEqual([]);
  });

  test('shows bidirectional control characters as escapes, and Hebrew unchanged', async () => {
    await open();
    await stage.call('pro-key', '/pets', JSON.stringify({ name: 'Rex\u202eevil שלום', categoryId: 1 }));
    await rows().first().click();
    const body = page.locator('.detail pre').last();
    await body.waitFor();
    await eventually(() => body.textContent()).toContain('"name": "Rex\\u202eevil שלום"');
  });

  test('has a strict content security policy, requests no other origin, and cannot be embedded in a frame', async () => {
    await open();
    await makeStorm(stage);
    await rows().nth(8).waitFor();
    const response = await fetch(`${stage.server.controlUrl}/`, { headers: { accept: 'text/html' } });
    expect(response.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;.*frame-ancestors 'none'/,
    );
    const origin = new URL(stage.server.controlUrl).origin;
    expect(opened.requested.length).toBeGreaterThan(5);
    expect(opened.requested.filter((url) => !url.startsWith(`${origin}/__sim/`) && !url.startsWith('data:'))).toEqual(
      [],
    );
    expect(opened.errors).toEqual([]);
  });

  test('asks for the control token, stores it in the tab, and shows no data without it', {
    tags: 'extended',
  }, async () => {
    await open(storm, { controlToken: 'open-sesame' });
    await page.getByRole('heading', { name: 'Control token' }).waitFor();
    expect(await page.content()).not.toContain('free-key');
    await page.getByLabel('Control token').fill('wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('Wrong token.').waitFor();
    await page.getByLabel('Control token').fill('open-sesame');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'storm' }).waitFor();
    await stage.call('free-key');
    await rows().first().waitFor();
    await page.reload();
    await rows().first().waitFor();
    expect(page.url()).not.toContain('sesame');
  });

  test('continues after a cut connection, without missing or repeated requests', {
    tags: 'extended',
  }, async () => {
    stage = await openStage();
    const cut = await openProxy(stage.server.port);
    try {
      opened = await openPage(`http://127.0.0.1:${cut.port}/__sim/`);
      page = opened.page;
      for (let n = 0; n < 3; n++) await stage.call('pro-key');
      await rows().nth(2).waitFor();
      cut.close();
      await page.getByText('Connection lost.').waitFor();
      for (let n = 0; n < 4; n++) await stage.call('pro-key');
      await cut.open();
      await page.getByText('7 requests', { exact: true }).waitFor();
      await eventually(() => rows().count()).toBe(7);
      expect(cut.asked.at(-1)).toContain('since=3');
    } finally {
      cut.close();
    }
  });

  test('continues without a gap after a server outage, and starts anew with another run', {
    tags: 'extended',
  }, async () => {
    const port = await freePort();
    await open(storm, { port });
    for (let n = 0; n < 3; n++) await stage.call('pro-key');
    await rows().nth(2).waitFor();
    await stage.server.close({ graceMs: 0 });
    await page.getByText('Connection lost.').waitFor();
    // Requests to the simulator during the outage, by another connection.
    for (let n = 0; n < 4; n++)
      await stage.sim.fetch('http://x/v1/pets', { headers: { authorization: 'Bearer pro-key' } });
    await openServer(stage.sim, { port });
    await page.getByText('7 requests', { exact: true }).waitFor();
    await eventually(() => rows().count()).toBe(7);
    stage.sim.reset();
    await page.getByText('No requests yet.').waitFor();
  });

  test('shows the number of requests that the journal had already dropped', { tags: 'extended' }, async () => {
    stage = await openStage({ ...storm, limits: 'off' });
    for (let n = 0; n < 10_050; n++)
      await stage.sim.fetch('http://x/v1/none', { headers: { authorization: 'Bearer pro-key' } });
    opened = await openPage(`${stage.server.controlUrl}/`);
    page = opened.page;
    await page.getByText('10,000 requests; 50 older ones are no longer kept').waitFor();
  });

  test('is accessible before the first request, without a token, for an unknown sandbox and with an open clock', async () => {
    stage = await openStage(storm, { controlToken: 'open-sesame' });
    page = (await openPage(`${stage.server.controlUrl}/`, { bypassCSP: true })).page;
    await page.getByRole('heading', { name: 'Control token' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Control token').fill('open-sesame');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByText('No requests yet.').waitFor();
    expect(await violations(page)).toEqual([]);
    await page.getByLabel('Move the clock', { exact: true }).click();
    await page.getByRole('button', { name: 'move to' }).waitFor();
    expect(await violations(page)).toEqual([]);
    await page.goto(`${stage.server.controlUrl}/?sandbox=none`);
    await page.getByText('no such sandbox').waitFor();
    expect(await violations(page)).toEqual([]);
  });

  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const closeDialog = async () => {
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };

  /** States of the page in an order in which each follows from the one before. */
  const states: Readonly<Record<string, () => Promise<unknown>>> = {
    empty: () => button('Send a request').waitFor(),
    running: async () => {
      await stage.call('pro-key', '/pets', '{}');
      await stage.call('no-such-key');
      await rows().nth(1).waitFor();
    },
    'with a banned key and two clients': async () => {
      await makeStorm(stage);
      await rows().nth(10).waitFor();
      await page.locator('.reason li').first().waitFor();
    },
    'with findings': async () => {
      // A wide page shows them without a tab.
      if (await button(/^\d+ Findings$/).isVisible()) await openFindings(page);
      await page.locator('.finding').first().waitFor();
    },
    'with a request and menus': async () => {
      await button(/^\d+ Requests$/).click();
      await rows().filter({ hasText: 'banned for' }).click();
      await page.locator('.detail pre').first().waitFor();
      for (const summary of ['unchanged', 'Export']) await page.getByText(summary).first().click();
    },
    'with findings beside a request': async () => {
      await openFindings(page);
      await page.locator('.finding').first().waitFor();
    },
    'with help': async () => {
      await page.keyboard.press('?');
      await page.getByRole('dialog').waitFor();
    },
    'with the scenario search': async () => {
      await closeDialog();
      await button('Scenario…').click();
      await page.getByRole('dialog').getByText('tiny').waitFor();
    },
    'with two requests': async () => {
      await closeDialog();
      await button('compare…').click();
      await page.keyboard.press('j');
      await page.locator('.compare').waitFor();
    },
    'with the editor of fault rules': async () => {
      await page.keyboard.press('Escape');
      await button('add a fault rule').click();
      await page.getByText('✓ This rule is valid.').waitFor();
    },
    'with an edited pet and the menu of a key': async () => {
      await closeDialog();
      await button('Pets').click();
      await button('change pet 40').click();
      await page.getByLabel('more: free-key', { exact: true }).click();
    },
    'with a message': async () => {
      await button('revoke: free-key').click();
      await page.getByText('free-key: revoked.').waitFor();
    },
    'without connection': async () => {
      await stage.server.close({ graceMs: 0 });
      await page.getByText('Connection lost.').waitFor();
    },
  };

  const [dark, forcedDark, forcedLight] = [
    { colorScheme: 'dark', forcedColors: 'none' },
    { colorScheme: 'dark', forcedColors: 'active' },
    { colorScheme: 'light', forcedColors: 'active' },
  ] as const;
  /**
   * Colors in which each state is checked again, for the rule that depends on them. Layouts differ by width, so each
   * pair of colors and width is tried only by `npm run prove`.
   */
  const otherColors = { 360: [forcedDark], 1280: [dark], 1920: [forcedLight] };

  for (const [width, colors] of Object.entries(otherColors).map(([width, some]) => [Number(width), some] as const)) {
    test(`is accessible at ${width} px, in light, dark and forced colors: no violation that axe finds in any state`, {
      tags: width === 360 ? [] : 'extended',
      // Some forty searches of the whole page.
      timeout: 300_000,
    }, async () => {
      stage = await openStage({
        ...storm,
        faults: [{ name: 'lost', when: { operation: 'createPet' }, then: { reset: true } }],
      });
      opened = await openPage(`${stage.server.controlUrl}/`, {
        viewport: { width, height: 900 },
        reducedMotion: 'reduce',
        bypassCSP: true,
      });
      page = opened.page;
      for (const [state, reach] of Object.entries(states)) {
        await reach();
        expect(await violations(page), state).toEqual([]);
        for (const media of isProof ? [dark, forcedDark, forcedLight] : colors) {
          await page.emulateMedia(media);
          expect(await violations(page, ['color-contrast']), `${state}, ${JSON.stringify(media)}`).toEqual([]);
        }
        await page.emulateMedia({ colorScheme: 'light', forcedColors: 'none' });
        await eventually(() => page.evaluate(() => document.documentElement.scrollWidth), state).toBeLessThanOrEqual(
          width,
        );
      }
    });
  }

  test('shows in forced colors which request, tab and scenario is chosen', async () => {
    stage = await openStage();
    await makeStorm(stage);
    ({ page } = await openPage(`${stage.server.controlUrl}/`, { forcedColors: 'active' }));
    await rows().nth(2).click();
    const outline = (element: string) =>
      page
        .locator(element)
        .first()
        .evaluate((found) => getComputedStyle(found).outlineStyle);
    await eventually(() => outline('.row[aria-selected=true]')).toBe('solid');
    expect(await outline('.tabs [aria-pressed=true]')).toBe('solid');
    expect(await outline('.tabs [aria-pressed=false]')).toBe('none');
    const colors = await page
      .locator('.swatch')
      .evaluateAll((all) => all.map((each) => getComputedStyle(each).backgroundColor));
    expect(new Set(colors).size).toBe(2);
    // The badge of a run without a verdict has a system color as its background, which forced colors keep.
    await page.keyboard.press('r');
    await page.getByText('No requests received.').waitFor();
    await stage.call('pro-key');
    const [ink, ground] = await page.locator('h1 .pill.inconclusive').evaluate((found) => {
      const { color, backgroundColor } = getComputedStyle(found);
      return [color, backgroundColor];
    });
    expect(ink).not.toBe(ground);
  });
});

/** Proxy to the server that can be cut; `asked` contains the requests for updates. */
async function openProxy(target: number) {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const server = createServer((socket) => {
    const onwards = connect(target, '127.0.0.1');
    for (const each of [socket, onwards]) {
      sockets.add(each);
      each.on('error', () => {}).on('close', () => sockets.delete(each));
    }
    socket.on('data', (bytes) => {
      const line = /GET \/__sim\/updates\S*/.exec(String(bytes))?.[0];
      if (line !== undefined) asked.push(line);
    });
    socket.pipe(onwards).pipe(socket);
  });
  const port = await freePort();
  const open = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await open();
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port, asked, open, close };
}
