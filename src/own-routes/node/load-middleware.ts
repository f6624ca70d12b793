import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RequestHandler as Middleware } from 'express';
import type { matchRequestUrl, RequestHandler } from 'msw';
import { UsageError } from '../../validation/usage-error.js';

interface Loaded {
  /** Function `createMiddleware` of `@mswjs/http-middleware`, which runs msw handlers in Express. */
  createMiddleware(...handlers: RequestHandler[]): Middleware;
  /** Function of msw that compares a URL with a handler's path. Comes from the msw copy that http-middleware uses. */
  matchRequestUrl: typeof matchRequestUrl;
}

const remedy = 'run "npm install --save-dev msw@2 @mswjs/http-middleware"';

/**
 * Loads the optional packages `@mswjs/http-middleware` and msw. Searches for them from this package, then from the
 * working directory.
 * @throws {UsageError} with the install command
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

/**
 * Finds the file that a module `from` would get for `require(name)`. Returns `undefined` if the module `name` is not
 * installed.
 */
function find(from: string, name: string, paths?: string[]): string | undefined {
  try {
    return createRequire(from).resolve(name, paths && { paths });
  } catch {
    return undefined;
  }
}
