import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CustomRoutesDescription } from '../../control-api/custom-routes-description.js';
import { isUnderBasePath } from '../../http/base-path.js';
import type { Simulator } from '../../simulator/simulator.js';
import { UsageError } from '../../validation/usage-error.js';
import { isMap } from '../../values/plain-data.js';
import type { HandlerSource } from './extensions.js';
import { isHandler } from './handler-matcher.js';
import { loadMiddleware } from './load-middleware.js';

/**
 * Loads the user's module of msw handlers. Its export `handlers` is an array, or a function that creates one for a
 * simulator. Its export `openapi` is an optional description.
 * @param basePath path before the described paths, such as `/v1`
 * @throws {UsageError} for a missing file, export or package, and for a module that fails (with its stack)
 */
export async function readHandlers(
  file: string,
  basePath: string,
): Promise<{ handlers: HandlerSource; openapi?: CustomRoutesDescription }> {
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`expected --handlers to be a file, found none at ${path}`);
  // Checks the msw version before the import. With an unsuitable msw, the import would fail with an unclear message.
  loadMiddleware();
  const { handlers, openapi } = await load(file, () => import(pathToFileURL(path).href));
  const check = (own: unknown) => {
    if (Array.isArray(own) && own.every(isHandler)) return own;
    throw new UsageError(
      `expected ${file} to export handlers: an array of msw request handlers, or a function that gives one, found ${kind(own)}`,
    );
  };
  return {
    handlers:
      typeof handlers === 'function'
        ? // Servers that share a simulator compare their handlers by this text.
          Object.assign(async (sim: Simulator) => check(await load(file, async () => handlers(sim))), {
            toString: () => String(handlers),
          })
        : check(handlers),
    ...(openapi !== undefined && { openapi: checkDescription(file, openapi, basePath) }),
  };
}

/**
 * Checks the OpenAPI description of the user's custom paths.
 * @throws {UsageError} if the value does not describe paths below `basePath`
 */
function checkDescription(file: string, openapi: unknown, basePath: string): CustomRoutesDescription {
  const { paths = {}, components = {} } = isMap(openapi) ? openapi : { paths: openapi };
  const areMaps = [paths, components].every((items) => isMap(items) && Object.values(items).every(isMap));
  if (!areMaps)
    throw new UsageError(`expected ${file} to export openapi as an object with paths and components, as in OpenAPI`);
  const wrong = Object.keys(paths as object).find((path) => !path.startsWith('/') || isUnderBasePath(path, basePath));
  if (wrong !== undefined)
    throw new UsageError(
      `expected the paths of openapi in ${file} to be relative to ${basePath}, such as /categories, got ${JSON.stringify(wrong)}`,
    );
  return { paths, components } as CustomRoutesDescription;
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
