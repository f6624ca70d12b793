import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import type { ListenOptions, RunningServer } from '../../src/entries/node.js';
import { launchChromium, type OpenedPage, openPage } from '../support/browser.js';
import { deferred } from '../support/deferred.js';
import { noon } from '../support/frozen.js';
import { openServer } from '../support/open-server.js';
import { patience } from '../support/patience.js';

/** Waits until a value meets what follows, also on a machine that has much to do. */
export const eventually = <Value>(value: () => Value, message = '') => expect.poll(value, { ...patience, message });

export interface PageStage {
  sim: Simulator;
  server: RunningServer;
  /** A request to the API over HTTP. */
  call(key: string, path?: string, body?: string): Promise<number>;
  /** A control request, as curl sends it. */
  control(method: string, path: string, body?: object): Promise<unknown>;
}

export const storm: Scenario = {
  name: 'storm',
  description: 'A client that goes on after a 429. It is banned.',
  clock: { start: noon, mode: 'frozen' },
  keys: { 'free-key': { plan: 'free', usage: { minute: 57 } }, 'pro-key': { plan: 'pro' } },
};

/** A server whose clock stands still, with a page to open at its control URL. */
async function openPageStage(
  scenario: Scenario = storm,
  options: ListenOptions = {},
  others: Record<string, Scenario> = {},
): Promise<PageStage> {
  const sim = createSimulator({
    scenario,
    scenarios: {
      tiny: { name: 'tiny', description: 'Two pets, and a key of its own.' },
      ...others,
      'z-pets': { name: 'z-pets', description: 'Last by its name.' },
    },
  });
  const server = await openServer(sim, options);
  const call: PageStage['call'] = async (key, path = '/pets', body) => {
    const response = await fetch(`${server.baseUrl}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body }),
    }).catch(() => undefined);
    await response?.text().catch(() => {});
    return response?.status ?? 0;
  };
  const control: PageStage['control'] = async (method, path, body) => {
    const response = await fetch(`${server.controlUrl}${path}`, {
      method,
      headers: { 'content-type': 'application/json', 'user-agent': 'curl/8.14.1' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  return { sim, server, call, control };
}

/** Three are served, one is refused, three strikes follow, of which the last bans the key, and two more in the ban. */
export async function makeStorm({ sim, call }: Pick<PageStage, 'sim' | 'call'>): Promise<void> {
  for (let n = 0; n < 3; n++) {
    await call('free-key', `/pets?limit=${n + 1}`);
    sim.clock.advance('500ms');
  }
  await call('free-key');
  for (let n = 0; n < 5; n++) {
    sim.clock.advance('2s');
    await call('free-key');
  }
}

/** Starts a browser for the tests of a block. Servers and pages that a test opens are closed after the test. */
export function useBrowser() {
  let browser: Browser;
  let pages: Page[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());
  afterEach(async () => {
    for (const page of pages) await page.context().close();
    pages = [];
  });
  return {
    openStage: openPageStage,
    async openPage(url: string, options?: BrowserContextOptions): Promise<OpenedPage> {
      const opened = await openPage(browser, url, options);
      pages.push(opened.page);
      return opened;
    },
    /** Rows of the request list on the latest page. */
    rows: () => (pages.at(-1) as Page).locator('.list .row:not([hidden])'),
  };
}

/** Waits for the verdict on a number of requests. Each verdict may move all that is below it. */
export const judged = (page: Page, requests: number): Promise<void> =>
  page
    .locator('.verdict .note')
    .getByText(new RegExp(`^${requests} requests?: `))
    .waitFor();

/** Opens the tab with the findings, which a page below 1400 pixels has. */
export const openFindings = (page: Page): Promise<void> =>
  page.getByRole('button', { name: /^\d+ Findings?$/ }).click();

/** Opens the findings, and shows the three of nine requests that tripped a ban. */
export async function showBanTripped(page: Page): Promise<void> {
  await openFindings(page);
  const finding = page.locator('.finding').filter({ hasText: 'ban-tripped' });
  await finding.getByRole('button', { name: '3 requests' }).click();
  await page.getByText('3 of 9 requests').waitFor();
}

/** Holds back each request of the page to a URL. @returns what lets them pass */
export async function holdBack(page: Page, url: string | RegExp): Promise<() => void> {
  const { promise, resolve } = deferred();
  await page.route(url, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Moves the clock by a button of its menu. */
export async function moveClock(page: Page, name: string): Promise<void> {
  await page.getByLabel('Move the clock', { exact: true }).click();
  // An item for the next reset or the end of a ban has its time.
  const begins = new RegExp(`^${name.replace('+', '\\+')}( · |$)`);
  await page.getByRole('button', { name: begins }).click();
}

/** Waits for ten animation frames, in which the page draws all that it has received. */
export const frames = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    for (let n = 0; n < 10; n++) await new Promise(requestAnimationFrame);
  });

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Violations found by axe: rule and element.
 * @param rules rules to check; default all
 */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async (runOnly) => {
    interface Violation {
      id: string;
      nodes: { html: string; failureSummary: string }[];
    }
    const { violations } = await (
      globalThis as unknown as { axe: { run(options: object): Promise<{ violations: Violation[] }> } }
    ).axe.run(runOnly ? { runOnly } : {});
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary.slice(0, 200)}`),
    );
  }, rules);
}
