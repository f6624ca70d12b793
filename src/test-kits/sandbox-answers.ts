import type { BrowserContext, Page, Response, Route } from '@playwright/test';
import { addressPattern } from '../in-process/address-pattern.js';
import { formatTimes } from '../judge/finding.js';

/** URL from which a browser page requests the API. The test's simulator responds to these requests. */
interface Watched {
  page: Page | BrowserContext;
  baseUrl: string;
  /** Source of the regular expression that matches all spellings of the API's base URL. */
  pattern: string;
  isBelow: (url: URL) => boolean;
  answer: (route: Route) => Promise<void>;
  /** Number of requests to the API's base URL that reached the sandbox. */
  answered: number;
  /**
   * Number of requests to the URL that the page's service worker answered itself. Playwright cannot intercept these
   * requests.
   */
  answeredByWorker: number;
}

/**
 * Creates the object that routes requests from a test's pages to the test's sandbox, an isolated simulator.
 * @param to API URL of the sandbox
 */
export function createAnswers(to: string) {
  const watched: Watched[] = [];

  function watch(page: Page | BrowserContext, from: string): Watched {
    const base = addressPattern(from);
    const pattern = base.source;
    const known = watched.find((each) => each.page === page && each.pattern === pattern);
    if (known !== undefined) return known;
    const isBelow = ({ href }: URL) => base.test(href);
    const answer = async (route: Route) => {
      const request = route.request();
      for (const each of watched) {
        if (each.pattern !== pattern || !isPageOrItsContext(page, each.page)) continue;
        each.answered++;
        // Subtracts one from `answeredByWorker`. The response event of this request, which the service worker only
        // forwarded, will add one by mistake.
        if (request.serviceWorker() !== null) each.answeredByWorker--;
      }
      try {
        const url = request.url().replace(base, () => to);
        const headers = await request.allHeaders();
        const response = await route.fetch({ url, headers, maxRedirects: 0, timeout: 0 });
        await route.fulfill({ response });
      } catch {
        // Aborts the browser's request if the sandbox, the simulated API of the test, did not respond. An error of
        // `abort` is ignored, because it occurs only if the browser page was closed.
        await route.abort('connectionreset').catch(() => {});
      }
    };
    const one: Watched = { page, baseUrl: from, pattern, isBelow, answer, answered: 0, answeredByWorker: 0 };
    const note = (response: Response) => {
      if (response.fromServiceWorker() && isBelow(new URL(response.url()))) one.answeredByWorker++;
    };
    // TypeScript cannot combine the types of `on` for a Playwright page and for a browser context, so both calls are
    // written out.
    if ('pages' in page) page.on('response', note);
    else page.on('response', note);
    watched.push(one);
    return one;
  }

  return {
    /**
     * Routes requests of a Playwright page or browser context to the test's sandbox, for the URL or path `from` and
     * everything below it. A repeated call gives this route precedence over routes that were registered in between.
     * @throws {TypeError} if `from` is neither an http or https URL nor a path
     */
    async answerFor(page: Page | BrowserContext, from: string): Promise<void> {
      const { isBelow, answer } = watch(page, from);
      // Registers the Playwright route to the sandbox again. Playwright uses the most recently registered of several
      // matching routes.
      await page.unroute(isBelow, answer);
      await page.route(isBelow, answer);
    },
    /** Whether the requests of a Playwright page or browser context are routed to the simulator of the test. */
    get hasRoutes(): boolean {
      return watched.length > 0;
    },
    /**
     * @throws {Error} if the sandbox did not receive the requests of the tested web page, because the test would then
     * pass with any client
     */
    checkReached: () => watched.forEach(checkReached),
  };
}

/**
 * Whether `other` is the Playwright page `page` itself or the browser context that contains the page. If both have a
 * route for a URL, Playwright uses only the page's route, but the request counts for both.
 */
const isPageOrItsContext = (page: Page | BrowserContext, other: Page | BrowserContext) =>
  page === other || (!('pages' in page) && page.context() === other);

function checkReached({ baseUrl, answered, answeredByWorker }: Watched): void {
  if (answeredByWorker > 0) {
    throw new Error(
      `expected the sandbox to serve the requests of the page to ${baseUrl}, but a service worker of the page did, ` +
        `${formatTimes(answeredByWorker)}, such as msw's. Block it with test.use({ serviceWorkers: 'block' }), or do not start it in this test.`,
    );
  }
  if (answered === 0) {
    throw new Error(
      `expected the page to send a request to ${baseUrl}, which sandbox.answerFor serves, and none arrived. Is that the URL ` +
        "that the page uses? For a test without requests, use test.use({ verdict: 'ignore' }).",
    );
  }
}
