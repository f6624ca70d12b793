import { type Connection, StoreRefusedError } from './connection.js';

/** Settings of the Redis store that prevent lost log entries: name, required value and the risk of any other value. */
const safeSettings = [
  ['appendonly', 'yes', 'loses all data when it stops'],
  ['maxmemory-policy', 'noeviction', 'may evict the log when its memory is full'],
] as const;

/**
 * Returns a warning for each Redis setting with which Redis can lose log entries. Also warns if Redis hides its
 * settings, or does not require the password of its address.
 */
export async function storeWarnings(connection: Connection): Promise<string[]> {
  const values = await Promise.all(safeSettings.map(([name]) => setting(connection, name)));
  const risks = safeSettings.flatMap(([name, expected, risk], index) => {
    const value = values[index];
    return value === undefined || value === expected
      ? []
      : `The store ${risk}: expected "${name} ${expected}" in its settings, got ${JSON.stringify(value)}.`;
  });
  const hidden = 'The store does not show its settings; expected "appendonly yes" and "maxmemory-policy noeviction".';
  const open = 'The store does not require the password of its address: everybody who reaches it can change the state.';
  return [...(connection.isPasswordNeedless ? [open] : []), ...(values.includes(undefined) ? [hidden] : []), ...risks];
}

/**
 * Reads a setting of the Redis server by CONFIG GET; `undefined` if the server refuses the command, as managed Redis
 * services do.
 */
async function setting(connection: Connection, name: string): Promise<string | undefined> {
  try {
    const [, value] = (await connection.call('CONFIG', 'GET', name)) as [string?, string?];
    return value;
  } catch (error) {
    if (error instanceof StoreRefusedError) return undefined;
    throw error;
  }
}
