import type { UpstreamOptions } from '../node/custom-routes/upstream.js';
import { UsageError } from '../node/usage-error.js';

/** Flags of a command whose server forwards requests to a backend. */
export interface UpstreamFlags {
  upstream?: string;
  'upstream-key'?: string;
  'upstream-host'?: string;
  'no-api'?: boolean;
}

/** Converts the flags to options of the server. @throws {UsageError} */
export function readUpstreamFlags(flags: UpstreamFlags): UpstreamOptions | undefined {
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
