import { type ClientRequest, get } from 'node:http';
import { type Address, activeServerPath, stoppingLine } from '../../../server/front.js';

/**
 * Connection of a standby to the active server, by which it knows at once that the active server has ended. The
 * standby trusts an address only after it has responded with the fence of the current turn.
 */
export interface Link {
  readonly fence: string;
  /** Whether the active server has responded with its fence, and the connection is open. */
  readonly isUp: boolean;
  /** Whether the connection was up before. */
  readonly wasUp: boolean;
  /** Whether the active server has ended: the connection was up, and its address refuses new ones. */
  readonly isDead: boolean;
  /** Connects, unless a connection is open or being made. */
  open(): void;
  close(): void;
}

/** @param onChange called after each change of the link */
export function createLink({ host, port }: Address, fence: string, onChange: () => void): Link {
  let request: ClientRequest | undefined;
  let [isUp, wasUp, isDead, isStopping, isClosed] = [false, false, false, false, false];

  function ended(error?: NodeJS.ErrnoException): void {
    if (request === undefined || isClosed) return;
    request = undefined;
    const wasOpen = isUp;
    isUp = false;
    // A server that stops in order refuses connections as well, while it writes its last snapshot.
    if (wasUp && !isStopping && error?.code === 'ECONNREFUSED') isDead = true;
    if (wasOpen && !isStopping) open();
    if (wasOpen || isDead) onChange();
  }

  function open(): void {
    if (request !== undefined || isClosed) return;
    const opened = get({ host, port, path: activeServerPath, headers: { host: 'localhost' }, agent: false });
    request = opened;
    let text = '';
    opened
      .on('error', (error) => request === opened && ended(error))
      .on('response', (response) => {
        response
          .setEncoding('utf8')
          .on('error', () => {})
          .on('data', (chunk) => {
            text += chunk;
            if (request !== opened) return;
            if (text.endsWith(stoppingLine)) isStopping = true;
            if (isUp || response.statusCode !== 200 || !text.startsWith(`${fence}\n`)) return;
            isUp = true;
            wasUp = true;
            onChange();
          })
          .once('close', () => request === opened && ended());
      });
  }

  return {
    fence,
    get isUp() {
      return isUp;
    },
    get wasUp() {
      return wasUp;
    },
    get isDead() {
      return isDead;
    },
    open,
    close() {
      isClosed = true;
      request?.destroy();
    },
  };
}
