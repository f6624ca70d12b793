import type { Engine } from '../../server/serve-state.js';
import { LogOpenError } from '../log.js';
import type { DataOptions, FolderState } from './folder-engine.js';
import type { SharedOptions, SharedState } from './shared-engine.js';

/** Whether the value of `--data` is the address of a Redis server. Any other value is a folder. */
export const isRedisAddress = (data: string): boolean => /^rediss?:/i.test(data);

/**
 * Returns the storage engine for the value of `--data`, which is a folder or the address of a Redis server.
 * @throws {LogOpenError} for a malformed address, and for an option that the other kind of storage has
 */
export async function dataEngine(
  data: string,
  options: Omit<DataOptions, 'folder'> & Pick<SharedOptions, 'advertise'>,
): Promise<Engine<FolderState | SharedState>> {
  const isRedis = isRedisAddress(data);
  if (isRedis && options.fsync)
    throw new LogOpenError('expected fsync with a folder, got a store, which has its own setting for flushes');
  if (!isRedis && options.advertise !== undefined)
    throw new LogOpenError('expected advertise with the address of a store, which several servers share, got a folder');
  // Imports only the required storage engine, so that servers start faster.
  if (!isRedis) return (await import('./folder-engine.js')).folderEngine({ ...options, folder: data });
  const [{ readRedisAddress }, { sharedEngine }] = await Promise.all([
    import('./redis/address.js'),
    import('./shared-engine.js'),
  ]);
  return sharedEngine({ ...options, address: readRedisAddress(data) });
}
