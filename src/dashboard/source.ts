import type { Update, UpdatesSince } from '../control-api/update-stream.js';

/** Source of the dashboard's data: a server, a simulator in the same page, or a file. */
export interface Source {
  readonly kind: 'server' | 'page' | 'file';
  /**
   * Sends a control request to the server itself, also if the dashboard shows a sandbox. The method is absent if the
   * dashboard shows a file, or a simulator in the same web page.
   */
  sendToServer?: Source['send'];
  /** Base URL of the API from this page's origin. Absent without a server. */
  readonly apiUrl?: string;
  /** Base URL of the API, for copied commands: `http://127.0.0.1:4010/v1`. */
  readonly baseUrl: string;
  /** Facts about the server in words: `state is stored`. */
  readonly about?: string;
  /** Storage for the requests that a reset removed and for fault rules as written. Absent for a file. */
  readonly storage?: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  /**
   * Sends a control request. The path is relative to the control URL; a text is the body as it is.
   * @throws {SourceError} with the message of the control API
   */
  send<Result>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, input?: object | string): Promise<Result>;
  /** Downloads an exported file, such as a HAR, and returns its text. */
  text(path: string): Promise<string>;
  /** Whether the server requires a control token that this browser does not have. Absent without a server. */
  isLocked?(): Promise<boolean>;
  /**
   * Passes updates about the simulator to `take` until `signal` is aborted.
   * @returns whether the source interrupted the updates itself, and the next call continues them
   * @throws {SourceError} if the connection to the server is lost
   */
  watch(since: UpdatesSince, take: (update: Update) => void, signal: AbortSignal): Promise<boolean>;
}

/**
 * Returns the path and query of the update stream, which starts after the entries and changes that the dashboard
 * already has.
 */
export const updatesPath = (since: UpdatesSince): string =>
  `/updates?${new URLSearchParams(Object.entries(since).map(([name, value]) => [name, String(value)]))}`;

/**
 * Parses JSON. An integer that a number would round, such as an id of a pet, becomes its text, which the control API
 * accepts in place of the number. Browsers before 2025 lack the source text, and round.
 */
export const parseExact = (text: string) => JSON.parse(text, /\d{16}/.test(text) ? keepInteger : undefined);

const keepInteger = (_: string, value: unknown, { source = '' }: { source?: string } = {}) =>
  /^-?\d{16,}$/.test(source) && !Number.isSafeInteger(value) ? source : value;

/** Failed control request; `status` is 0 if no response arrived. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
