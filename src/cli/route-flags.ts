import type { UpstreamOptions } from '../own-routes/node/upstream.js';
import { basePath } from '../petstore/document.js';
import { readsForm } from '../requests/reads.js';
import { anyOperation } from '../scenario/operations.js';
import type { ListenOptions } from '../server/server.js';
import { UsageError } from '../validation/usage-error.js';
import { variableName } from '../values/mask-key.js';

/** Server options from command-line flags: custom request handlers, and a backend to which requests are forwarded. */
export type RoutesFromFlags = Pick<ListenOptions, 'handlers' | 'openapi' | 'upstream'>;

/**
 * Operation names that a scenario may contain. With custom routes any name is allowed, because the server checks the
 * names after it has loaded the routes.
 */
export const operationsWith = ({ handlers, upstream }: RoutesFromFlags = {}) =>
  (handlers ?? upstream) === undefined ? undefined : anyOperation;

/** Flags for custom routes, of commands that start a server. */
export interface RouteFlags {
  handlers?: string;
  upstream?: string;
  'upstream-key'?: string;
  'upstream-host'?: string;
  'no-api'?: boolean;
  reads?: string[];
}

const upstreamFlags = ['upstream-key', 'upstream-host', 'no-api', 'reads'] as const;

/** Names of the flags for custom routes. */
export const routeFlagNames = ['handlers', 'upstream', ...upstreamFlags] as const;

/**
 * Returns the base URL for clients: without the base path `/v1` if a backend of the user serves all requests. Such a
 * backend may have paths outside `/v1`.
 */
export const baseUrlFor = (baseUrl: string, { upstream }: Pick<RoutesFromFlags, 'upstream'>): string =>
  isWithoutApi(upstream) ? baseUrl.slice(0, -basePath.length) : baseUrl;

/** Whether the user's backend serves the operations of the API too. */
export const isWithoutApi = (upstream: RoutesFromFlags['upstream']): boolean =>
  typeof upstream === 'object' && upstream.withoutApi === true;

/** Converts the flags for custom routes to options of the server. @throws {UsageError} for an invalid flag */
export async function readRouteFlags(flags: RouteFlags): Promise<RoutesFromFlags> {
  const { handlers: file } = flags;
  const upstream = upstreamOf(flags);
  if (upstream !== undefined) await checkUpstream(upstream);
  // Loads the modules for `--handlers` (the user's own routes) and `--upstream` (the user's backend) only with these
  // flags. The modules load packages that most servers do not need.
  const mounted =
    file === undefined
      ? undefined
      : await (await import('../own-routes/node/handlers-file.js')).readHandlers(file, basePath);
  return { ...mounted, ...(upstream && { upstream }) };
}

/**
 * Checks the settings of the user's backend, to which requests are forwarded.
 * @throws {UsageError} if the backend's URL is unusable
 */
async function checkUpstream(upstream: UpstreamOptions): Promise<void> {
  const { createUpstream } = await import('../own-routes/node/upstream.js');
  try {
    createUpstream(upstream);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  }
}

/**
 * Checks the values of the flag `--reads`: requests that only read, although their method is unsafe.
 * @throws {UsageError} for a value that is no method and path
 */
export function readsOf(texts: readonly string[] = []): readonly string[] {
  const wrong = texts.find((text) => !readsForm.test(text));
  if (wrong === undefined) return texts;
  throw new UsageError(
    `expected --reads to be a method and a path, such as 'POST /graphql', got ${JSON.stringify(wrong)}`,
  );
}

function upstreamOf(flags: RouteFlags): UpstreamOptions | undefined {
  const { upstream: url, 'upstream-key': key, 'upstream-host': host, 'no-api': withoutApi } = flags;
  const reads = readsOf(flags.reads);
  if (url === undefined) {
    const alone = upstreamFlags.find((name) => flags[name] !== undefined);
    if (alone !== undefined) throw new UsageError(`expected --upstream URL with --${alone}, got no --upstream`);
    return undefined;
  }
  return { url, host, withoutApi, reads, credentials: key === undefined || key === 'same' ? key : credentialsOf(key) };
}

/**
 * Reads the value of `--upstream-key`: `NAME`, or `header X-Api-Key=NAME`. The key comes from an environment variable,
 * because process lists show command lines.
 * @returns headers of the requests to the backend
 */
function credentialsOf(text: string): Record<string, string> {
  const [, header, inHeader] = /^header ([\w-]+)=(\w+)$/.exec(text) ?? [];
  const name = inHeader ?? text;
  const key = process.env[name];
  if (key === undefined || key === '')
    throw new UsageError(
      `expected --upstream-key to be same, an environment variable with the key, or 'header X-Api-Key=VARIABLE', got ${variableName(name)}, which is not set`,
    );
  if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError(`expected ${name} to be a key of visible ASCII characters`);
  return header === undefined ? { Authorization: `Bearer ${key}` } : { [header]: key };
}
