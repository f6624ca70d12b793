import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { OpenedPage } from '../support/browser.js';
import { eventually, frames, judged, makeStorm, openFindings, type PageStage, storm, useBrowser } from './stage.js';

/** Text of the last drawing of the timeline. */
interface Drawn {
  text: string;
  x: number;
  y: number;
  width: number;
}

declare global {
  interface Window {
    drawn: Drawn[];
  }
}

describe('the timeline of many keys', { tags: 'needs/chromium' }, () => {
  const { openPage, openStage } = useBrowser();
  let stage: PageStage;
  let opened: OpenedPage;
  let page: Page;

  async function open(many: number, viewport = { width: 1280, height: 900 }) {
    const good = Array.from({ length: many }, (_, n) => [`good-${n}`, { plan: 'pro' as const }]);
    stage = await openStage({ ...storm, keys: { ...Object.fromEntries(good), ...storm.keys } });
    opened = await openPage(`${stage.server.controlUrl}/`, { viewport });
    page = opened.page;
    await page.evaluate(() => {
      window.drawn = [];
      const { clearRect, fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.clearRect = function (...args) {
        window.drawn = [];
        clearRect.apply(this, args);
      };
      CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...most) {
        const { e, f } = this.getTransform();
        window.drawn.push({ text, x: x + e, y: y + f, width: this.measureText(text).width });
        fillText.call(this, text, x, y, ...most);
      };
    });
    for (let n = 0; n < many; n++) await stage.call(`good-${n}`);
  }
  const drawn = () => page.evaluate(() => window.drawn);
  /** Whether the latest drawing has the current width of the timeline. */
  const isDrawnToScale = () =>
    page
      .locator('canvas')
      .evaluate(
        (element) => (element as HTMLCanvasElement).width === Math.round(element.clientWidth * devicePixelRatio),
      );
  const texts = async () => (await drawn()).map(({ text }) => text);

  test('the latest banned key has the first lane; 40 keys without findings share one line; the axis is visible', async () => {
    await open(40);
    await makeStorm(stage);
    await eventually(texts).toEqual(expect.arrayContaining(['free-key', '+40 keys', 'all served', '1:56 left ›', '■']));
    const all = await drawn();
    const yOf = (text: string) => all.find((each) => each.text === text)?.y ?? 0;
    expect(yOf('free-key')).toBeLessThan(yOf('+40 keys'));
    expect(all.filter(({ text }) => text.startsWith('good-'))).toEqual([]);
    const seen = await page
      .locator('.canvas')
      .evaluate(({ clientHeight, scrollHeight }) => [clientHeight, scrollHeight]);
    expect(seen[0]).toBe(seen[1]);
    const axis = all.filter(({ text }) => /^12:00:\d\d$/.test(text));
    expect(axis.length).toBeGreaterThan(2);
    await page.getByRole('button', { name: 'a line for each of 41 keys' }).click();
    await eventually(texts).not.toContain('+40 keys');
    // The lanes scroll, and the axis stays at the bottom, below the names.
    const bottom = await page.locator('.canvas').evaluate((element) => {
      element.scrollTop = 300;
      return element.scrollTop + element.clientHeight;
    });
    const axisY = async () => (await drawn()).findLast(({ text }) => /^12:00:\d\d$/.test(text))?.y;
    await eventually(axisY).toBe(bottom - 9);
    const names = (await drawn()).filter(({ text }) => text.startsWith('good-'));
    expect(names.length).toBeGreaterThan(5);
    expect(Math.max(...names.map(({ y }) => y))).toBeLessThanOrEqual(bottom - 20);
    expect(opened.errors).toEqual([]);
  });

  test('an idle time is not written over a name above a lane', async () => {
    await open(0, { width: 360, height: 800 });
    await stage.call('pro-key');
    stage.sim.clock.advance('60s');
    await stage.call('pro-key');
    stage.sim.clock.advance('60s');
    await eventually(texts).toEqual(expect.arrayContaining(['pro-key', '60.0 s idle']));
    const all = await drawn();
    const yOf = (text: string) => all.find((each) => each.text === text)?.y ?? 0;
    // Turned by a quarter, in a lane of 46 pixels below the name.
    expect(yOf('60.0 s idle') - 46 / 2).toBeGreaterThanOrEqual(yOf('pro-key') + 6);
  });

  test('extends to the current time, with the rest of a ban that was set after the last request', async () => {
    await open(0);
    await stage.call('pro-key');
    stage.sim.clock.advance('10s');
    await stage.control('POST', '/keys/pro-key/ban', { for: '5m' });
    stage.sim.clock.advance('30s');
    await eventually(texts).toEqual(expect.arrayContaining(['4:30 left ›', 'banned 4:30', '12:00:40']));
    // It would run into the label of the current time.
    expect((await texts()).join()).not.toContain('pro-key banned, for');
  });

  test('grave signs cover lighter ones, and several requests at one place show their number', async () => {
    await open(0);
    await stage.control('POST', '/faults', { name: 'down', when: { nth: 1 }, then: { respond: { status: 503 } } });
    await stage.call('pro-key');
    await stage.call('pro-key', '/pets/999999');
    for (let n = 0; n < 20; n++) await stage.call('pro-key');
    await makeStorm(stage);
    await eventually(texts).toEqual(expect.arrayContaining(['⊗', '20', '2', '▲']));
    await eventually(texts).not.toContain('○');
    await judged(page, 31);
    const [{ x, y }] = (await drawn()).filter(({ text }) => text === '⊗') as [Drawn];
    await page.locator('canvas').hover({ position: { x, y } });
    await page.locator('.hint').getByText('22 requests, 2 not served').waitFor();
  });

  test('a click on a sign scrolls its request into view', async () => {
    await open(6, { width: 1440, height: 900 });
    await makeStorm(stage);
    // The axis extends with each request, which moves the signs.
    await eventually(texts).toEqual(expect.arrayContaining(['■', 'banned 1:56 · ▲ 3']));
    await judged(page, 15);
    expect((await drawn()).filter(({ text }) => text === '▲')).toHaveLength(3);
    for (const viewport of [
      { width: 1440, height: 900 },
      { width: 1000, height: 700 },
    ]) {
      await page.setViewportSize(viewport);
      await eventually(isDrawnToScale).toBe(true);
      // The timeline is drawn again in the frame after its new size.
      await frames(page);
      const [{ x, y }] = (await drawn()).filter(({ text }) => text === '▲') as [Drawn];
      await page.locator('canvas').click({ position: { x, y } });
      const heading = page.getByRole('heading', { name: 'Why 429' });
      await heading.waitFor();
      const { y: top, height } = (await heading.boundingBox()) as { y: number; height: number };
      expect(top).toBeGreaterThan(0);
      expect(top + height).toBeLessThan(viewport.height);
      await page.keyboard.press('Escape');
    }
  });

  test('time labels of a short run do not overlap, at any width', async () => {
    await open(1);
    for (let n = 0; n < 12; n++) {
      stage.sim.clock.advance('40ms');
      await stage.call('pro-key');
    }
    await page.getByText('13 requests').first().waitFor();
    for (let width = 1000; width < 1400; width += 40) {
      await page.setViewportSize({ width, height: 900 });
      await frames(page);
      const labels = (await drawn()).filter(({ text }) => /^\d\d:\d\d:\d\d(\.\d+)?$/.test(text));
      expect(labels.length).toBeGreaterThan(1);
      for (const [index, { x, width }] of labels.entries()) {
        const next = labels[index + 1];
        if (next) expect(next.x - x).toBeGreaterThan((width + next.width) / 2 + 4);
      }
    }
  });

  test('findings are grouped by key, each with its advice', async () => {
    await open(0);
    const early = async (key: string) => {
      await stage.control('POST', `/keys/${key}/exhaust`);
      await stage.call(key);
      stage.sim.clock.advance('2s');
      await stage.call(key);
    };
    await early('free-key');
    await early('pro-key');
    await openFindings(page);
    const groups = page.locator('.findings .group').filter({ hasText: 'early-retry' });
    await eventually(() => groups.locator('.of').allTextContents()).toEqual(['free-key', 'pro-key']);
    for (const group of await groups.all()) {
      await eventually(() => group.locator('.finding b').allTextContents()).toContain('early-retry');
      await group.getByText('Wait for the full Retry-After').waitFor();
    }
  });
});
