import { type Connection, StoreRefusedError } from './connection.js';

/** Returns warnings about settings with which the store can lose entries. */
export async function storeWarnings(connection: Connection): Promise<string[]> {
  const [appendonly, policy] = await Promise.all([
    setting(connection, 'appendonly'),
    setting(connection, 'maxmemory-policy'),
  ]);
  const warnings: string[] = [];
  if (appendonly === undefined || policy === undefined) {
    warnings.push('The store does not show its settings; expected "appendonly yes" and "maxmemory-policy noeviction".');
  }
  if (appendonly !== undefined && appendonly !== 'yes') {
    warnings.push(
      `The store loses all data when it stops: expected "appendonly yes" in its settings, got ${JSON.stringify(appendonly)}.`,
    );
  }
  if (policy !== undefined && policy !== 'noeviction') {
    warnings.push(
      `The store may evict the log when its memory is full: expected "maxmemory-policy noeviction" in its settings, got ${JSON.stringify(policy)}.`,
    );
  }
  return warnings;
}

/** Reads a setting of the store; `undefined` if the store hides its settings, as managed services do. */
async function setting(connection: Connection, name: string): Promise<string | undefined> {
  try {
    const [, value] = (await connection.call('CONFIG', 'GET', name)) as [string?, string?];
    return value;
  } catch (error) {
    if (error instanceof StoreRefusedError) return undefined;
    throw error;
  }
}
