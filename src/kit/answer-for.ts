import type { BrowserContext, Page, Response, Route } from '@playwright/test';
import { addressPattern } from '../contract/address-pattern.js';
import { times } from '../verdict/finding.js';

/** The requests of a page to the address that a sandbox answers for. */
export interface Watched {
  baseUrl: string;
  /** By the sandbox. */
  answered: number;
  /** By a service worker of the page, which Playwright does not ask before. */
  answeredByWorker: number;
}

/**
 * Sends what goes to `from` to `to`. What the server cuts is cut for the page.
 * @throws {TypeError} when `from` is neither an http or https address nor a path
 */
export async function answerFor(page: Page | BrowserContext, from: string, to: string): Promise<Watched> {
  const base = addressPattern(from);
  const isBelow = ({ href }: URL) => base.test(href);
  const watched: Watched = { baseUrl: from, answered: 0, answeredByWorker: 0 };
  const answer = async (route: Route) => {
    const request = route.request();
    watched.answered++;
    // A worker that hands the request on has answered nothing.
    if (request.serviceWorker() !== null) watched.answeredByWorker--;
    try {
      const url = request.url().replace(base, () => to);
      const headers = await request.allHeaders();
      const response = await route.fetch({ url, headers, maxRedirects: 0, timeout: 0 });
      await route.fulfill({ response });
    } catch {
      // The page is told the same, unless it is gone.
      await route.abort('connectionreset').catch(() => {});
    }
  };
  const note = (response: Response) => {
    if (response.fromServiceWorker() && isBelow(new URL(response.url()))) watched.answeredByWorker++;
  };
  // The two have the same method and types of their own for it.
  if ('pages' in page) page.on('response', note);
  else page.on('response', note);
  await page.route(isBelow, answer);
  return watched;
}

/** @throws {Error} when a page did not reach the sandbox, so that a test would pass whatever its client does */
export function checkReached(watched: readonly Watched[]): void {
  for (const { baseUrl, answered, answeredByWorker } of watched) {
    if (answeredByWorker > 0) {
      throw new Error(
        `expected the sandbox to answer what the page sends to ${baseUrl}, but a service worker of the page did, ` +
          `${times(answeredByWorker)}: msw, for one. Block it with test.use({ serviceWorkers: 'block' }), or do not start it in this test.`,
      );
    }
    if (answered === 0) {
      throw new Error(
        `expected the page to send a request to ${baseUrl}, which sandbox.answerFor answers, and none came. Is that the address ` +
          "that the page uses? A test in which it sends none has test.use({ verdict: 'ignore' }).",
      );
    }
  }
}
