import type { UpstreamOptions } from '../node/custom-routes/upstream.js';
import type { ListenOptions } from '../node/http/server.js';
import { UsageError } from '../node/usage-error.js';
import { anyOperation } from '../scenario/operations.js';
import { givenFlags } from './given-flags.js';

/** Custom handlers, which take precedence over the API, and a backend for other requests. */
export type RouteOptions = Pick<ListenOptions, 'handlers' | 'openapi' | 'upstream'>;

/** Operations that a scenario may name. With custom routes: any, because the server checks them after it has loaded the routes. */
export const operationsWith = ({ handlers, upstream }: RouteOptions = {}) =>
  (handlers ?? upstream) === undefined ? undefined : anyOperation;

/** Flags of a command whose server has custom routes. */
export interface RouteFlags {
  handlers?: string;
  upstream?: string;
  'upstream-key'?: string;
  'upstream-host'?: string;
  'no-api'?: boolean;
}

/** The given flags as words of a command. */
export function routeWords(flags: RouteFlags): string[] {
  const { handlers, upstream, 'upstream-key': key, 'upstream-host': host, 'no-api': noApi } = flags;
  const words = givenFlags({ handlers, upstream, 'upstream-key': key, 'upstream-host': host });
  return noApi ? [...words, '--no-api'] : words;
}

/** Converts the flags to options of the server. @throws {UsageError} */
export async function readRouteFlags(flags: RouteFlags): Promise<RouteOptions> {
  const { handlers: file } = flags;
  const upstream = upstreamOf(flags);
  if (upstream !== undefined) await checkUpstream(upstream);
  // Loaded only if used, because both need packages that most servers do not.
  const mounted =
    file === undefined ? undefined : await (await import('../node/custom-routes/handlers-file.js')).readHandlers(file);
  return { ...mounted, ...(upstream && { upstream }) };
}

/** @throws {UsageError} for an unusable address */
async function checkUpstream(upstream: UpstreamOptions): Promise<void> {
  const { createUpstream } = await import('../node/custom-routes/upstream.js');
  try {
    createUpstream(upstream);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}

function upstreamOf(flags: RouteFlags): UpstreamOptions | undefined {
  const { upstream: url, 'upstream-key': key, 'upstream-host': host, 'no-api': withoutApi } = flags;
  if (url === undefined) {
    const alone = (['upstream-key', 'upstream-host', 'no-api'] as const).find((name) => flags[name] !== undefined);
    if (alone !== undefined) throw new UsageError(`expected --upstream URL with --${alone}`);
    return undefined;
  }
  return { url, host, withoutApi, authorization: key === undefined || key === 'same' ? key : bearerOf(key) };
}

/** The value of Authorization with the key in an environment variable, so that the key is in no list of processes. */
function bearerOf(name: string): string {
  const key = process.env[name];
  if (key === undefined || key === '')
    throw new UsageError(
      `expected --upstream-key same, or a variable of the environment with the key, got ${name}, which is not set`,
    );
  if (/^[\x21-\x7e]+$/.test(key)) return `Bearer ${key}`;
  throw new UsageError(`expected ${name} to be a key of visible ASCII characters`);
}
