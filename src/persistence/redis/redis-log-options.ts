import type { LogIdentity } from '../log.js';
import type { RedisAddress } from './address.js';
import type { Connection } from './connection.js';
import type { StoreKeys } from './keys.js';
import type { LogCursor } from './log-cursor.js';
import type { StoreTime } from './store-time.js';

/** Callbacks for a log in a Redis store, which report outages, lost entries and differences between replicas. */
export interface RedisLogHost {
  /**
   * Called if the store has lost or changed applied entries, or other replicas have applied different entries. The
   * caller must open the log again.
   */
  onLost(reason: string): void;
  /** Called if this replica's state differs from another replica's snapshot. */
  onDiverged(sentence: string): void;
  /**
   * Called if this server and the replica that wrote a log entry have responded differently to the requests of the
   * entry.
   */
  onDisagreement(position: number, writer: string): void;
  /** Called if the store has been unreachable for one second. */
  onOutage(): void;
  onRecovery(outageMs: number): void;
  /** Returns the names of the live replicas, according to the log. */
  liveReplicas(): readonly string[];
  onError(error: unknown): void;
}

export interface RedisLogOptions {
  readonly address: RedisAddress;
  readonly keys: StoreKeys;
  readonly version: string;
  readonly identity: LogIdentity;
  readonly writer: string;
  readonly incarnation: number;
  /** Log position after which entries are read. */
  readonly from: LogCursor;
  readonly snapshot: { readonly position: number; readonly bytes: number } | undefined;
  readonly minimumLogBytes: number;
  readonly time: StoreTime;
  readonly connection: Connection;
  readonly host: RedisLogHost;
}

/** Health of a log in a Redis store, as this server sees it. */
export interface RedisLogHealth {
  /** Time since this server had last applied every entry of the log, in milliseconds; 0 if it is up to date. */
  readonly lagMs: number;
  /** Whether the store is unreachable, so that the state may be old. */
  readonly stale: boolean;
}
