import { isRedisAddress } from '../node/redis-address.js';
import { UsageError } from '../node/usage-error.js';
import { program } from './program.js';

/** Flags of a server that writes a log, and those that exclude it. */
export interface DataFlags {
  data?: string;
  'data-reset'?: boolean;
  fsync?: boolean;
  handlers?: string;
  record?: string;
}

/** Checks the flags of a server that writes a log. @throws {UsageError} for flags that exclude each other */
export function checkDataFlags({ data, 'data-reset': reset, fsync, handlers, record }: DataFlags): void {
  if (data !== undefined && record !== undefined) {
    throw new UsageError(`expected either --data or --record: ${program} replay takes the folder of --data as well`);
  }
  if (data === undefined && reset)
    throw new UsageError('expected --data with --data-reset: a folder, or the address of a store');
  if (data === undefined && fsync) throw new UsageError('expected --data FOLDER with --fsync');
  if (data !== undefined && !isRedisAddress(data) && /^[a-z][a-z0-9+.-]*:\/\//i.test(data)) {
    throw new UsageError(
      `expected --data with a folder, or the address of a store (redis://127.0.0.1:6379/0?name=staging, for Valkey as well), got ${JSON.stringify(data)}`,
    );
  }
  if (fsync && isRedisAddress(data ?? '')) {
    throw new UsageError(
      'expected --fsync with a folder, got a store; when that writes to its disk is a setting of its own',
    );
  }
  if ((data ?? record) !== undefined && handlers !== undefined) {
    const flag = data === undefined ? '--record' : '--data';
    throw new UsageError(
      `expected either ${flag} or --handlers: what handlers of your own change could not be written down`,
    );
  }
}
