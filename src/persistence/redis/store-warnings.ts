import { type Connection, StoreRefusedError } from './connection.js';

/** What of the store's own settings could lose entries. Empty where all is well. */
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
      `The store keeps nothing when it ends: expected "appendonly yes" in its settings, got ${JSON.stringify(appendonly)}.`,
    );
  }
  if (policy !== undefined && policy !== 'noeviction') {
    warnings.push(
      `The store may drop the log when its memory is full: expected "maxmemory-policy noeviction" in its settings, got ${JSON.stringify(policy)}.`,
    );
  }
  return warnings;
}

/** Managed stores do not show their settings to everybody. */
async function setting(connection: Connection, name: string): Promise<string | undefined> {
  try {
    const [, value] = (await connection.call('CONFIG', 'GET', name)) as [string?, string?];
    return value;
  } catch (error) {
    if (error instanceof StoreRefusedError) return undefined;
    throw error;
  }
}
