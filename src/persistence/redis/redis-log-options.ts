import type { LogBirth } from '../log.js';
import type { RedisAddress } from './address.js';
import type { Connection } from './connection.js';
import type { StoreKeys } from './keys.js';
import type { LogCursor } from './log-cursor.js';
import type { StoreTime } from './store-time.js';

/** Callbacks of a log in a store. */
export interface RedisLogHost {
  /** Applied entries are missing or changed in the store, or other replicas have other ones; open the log again. */
  onLost(reason: string): void;
  /** The state of this replica differs from a snapshot by another replica. */
  onDiverged(sentence: string): void;
  /** Another replica responded differently to an entry. */
  onDisagreement(position: number, writer: string): void;
  /** The store has been unreachable for one second. */
  onOutage(): void;
  onRecovery(outageMs: number): void;
  /** Names of the live replicas, according to the log. */
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
  /** Start of the entries to read. */
  readonly from: LogCursor;
  readonly snapshot: { readonly position: number; readonly bytes: number } | undefined;
  readonly leastLogBytes: number;
  readonly time: StoreTime;
  readonly connection: Connection;
  readonly host: RedisLogHost;
}

/** State of a log in a store, as seen by this process. */
export interface RedisLogHealth {
  /** Time since the last moment at which all entries were applied, in milliseconds; 0 if all are applied now. */
  readonly lagMs: number;
  /** Whether the store is unreachable. */
  readonly stale: boolean;
}
