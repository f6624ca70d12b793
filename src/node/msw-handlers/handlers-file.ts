import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Simulator } from '../../simulator/simulator.js';
import { UsageError } from '../usage-error.js';
import type { ExtensionHandler } from './extension.js';
import { isHandler } from './handler-matcher.js';
import { loadMiddleware } from './load-middleware.js';

/**
 * The handlers that a module exports as `handlers`: an array, or a function that is given the simulator and gives one.
 * @throws {UsageError} when there is no such file or export, when the module fails (then with its stack), or when what
 * handlers need is not installed
 */
export async function readHandlers(file: string, sim: Simulator): Promise<readonly ExtensionHandler[]> {
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`expected --handlers to be a file, found none at ${path}`);
  // First, because the file would fail with what msw, missing or another one, says of itself.
  loadMiddleware();
  const exported = await load(file, async () => {
    const { handlers } = await import(pathToFileURL(path).href);
    return typeof handlers === 'function' ? handlers(sim) : handlers;
  });
  if (Array.isArray(exported) && exported.every(isHandler)) return exported;
  throw new UsageError(
    `expected ${file} to export handlers: an array of msw request handlers, or a function that gives one, found ${kind(exported)}`,
  );
}

async function load(file: string, run: () => Promise<unknown>): Promise<unknown> {
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
