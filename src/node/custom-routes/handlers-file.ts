import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UsageError } from '../usage-error.js';
import type { HandlerSource } from './extensions.js';
import { isHandler } from './handler-matcher.js';
import { loadMiddleware } from './load-middleware.js';

/**
 * The handlers that a module exports as `handlers`: an array, or a function that is given a simulator and gives one.
 * @throws {UsageError} for a missing file or export, a module that fails (with its stack) and missing packages; for a function
 * when it is called
 */
export async function readHandlers(file: string): Promise<HandlerSource> {
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`expected --handlers to be a file, found none at ${path}`);
  // First, because the file would fail with what msw, missing or another one, says of itself.
  loadMiddleware();
  const { handlers } = await load(file, () => import(pathToFileURL(path).href));
  const check = (own: unknown) => {
    if (Array.isArray(own) && own.every(isHandler)) return own;
    throw new UsageError(
      `expected ${file} to export handlers: an array of msw request handlers, or a function that gives one, found ${kind(own)}`,
    );
  };
  return typeof handlers === 'function'
    ? async (sim) => check(await load(file, async () => handlers(sim)))
    : check(handlers);
}

async function load<Result>(file: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (error) {
    const { code, message, stack } = error as NodeJS.ErrnoException;
    if (code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      const needed = 'a .js or .mjs file, or on Node 22.18 or later a .ts file';
      throw new UsageError(`expected --handlers to be ${needed}, got ${file} on Node ${process.versions.node}`);
    }
    const isMissing = code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND';
    throw new UsageError(`failed to load ${file}: ${isMissing ? message : (stack ?? String(error))}`);
  }
}

function kind(value: unknown): string {
  if (!Array.isArray(value)) return value === undefined ? 'none' : `a value of type ${typeof value}`;
  return `an array whose element ${value.findIndex((each) => !isHandler(each))} is not a handler`;
}
