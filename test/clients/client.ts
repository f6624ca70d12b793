/** One call of the application under test, before any retry. */
export interface Sent {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body?: string;
}

/** Makes one call, with all the retries that the client makes of it. What the caller gets in the end is not judged. */
export type Send = (sent: Sent, signal: AbortSignal) => Promise<unknown>;

/** Resolves after a time, or rejects when the signal aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
