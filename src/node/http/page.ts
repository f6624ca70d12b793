import type { IncomingMessage } from 'node:http';
import type { Express, Request } from 'express';
import { ControlError } from '../../control-api/control-error.js';
import { readPageFile } from '../page-files.js';

/** What the page consists of, and nothing else of the folder. */
const files: Readonly<Record<string, string>> = {
  'page.js': 'text/javascript; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
};

/** Nothing from elsewhere, nothing within the document, and in no frame of another page. */
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

/** Whether a request is for the page or its files. They hold no data, so they need no control token. */
export function isPage({ method = '', url = '', headers: { accept = '' } }: IncomingMessage): boolean {
  const [path = ''] = url.split('?', 1);
  if (method !== 'GET' && method !== 'HEAD') return false;
  return (
    (/^\/__sim\/?$/.test(path) && wantsHtml(accept)) ||
    (path.startsWith('/__sim/page/') && Object.hasOwn(files, path.slice(12)))
  );
}

/** As a browser asks for a document: `text/html` by name. `curl` takes anything and gets JSON. */
const wantsHtml = (accept: string) => /(?:^|,)\s*text\/html\b/i.test(accept);

/** Serves the page at `GET /__sim/` to browsers, and its files; each is read when it is first asked for. */
export function servePage(app: Express): void {
  const texts = new Map<string, string>();
  const read = (file: string) => {
    const text = texts.get(file) ?? readBuilt(file);
    texts.set(file, text);
    return text;
  };
  app.get('/__sim', (request, response, next) => {
    response.vary('Accept');
    if (!wantsHtml(request.headers.accept ?? '')) return next();
    // The files are below the path of the page.
    if (!pathOf(request).endsWith('/')) return response.redirect(308, `/__sim/${queryOf(request)}`);
    response.set({ 'Content-Security-Policy': contentSecurityPolicy, 'Referrer-Policy': 'no-referrer' });
    response.type('html').send(read('index.html'));
  });
  for (const [file, type] of Object.entries(files)) {
    app.get(`/__sim/page/${file}`, (_, response) => {
      response.set('Content-Type', type).send(read(`page/${file}`));
    });
  }
}

const pathOf = ({ originalUrl }: Request) => originalUrl.split('?', 1)[0] as string;
const queryOf = ({ originalUrl }: Request) => originalUrl.slice(pathOf({ originalUrl } as Request).length);

/** @throws {ControlError} where the package was not built */
function readBuilt(file: string): string {
  try {
    return readPageFile(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new ControlError(
      404,
      'not_found',
      'The page is not built; expected dist/dashboard, which npm run build writes.',
    );
  }
}
