import type { Update, UpdatesSince } from '../control-api/update-stream.js';

/** Where the page gets what it shows: a server, a simulator in the same page, or a file. */
export interface Source {
  readonly kind: 'server' | 'page' | 'file';
  /** The names of the server's sandboxes. */
  sandboxes?(): Promise<string[]>;
  /** Where a client reaches the API, for commands to copy: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string;
  /**
   * Sends a control request; the path is below the control URL.
   * @throws {SourceError} with what the control API answered
   */
  send<Result>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, input?: object): Promise<Result>;
  /** An export as text. */
  text(path: string): Promise<string>;
  /** Gives updates until `signal` is aborted or the connection is lost. @throws {SourceError} */
  watch(since: UpdatesSince, take: (update: Update) => void, signal: AbortSignal): Promise<void>;
}

/** What a control API refused; `status` 0 where none answered. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
