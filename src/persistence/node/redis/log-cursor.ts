import { crc32 } from 'node:zlib';

/**
 * Position of an entry in the log, with a hash of this entry and all earlier ones. Equal hashes prove equal histories.
 */
export interface LogCursor {
  readonly position: number;
  /** Id that Redis assigned to this log entry in its stream. The log stores the changes of the server's state. */
  readonly id: string;
  readonly chain: number;
}

/**
 * Position (cursor) before the first entry of a log. Its hash is derived from the log's id, so the hashes of two logs
 * differ even if their entries are equal.
 */
export const beginning = (logId: string): LogCursor => ({
  position: 0,
  id: '0-0',
  chain: Number.parseInt(logId.slice(0, 8), 16),
});

/** Returns the cursor (position, id and hash) of the log entry that follows another entry. */
export const nextCursor = ({ position, chain }: LogCursor, id: string, fields: readonly string[]): LogCursor => ({
  position: position + 1,
  id,
  chain: chainOf(chain, id, fields),
});

export function chainOf(before: number, id: string, fields: readonly string[]): number {
  let chain = crc32(id, before);
  for (const field of fields) chain = crc32(field, chain);
  return chain;
}

/** Number of recent log entries whose hashes stay in memory. Other replicas of the log are compared by these hashes. */
const rememberedCursors = 65_536;

/** Hashes of the most recent log positions, to compare this server's history with that of other replicas. */
export class HashChains {
  readonly #chains = new Uint32Array(rememberedCursors);
  #first = 0;
  #last = -1;

  add({ position, chain }: Pick<LogCursor, 'position' | 'chain'>): void {
    if (position !== this.#last + 1) this.#first = position;
    this.#last = position;
    this.#chains[position % rememberedCursors] = chain;
  }

  /**
   * Compares this replica's hash of all log entries up to a position with another replica's. Returns `true` if both
   * have applied the same entries, and `undefined` if this replica no longer has the hash.
   */
  agrees(position: number, chain: number): boolean | undefined {
    if (position > this.#last) return false;
    if (position < this.#first || position <= this.#last - rememberedCursors) return undefined;
    return this.#chains[position % rememberedCursors] === chain;
  }
}
