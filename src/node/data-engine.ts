import type { DataOptions, FolderState } from './folder-engine.js';
import type { Engine } from './serve-state.js';
import type { StoreState } from './store-engine.js';

/** Whether `--data` is the address of a store, not a folder. */
export const isRedisAddress = (data: string): boolean => /^rediss?:/i.test(data);

/**
 * State in a folder or, for an address, in a store. Opening it fails with a `LogOpenError` for unusable data.
 * @throws {LogOpenError} for a malformed address
 */
export async function dataEngine(
  data: string,
  options: Omit<DataOptions, 'folder'>,
): Promise<Engine<FolderState | StoreState>> {
  // Imported here, so that a server loads only its own engine.
  if (!isRedisAddress(data)) return (await import('./folder-engine.js')).folderEngine({ ...options, folder: data });
  const [{ readRedisAddress }, { storeEngine }] = await Promise.all([
    import('../persistence/redis/address.js'),
    import('./store-engine.js'),
  ]);
  return storeEngine({ ...options, address: readRedisAddress(data) });
}
