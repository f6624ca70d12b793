import type { LogBirth } from '../log.js';
import type { RedisAddress } from './address.js';
import type { Connection } from './connection.js';
import type { StoreKeys } from './keys.js';
import type { LogCursor } from './log-cursor.js';
import type { StoreTime } from './store-time.js';

/** What a log needs of those who use it. */
export interface RedisLogHost {
  /** Entries that were applied are not in the store any more, or others have a different past: the log is to be read anew. */
  onLost(reason: string): void;
  /** The state here is not that of the replica that wrote a snapshot. */
  onDiverged(sentence: string): void;
  /** Another replica has answered an entry otherwise than this one. */
  onDisagreement(position: number, writer: string): void;
  /** The store has been away for a second. */
  onAway(): void;
  onBack(awayMs: number): void;
  /** The replicas that are there, as the log says. */
  liveReplicas(): readonly string[];
  onError(error: unknown): void;
}

export interface RedisLogOptions {
  readonly address: RedisAddress;
  readonly keys: StoreKeys;
  readonly version: string;
  readonly birth: LogBirth;
  readonly writer: string;
  readonly incarnation: number;
  /** Where it is read from. */
  readonly from: LogCursor;
  readonly snapshot: { readonly position: number; readonly bytes: number } | undefined;
  readonly leastLogBytes: number;
  readonly time: StoreTime;
  readonly connection: Connection;
  readonly host: RedisLogHost;
}

/** How far a log in a store is, as this process sees it. */
export interface RedisLogHealth {
  /** For how many milliseconds it has not been known that everything is applied; 0: it is. */
  readonly lagMs: number;
  /** Whether the store cannot be reached. */
  readonly stale: boolean;
}
