import type { LogIdentity } from '../../log.js';
import type { RedisAddress } from './address.js';
import type { Connection } from './connection.js';
import type { StoreKeys } from './keys.js';
import type { LogCursor } from './log-cursor.js';
import type { StoreTime } from './store-time.js';

/** Callbacks for a log in a Redis store, which report outages, lost entries and differences between replicas. */
export interface RedisLogHost {
  /**
   * Called if log entries that this server has applied are missing or changed in Redis, or if other replicas have
   * applied different entries. The caller must open the log again.
   */
  onLost(reason: string): void;
  /** Called if this replica's state differs from another replica's snapshot. */
  onDiverged(sentence: string): void;
  /**
   * Called if this server computed other responses for the requests in a log entry than the server that wrote the
   * entry.
   * @param position number of the entry
   * @param writer name of the other server
   */
  onDisagreement(position: number, writer: string): void;
  /** Callback: Redis has been unreachable for one second. */
  onOutage(): void;
  onRecovery(outageMs: number): void;
  /** Returns the names of the live replicas: servers that share this log, and have recently written an entry. */
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
  readonly minimumLogCharacters: number;
  readonly time: StoreTime;
  readonly connection: Connection;
  readonly host: RedisLogHost;
}

/**
 * State of this server's copy of the log in a Redis store that several servers share: its lag, and whether the store is
 * unreachable.
 */
export interface RedisLogHealth {
  /**
   * Time since this server had last applied every entry of the log in Redis that several servers share. 0 if the server
   * is up to date.
   */
  readonly lagMs: number;
  /**
   * Whether this server has had no contact with Redis for two seconds, or has no connection. The server's state may
   * then lack changes by other servers.
   */
  readonly stale: boolean;
}
