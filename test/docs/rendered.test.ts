// @module-tag needs/chromium
import { marked } from 'marked';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../support/browser.js';
import { anchorsOf, proseOf, userPages } from '../support/markdown.js';

/** Width of a Markdown file on GitHub, in pixels. */
const width = 838;
/** Length of a page, in pixels, from which it needs a table of contents: five screens. */
const longPage = 5 * 900;

/** GitHub's rules for tables, code and fonts. A table is as wide as its content and scrolls within the page. */
const style = `
body { margin: 0; width: ${width}px; font: 16px/1.5 -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; overflow-wrap: break-word; }
p, ul, ol, pre, table { margin: 0 0 16px; }
ul, ol { padding-left: 2em; }
code, pre { font: 13.6px/1.45 ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
code { padding: 0.2em 0.4em; white-space: break-spaces; }
pre { padding: 16px; overflow: auto; }
pre code { padding: 0; white-space: pre; }
table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse; border-spacing: 0; }
th, td { padding: 6px 13px; border: 1px solid #ddd; }
img { max-width: 100%; }
h1 { font-size: 2em; } h2 { font-size: 1.5em; } h3 { font-size: 1.25em; }`;

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

describe.concurrent('on a page as wide as on GitHub', () => {
  test.each(userPages)('$path does not scroll sideways, and has a table of contents if it is long', async (page) => {
    const tab = await browser.newPage({ viewport: { width, height: 900 } });
    await tab.setContent(`<!doctype html><style>${style}</style>${await marked.parse(page.text)}`);
    const { wide, height } = await tab.evaluate(() => ({
      wide: Array.from(document.querySelectorAll('pre, table'))
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map((element) => `${element.scrollWidth} px: ${element.textContent?.trim().slice(0, 60)}`),
      height: document.body.scrollHeight,
    }));
    await tab.close();
    expect(wide).toEqual([]);
    if (height <= longPage) return;
    const parts = [...proseOf(page).matchAll(/^## (.+)$/gm)].length;
    const linked = anchorsOf(page).filter((anchor) => page.text.includes(`](#${anchor})\n`));
    expect(linked.length, `links to the ${parts} parts of ${height} px`).toBeGreaterThanOrEqual(Math.max(parts, 2));
  });
});
