import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RequestHandler as Middleware } from 'express';
import type { matchRequestUrl, RequestHandler } from 'msw';
import { UsageError } from '../usage-error.js';

interface Loaded {
  /** Of `@mswjs/http-middleware`. */
  createMiddleware(...handlers: RequestHandler[]): Middleware;
  /** Of the msw that it works with. */
  matchRequestUrl: typeof matchRequestUrl;
}

const remedy = 'run "npm install --save-dev msw@2 @mswjs/http-middleware"';

/**
 * Loads `@mswjs/http-middleware` and the msw that it works with: optional packages, beside this one or in the folder
 * that the command was started in.
 * @throws {UsageError} saying what to install
 */
export function loadMiddleware(): Loaded {
  const middleware = find(import.meta.url, '@mswjs/http-middleware', [import.meta.dirname, process.cwd()]);
  if (middleware === undefined) {
    throw new UsageError(`expected @mswjs/http-middleware, which handlers need, to be installed; ${remedy}`);
  }
  const manifest = find(middleware, 'msw/package.json');
  const version = manifest === undefined ? 'none' : JSON.parse(readFileSync(manifest, 'utf8')).version;
  if (!version.startsWith('2.')) {
    throw new UsageError(
      `expected msw 2 to be installed, which @mswjs/http-middleware needs, found ${version}; ${remedy}`,
    );
  }
  const require = createRequire(middleware);
  return { ...require(middleware), matchRequestUrl: require('msw').matchRequestUrl };
}

/** The path of a module, seen from another one; `undefined` when it is not installed. */
function find(from: string, name: string, paths?: string[]): string | undefined {
  try {
    return createRequire(from).resolve(name, paths && { paths });
  } catch {
    return undefined;
  }
}
