import type { Update, UpdatesSince } from '../control-api/update-stream.js';

/** Source of the page's data: a server, a simulator in the same page, or a file. */
export interface Source {
  readonly kind: 'server' | 'page' | 'file';
  /** Names of the server's sandboxes. */
  sandboxes?(): Promise<string[]>;
  /** Base URL of the API for copied commands: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string;
  /**
   * Sends a control request; the path is below the control URL.
   * @throws {SourceError} with the message of the control API
   */
  send<Result>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, input?: object): Promise<Result>;
  /** Downloads an exported file, such as a HAR, and returns its text. */
  text(path: string): Promise<string>;
  /** Passes updates to `take` until `signal` is aborted or the connection is lost. @throws {SourceError} */
  watch(since: UpdatesSince, take: (update: Update) => void, signal: AbortSignal): Promise<void>;
}

/** Error response of a control API; `status` is 0 without a response. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
