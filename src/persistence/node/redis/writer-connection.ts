import type { Connection } from './connection.js';
import { type KeptConnection, keepConnected } from './keep-connected.js';
import type { StoreTime } from './store-time.js';

/**
 * Interval at which the current time of the Redis server is read. Repeated readings are necessary, because an operator
 * can change the clock of the Redis server.
 */
const measureEveryMs = 2_000;
/** Minimum duration of a reported outage of Redis, which stores the servers' log. */
const reportAfterMs = 1_000;

export interface WriterConnectionOptions {
  readonly time: StoreTime;
  readonly connect: () => Promise<Connection>;
  /**
   * Whether the store still contains the last applied entry, unchanged.
   * @throws {StoreUnavailableError} if the connection fails
   */
  readonly isIntact: (connection: Connection) => Promise<boolean>;
  /**
   * Called with each new connection, after a check that the Redis store still contains the last applied log entry
   * unchanged. Called with `undefined` when the connection ends.
   */
  readonly onChange: (connection: Connection | undefined) => void;
  /**
   * Called if Redis has lost or changed log entries that this server has already applied. The server then stops
   * reconnecting.
   */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
  /**
   * Called when Redis has been unreachable for one second. When Redis is reachable again, `onRecovery` receives the
   * length of the whole outage in milliseconds.
   */
  readonly onOutage: () => void;
  readonly onRecovery: (outageMs: number) => void;
}

/**
 * Keeps a connection to the Redis store for appending log entries, and reconnects after each failure. A new connection
 * is used only after a check that the store has lost no log entries.
 */
export function createWriterConnection(options: WriterConnectionOptions): Pick<KeptConnection, 'run' | 'stop'> {
  const { time, isIntact, onChange, onLost, onOutage, onRecovery } = options;
  /** Start of the current outage of Redis by `performance.now()`, and the timer after which it is reported. */
  let outageStartMs: number | undefined;
  let reportTimer: ReturnType<typeof setTimeout> | undefined;
  let isReported = false;
  const kept = keepConnected({
    ...options,
    async use(connection, noteUse) {
      if (!(await isUsable(connection))) return;
      noteUse();
      endOutage();
      onChange(connection);
      await untilEnd(connection);
    },
    onEnd(connection) {
      onChange(undefined);
      startOutage(connection);
    },
  });

  async function isUsable(connection: Connection): Promise<boolean> {
    await time.measure(connection);
    const isUnchanged = await isIntact(connection);
    if (!isUnchanged && !kept.isOver) onLost();
    return !kept.isOver;
  }

  function startOutage(connection: Connection | undefined): void {
    if (outageStartMs !== undefined) return;
    const nowMs = performance.now();
    outageStartMs = connection?.silentSinceMs ?? nowMs;
    reportTimer = setTimeout(
      () => {
        isReported = true;
        onOutage();
      },
      outageStartMs + reportAfterMs - nowMs,
    );
  }

  function endOutage(): void {
    clearTimeout(reportTimer);
    if (isReported) onRecovery(performance.now() - (outageStartMs as number));
    isReported = false;
    outageStartMs = undefined;
  }

  /**
   * Reads the clock of the Redis server at regular intervals until the connection ends, because an operator can set
   * that clock.
   */
  async function untilEnd(connection: Connection): Promise<void> {
    const measure = setInterval(() => time.measure(connection).catch(() => {}), measureEveryMs);
    await new Promise<void>((resolve) => connection.onEnd(resolve));
    clearInterval(measure);
  }

  return {
    /**
     * Keeps one connection for writing to Redis open, and reconnects after each failure.
     * @param first open connection that is used first
     */
    run: kept.run,
    stop() {
      kept.stop();
      clearTimeout(reportTimer);
    },
  };
}
