import type { Connection } from './connection.js';
import { type KeptConnection, keepConnected } from './keep-connected.js';
import type { StoreTime } from './store-time.js';

/** Interval at which the store's time is read, in milliseconds. Somebody may set the store's clock. */
const measureEveryMs = 2_000;
/** Duration from which an outage of the store is reported, in milliseconds. */
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
   * Called with each connection whose store was verified to hold this log, and with `undefined` when the connection
   * ends.
   */
  readonly onChange: (connection: Connection | undefined) => void;
  /** Called if the store has lost or changed applied entries. Reconnecting then stops. */
  readonly onLost: () => void;
  readonly onError: (error: unknown) => void;
  /** Called after one second without the store. `onRecovery` receives the whole outage's length in milliseconds. */
  readonly onOutage: () => void;
  readonly onRecovery: (outageMs: number) => void;
}

/**
 * Opens the connection for writes, and a new one after each failure. Each time, checks that the store has lost no
 * entries.
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

  /** Waits until a connection to the store ends. Meanwhile reads the store's time regularly. */
  async function untilEnd(connection: Connection): Promise<void> {
    const measure = setInterval(() => time.measure(connection).catch(() => {}), measureEveryMs);
    await new Promise<void>((resolve) => connection.onEnd(resolve));
    clearInterval(measure);
  }

  return {
    /**
     * Keeps one connection for writes to Redis open, and opens another after each failure. Ends when `stop` is called,
     * or when the store has lost entries.
     * @param first an open connection, which is used first
     */
    run: kept.run,
    stop() {
      kept.stop();
      clearTimeout(reportTimer);
    },
  };
}
