import type { Engine } from '../../server/serve-state.js';
import type { DataOptions, FolderState } from './folder-engine.js';
import type { StoreState } from './store-engine.js';

/** Whether the value of `--data` is the address of a Redis server. Any other value is a folder. */
export const isRedisAddress = (data: string): boolean => /^rediss?:/i.test(data);

/**
 * Returns the storage engine for the value of `--data`, which is a folder or the address of a Redis server.
 * @throws {LogOpenError} for a malformed Redis address
 */
export async function dataEngine(
  data: string,
  options: Omit<DataOptions, 'folder'>,
): Promise<Engine<FolderState | StoreState>> {
  // Imports only the required storage engine, so that servers start faster.
  if (!isRedisAddress(data)) return (await import('./folder-engine.js')).folderEngine({ ...options, folder: data });
  const [{ readRedisAddress }, { storeEngine }] = await Promise.all([
    import('./redis/address.js'),
    import('./store-engine.js'),
  ]);
  return storeEngine({ ...options, address: readRedisAddress(data) });
}
