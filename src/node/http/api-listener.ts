import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Answer, ApiCall } from '../../adapters/api-call.js';
import { createConnections } from '../../adapters/fetch.js';
import { basePath } from '../../contract/document.js';
import { maximumBodyBytes } from '../../contract/settings.js';
import type { Simulator } from '../../simulator/simulator.js';
import { corsHeaders, isPreflight, preflightHeaders } from './cors.js';
import { holdRefusal } from './hold-refusals.js';
import { createWireFaults, goneSignal } from './wire-faults.js';

/** Told of every answer of the API, when it has been handed to the socket. */
export type OnAnswer = (request: IncomingMessage, answer: Answer, durationMs: number) => void;

/**
 * Answers requests under a base path from the simulator, straight on `node:http`.
 * @param options.base what the target of every request begins with
 * @param options.holdRefusals sends refusals some 20 ms later, so that the judge can tell parallel requests from serial ones
 */
export function createApiListener(
  sim: Simulator,
  onAnswer: OnAnswer | undefined,
  { base = basePath, holdRefusals = false }: { base?: string; holdRefusals?: boolean | undefined } = {},
) {
  const hold = holdRefusals ? holdRefusal : undefined;
  const connectionOf = createConnectionNumbers();
  const wireFaults = createWireFaults(sim.clock);
  /** @param read the body, where it has been read already */
  return (request: IncomingMessage, response: ServerResponse, read?: Uint8Array): void => {
    const startMs = onAnswer === undefined ? 0 : performance.now();
    const cors = corsHeaders(request.headers.origin, sim.settings.cors);
    if (isPreflight(request) && sim.settings.cors !== 'off') {
      response.writeHead(204, cors && { ...cors, ...preflightHeaders(request) }).end();
      return;
    }
    const deliver = (answer: Answer) => {
      if (answer.wire === undefined) send(response, answer, cors);
      else wireFaults.send(request, response, answer, answer.wire, cors);
      onAnswer?.(request, answer, performance.now() - startMs);
    };
    const answerWith = (body: Uint8Array | undefined) => {
      if (wireFaults.isLost(request)) return;
      const answer = sim.handle(new HttpCall(request, response, base, body, connectionOf(request.socket), hold));
      if (!(answer instanceof Promise)) return deliver(answer);
      // The wait of a fault ended early: the client has gone, or the simulator was reset.
      answer.then(deliver, () => response.destroy());
    };
    if (read === undefined && hasBody(request)) readBody(request, answerWith);
    else answerWith(read);
  };
}

/** A request as the simulator takes it. A class, since V8 gives every object literal with a getter a shape of its own. */
class HttpCall implements ApiCall {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #base: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: Uint8Array | undefined;
  readonly connection: number;
  readonly hold: ApiCall['hold'];

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    base: string,
    body: Uint8Array | undefined,
    connection: number,
    hold: ApiCall['hold'],
  ) {
    const target = (request.url ?? '').slice(base.length);
    const mark = target.indexOf('?');
    this.#request = request;
    this.#response = response;
    this.#base = base;
    this.method = request.method ?? '';
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.query = mark < 0 ? '' : target.slice(mark + 1);
    this.body = body;
    this.connection = connection;
    this.hold = hold;
  }

  get baseUrl(): string {
    return `http://${this.#request.headers.host}${this.#base}`;
  }

  header(name: string): string | undefined {
    return this.#request.headers[name] as string | undefined;
  }

  get signal(): AbortSignal {
    return goneSignal(this.#request, this.#response);
  }
}

/** Numbers connections in the order of their first request; one that is closed leaves its number to the next. */
function createConnectionNumbers(): (socket: Socket) => number {
  const numbers = new WeakMap<Socket, number>();
  const { take, free } = createConnections();
  return (socket) => {
    const known = numbers.get(socket);
    if (known !== undefined) return known;
    const connection = take();
    numbers.set(socket, connection);
    socket.once('close', () => free(connection));
    return connection;
  };
}

/**
 * The bytes of bodies that are answered again. A buffer spares Node to encode the text and to count its bytes each time
 * (+20 % requests a second on the list).
 */
const encodedBodies = new WeakMap<object, Buffer>();

function encoded(body: string, bodyKey: object | undefined): string | Buffer {
  if (bodyKey === undefined) return body;
  let bytes = encodedBodies.get(bodyKey);
  if (bytes === undefined) {
    bytes = Buffer.from(body);
    encodedBodies.set(bodyKey, bytes);
  }
  return bytes;
}

export function send(
  response: ServerResponse,
  { status, headers, body, bodyKey }: Pick<Answer, 'status' | 'headers' | 'body' | 'bodyKey'>,
  cors: Record<string, string> | undefined,
): void {
  // A fault may leave it out; Node would put in the date of the machine.
  if (headers.Date === undefined) response.sendDate = false;
  const content = encoded(body, bodyKey);
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name] as string);
  // RFC 9110 section 8.6: a 204 has no Content-Length; Node counts a 304 alike.
  if (status !== 204 && status !== 304) fields.push('Content-Length', String(Buffer.byteLength(content)));
  for (const name in cors) fields.push(name, cors[name] as string);
  response.writeHead(status, fields).end(content);
}

export const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Reads a body, at most one chunk past `maximumBodyBytes`; Node throws the rest away while it arrives, so that a client
 * that is still sending can read the answer. A client that goes away is not answered.
 */
export function readBody(request: IncomingMessage, done: (body: Uint8Array) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const finish = () => {
    request.off('data', take).off('end', finish);
    done(Buffer.concat(chunks, bytes));
  };
  const take = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maximumBodyBytes) finish();
  };
  request.on('data', take).on('end', finish);
}
