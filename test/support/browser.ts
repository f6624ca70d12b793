import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { chromiumArguments, chromiumPath } from './chromium.js';
import { patience } from './patience.js';

/** Starts a Chromium without network access, except to this machine. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath,
    args: [...chromiumArguments, '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'],
  });

export interface OpenedPage {
  page: Page;
  /** Errors of scripts, and error messages of the console. */
  errors: string[];
  /** All requested URLs. */
  requested: string[];
}

/** Opens a URL in a separate context. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(patience.timeout);
  const page = await context.newPage();
  const errors: string[] = [];
  const requested: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('request', (request) => requested.push(request.url()));
  await page.goto(url);
  return { page, errors, requested };
}
