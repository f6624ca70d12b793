import type { BrowserContext, Page, Response, Route } from '@playwright/test';
import { addressPattern } from '../in-process/address-pattern.js';
import { times } from '../judge/finding.js';

/** The requests of a page, or of all pages of a context, to an address that the sandbox answers for. */
interface Watched {
  page: Page | BrowserContext;
  baseUrl: string;
  /** What the address matches, however it is written. */
  pattern: string;
  isBelow: (url: URL) => boolean;
  answer: (route: Route) => Promise<void>;
  /** By the sandbox. */
  answered: number;
  /** By a service worker of the page, which Playwright does not ask before. */
  answeredByWorker: number;
}

/** What a sandbox answers in the pages of one test. */
export interface SandboxAnswers {
  /**
   * Sends what goes to `from` to the sandbox. What the server cuts is cut for the page. Asked for again, it comes before the
   * routes that were made meanwhile, as a new one would.
   * @throws {TypeError} when `from` is neither an http or https address nor a path
   */
  answerFor(page: Page | BrowserContext, from: string): Promise<void>;
  /** Whether it was asked to answer for an address. */
  readonly isAsked: boolean;
  /** @throws {Error} when a page did not reach the sandbox, so that a test would pass whatever its client does */
  checkReached(): void;
}

/** @param to where the API of the sandbox is */
export function createAnswers(to: string): SandboxAnswers {
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
        if (each.pattern !== pattern || !isOf(page, each.page)) continue;
        each.answered++;
        // A worker that hands the request on has answered nothing.
        if (request.serviceWorker() !== null) each.answeredByWorker--;
      }
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
    const one: Watched = { page, baseUrl: from, pattern, isBelow, answer, answered: 0, answeredByWorker: 0 };
    const note = (response: Response) => {
      if (response.fromServiceWorker() && isBelow(new URL(response.url()))) one.answeredByWorker++;
    };
    // The two have the same method and types of their own for it.
    if ('pages' in page) page.on('response', note);
    else page.on('response', note);
    watched.push(one);
    return one;
  }

  return {
    async answerFor(page, from) {
      const { isBelow, answer } = watch(page, from);
      // Of two routes for an address only the later one would see a request.
      await page.unroute(isBelow, answer);
      await page.route(isBelow, answer);
    },
    get isAsked() {
      return watched.length > 0;
    },
    checkReached: () => watched.forEach(checkReached),
  };
}

/** Whether the one is the other, or a page of it: a route of a page comes before those of its context. */
const isOf = (page: Page | BrowserContext, other: Page | BrowserContext) =>
  page === other || (!('pages' in page) && page.context() === other);

function checkReached({ baseUrl, answered, answeredByWorker }: Watched): void {
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
