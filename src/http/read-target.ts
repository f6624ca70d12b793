import type { IncomingMessage } from 'node:http';

/** Path and query of a request, relative to the base path of the API. */
interface Target {
  readonly text: string;
  readonly path: string;
  readonly query: string;
}

/** Parses a request target, such as `/v1/pets?limit=20`, from the index `start` on. */
export function readTarget(url = '', start = 0): Target {
  const text = url.slice(start);
  const mark = text.indexOf('?');
  return { text, path: mark < 0 ? text : text.slice(0, mark), query: mark < 0 ? '' : text.slice(mark + 1) };
}

/**
 * Start of the URL that a client requested. Uses the loopback address for a request without a Host header, as in
 * HTTP/1.0.
 * @param publicUrl URL under which clients reach the server, which a proxy does not pass on
 */
export const originOf = ({ headers, socket }: IncomingMessage, publicUrl: string | undefined): string =>
  publicUrl ?? `http://${headers.host ?? `127.0.0.1:${socket.localPort}`}`;
