import { LogUnavailableError } from '../../log.js';
import { leaseMs, type Store, type TurnReply } from './store.js';

/** Interval of the lease's renewals. */
const renewMs = 500;
/** Duration of an outage from which it is reported. */
const reportedMs = 1_000;
/** Time without a reply of the store after which a turn ends, so that its requests end too. */
export const maximumSilenceMs = 10_000;

export interface LeaseOptions {
  readonly store: Pick<Store, 'renew'>;
  readonly fence: string;
  /** Value of `performance.now()` when the turn was requested. */
  readonly takenMs: number;
  readonly configuration: () => string;
  /** Called once if the turn has ended: another one has begun, the log is gone, or the store is silent. */
  readonly onLost: (reason: Exclude<TurnReply, 'stored'> | 'silent') => void;
  /** Called after one second without a reply, and with the length of the outage when a reply arrives. */
  readonly onOutage: () => void;
  readonly onRecovery: (outageMs: number) => void;
}

/** Claim of the active server to be the only one, which it renews while its turn lasts. */
export interface Lease {
  /** Time since the last reply of the store. */
  readonly silentMs: number;
  /**
   * Resolves when the store has confirmed the lease within its duration, measured by a monotonic clock; `undefined` if
   * it has. Rejects with a {LogUnavailableError} if the store refuses the renewal.
   */
  confirm(): Promise<void> | undefined;
  stop(): void;
}

export function createLease({
  store,
  fence,
  takenMs,
  configuration,
  onLost,
  onOutage,
  onRecovery,
}: LeaseOptions): Lease {
  /** Times of `performance.now()` at which the last confirmed renewal was sent, and at which the last reply arrived. */
  let confirmedMs = takenMs;
  let heardMs = takenMs;
  let waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let isRenewing = false;
  /**
   * Number of renewals that were due while one had no reply. Counted instead of measured, because replies that arrived
   * while the process was paused are read only after a timer.
   */
  let missed = 0;
  let isStopped = false;

  const takeWaiting = () => {
    const taken = waiting;
    waiting = [];
    return taken;
  };

  async function renew(): Promise<void> {
    if (isRenewing || isStopped) return;
    isRenewing = true;
    const sentMs = performance.now();
    let reply: TurnReply | Error;
    try {
      reply = await store.renew(fence, configuration());
    } catch (error) {
      reply = error as Error;
    }
    isRenewing = false;
    if (isStopped) return;
    if (missed * renewMs >= reportedMs) onRecovery(performance.now() - heardMs);
    missed = 0;
    heardMs = performance.now();
    if (reply instanceof Error) {
      for (const { reject } of takeWaiting()) reject(new LogUnavailableError(reply.message));
    } else if (reply === 'stored') {
      confirmedMs = sentMs;
      for (const { resolve } of takeWaiting()) resolve();
    } else lose(reply);
  }

  function lose(reason: Parameters<typeof onLost>[0]): void {
    stop();
    onLost(reason);
  }

  const timer = setInterval(() => {
    if (!isRenewing) return void renew();
    missed++;
    if (missed * renewMs === reportedMs) onOutage();
    if (missed * renewMs >= maximumSilenceMs) lose('silent');
  }, renewMs);

  function stop(): void {
    isStopped = true;
    clearInterval(timer);
  }

  return {
    get silentMs() {
      return Math.round(performance.now() - heardMs);
    },
    confirm() {
      if (performance.now() - confirmedMs < leaseMs) return undefined;
      return new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
        void renew();
      });
    },
    stop,
  };
}
