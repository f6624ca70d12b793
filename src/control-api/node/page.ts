import type { IncomingMessage } from 'node:http';
import type { Express } from 'express';
import { readTarget } from '../../http/read-target.js';
import { notFound } from '../control-error.js';
import { readPageFile } from './package-files.js';

/** File names of the dashboard, with their media types. */
const files: Readonly<Record<string, string>> = {
  'page.js': 'text/javascript; charset=utf-8',
  'first-request.js': 'text/javascript; charset=utf-8',
  'move-menu.js': 'text/javascript; charset=utf-8',
  'show-demo.js': 'text/javascript; charset=utf-8',
  'fault-editor.js': 'text/javascript; charset=utf-8',
  'scenario-picker.js': 'text/javascript; charset=utf-8',
  'copy-as-test.js': 'text/javascript; charset=utf-8',
  'help.js': 'text/javascript; charset=utf-8',
  'picture.js': 'text/javascript; charset=utf-8',
  'token-form.js': 'text/javascript; charset=utf-8',
  'pets.js': 'text/javascript; charset=utf-8',
  'export-run.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
};

/** Content-Security-Policy of the dashboard: no foreign or inline content, and no display inside another page. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Whether a request is for the dashboard or its files, which need no control token. */
export function isPage({ method = '', url, headers: { accept = '' } }: IncomingMessage): boolean {
  const { path } = readTarget(url);
  if (method !== 'GET' && method !== 'HEAD') return false;
  return (
    (/^\/__sim\/?$/.test(path) && wantsHtml(accept)) ||
    (path.startsWith('/__sim/page/') && Object.hasOwn(files, path.slice(12)))
  );
}

/** Whether an `Accept` header lists `text/html`, as browsers do. `curl` accepts any type and receives JSON. */
export const wantsHtml = (accept: string) => /(?:^|,)\s*text\/html\b/i.test(accept);

/**
 * Serves the dashboard at `GET /__sim/` to browsers, with its files. Reads each file at its first request.
 * @param facts facts about the server by name, which the dashboard reads from its HTML: `public-url`, the start of the
 * URLs that it shows (default: its own address), `without-api`, whether the base URL has no path, and `about`, a few
 * words
 */
export function servePage(app: Express, facts: Readonly<Record<string, string | false | undefined>>): void {
  const metas = Object.entries(facts)
    .map(([name, text]) => (text ? `<meta name="${name}" content="${text.replaceAll('&', '&amp;')}">` : ''))
    .join('');
  const texts = new Map<string, string>();
  const read = (file: string) => {
    const text = texts.get(file) ?? readBuilt(file);
    texts.set(file, text);
    return text;
  };
  app.get('/__sim', (request, response, next) => {
    response.vary('Accept');
    if (!wantsHtml(request.headers.accept ?? '')) return next();
    // Redirects to the URL with a slash at the end, because the dashboard's HTML refers to its files by relative URLs.
    // The redirect is relative too, because a proxy may serve this server under a path.
    const { text, path } = readTarget(request.originalUrl);
    if (!path.endsWith('/')) return response.redirect(308, `__sim/${text.slice(path.length)}`);
    response.set({ 'Content-Security-Policy': contentSecurityPolicy, 'Referrer-Policy': 'no-referrer' });
    response.type('html').send(read('index.html').replace('<head>', () => `<head>${metas}`));
  });
  for (const [file, type] of Object.entries(files)) {
    app.get(`/__sim/page/${file}`, (_, response) => {
      response.set('Content-Type', type).send(read(`page/${file}`));
    });
  }
}

/**
 * Reads a file of the built dashboard.
 * @throws {ControlError} if the package is not built
 */
function readBuilt(file: string): string {
  try {
    return readPageFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw notFound('The dashboard is not built; run npm run build.');
  }
}
