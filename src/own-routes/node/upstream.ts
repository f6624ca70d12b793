import { createHash, randomUUID } from 'node:crypto';
import { type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { basePathOf, isUnderBasePath } from '../../http/base-path.js';
import { parseBaseUrl } from '../../http/base-url.js';
import { corsOf, isPreflight, preflightHeaders, withExposed } from '../../http/cors.js';
import { deliverAfterDelay } from '../../http/delay-refusals.js';
import { refusal } from '../../http/guard.js';
import { hasBody } from '../../http/read-body.js';
import { originOf, readTarget } from '../../http/read-target.js';
import { sendRefusal } from '../../http/send-response.js';
import { reported } from '../../http/served-answer.js';
import { disconnectSignal } from '../../http/wire-faults.js';
import type { ApiCall } from '../../requests/api-call.js';
import { ApiError, maximumBodyBytes } from '../../requests/api-error.js';
import { hasResponseBody } from '../../requests/outcome.js';
import { operationByPath } from '../../requests/path-operation.js';
import { type Reads, readsForm } from '../../requests/reads.js';
import { coreOf, type Simulator } from '../../simulator/simulator.js';
import { isCredentialHeader, withoutKeys } from '../../values/credential.js';
import type { KeyPlace } from '../../values/key-place.js';
import { decodeUnreserved } from '../../values/percent-encoding.js';
import { answerRoute, isEnded } from '../serve-route.js';
import type { ExtensionCall } from './extension.js';
import { sendRoute } from './send-route.js';

/** Settings of the user's backend, to which the simulator forwards requests. */
export interface UpstreamOptions {
  /** Origin and base path of the user's backend, to which requests are forwarded, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /**
   * Headers with the key for the user's backend, which forwarded requests get, by name; `same` forwards the client's
   * credentials. Default: none, so that a key of the client is not sent to another service.
   */
  readonly credentials?: 'same' | Readonly<Record<string, string>> | undefined;
  /**
   * Host name in `url`, repeated as a confirmation if the user's backend runs on another machine. Default: only a
   * backend on this machine is allowed.
   */
  readonly host?: string | undefined;
  /** Whether the user's backend, instead of the simulator, serves the operations of the Petstore. Default: false. */
  readonly withoutApi?: boolean | undefined;
  /** Requests that only read, although their method is unsafe: `['POST /search']`. Default: GraphQL queries only. */
  readonly reads?: Reads | undefined;
}

/**
 * Forwards a request to the user's backend.
 * @returns `false` if the simulator itself must serve the request; the request is then untouched
 */
export type Upstream = (
  sim: Simulator,
  request: IncomingMessage,
  response: ServerResponse,
  call: ExtensionCall & { prefix: string; read?: Uint8Array | undefined },
) => boolean;

const loopbackHost = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Checks the URL of the user's backend, to which the simulator forwards requests.
 * @throws {RangeError} for an unusable URL
 */
function upstreamUrl({ url, host }: UpstreamOptions): URL {
  const given = parseBaseUrl(url);
  if (given === undefined)
    throw new RangeError(`expected upstream to be a URL such as "http://127.0.0.1:3000", got ${JSON.stringify(url)}`);
  if (given.username !== '' || given.password !== '')
    throw new RangeError('expected upstream without a user or password; --upstream-key sends a key');
  if (!loopbackHost.test(given.hostname) && given.hostname !== host)
    throw new RangeError(
      `expected upstream on this machine, got ${given.hostname}; requests to it may use up the quota of a real service; to allow that, add --upstream-host ${given.hostname}`,
    );
  return given;
}

/**
 * Headers to omit when forwarding: those of a single connection (RFC 9110 section 7.6.1), and those that this server
 * sets.
 */
const hopByHop =
  /^(?:connection|keep-alive|proxy-connection|proxy-authenticate|proxy-authorization|te|trailer|transfer-encoding|upgrade|host|content-length|expect)$/i;

/** Selects the headers to forward, as pairs of name and value in the original order and spelling. */
function endToEnd({ rawHeaders, headers }: IncomingMessage): [string, string][] {
  const named = (headers.connection ?? '').toLowerCase().split(/\s*,\s*/);
  return rawHeaders.flatMap((name, index): [string, string][] => {
    const isLeftOut = index % 2 === 1 || hopByHop.test(name) || named.includes(name.toLowerCase());
    return isLeftOut ? [] : [[name, rawHeaders[index + 1] as string]];
  });
}

/**
 * A dot segment, which would lead out of the backend's base path (RFC 3986 section 5.2.4). The dots of the path are
 * decoded before; backends may treat a backslash or an encoded slash as a slash.
 */
const dotSegment = /(?:^|[/\\]|%2f|%5c)\.{1,2}(?:$|[/\\]|%2f|%5c)/i;

const dotRefusal = refusal(
  400,
  'invalid_request',
  'The request target must be a path without the segments "." and "..", which --upstream does not forward.',
);

/** Removes API keys from the query of a request target. */
function withoutKeysIn(target: string, place: KeyPlace | undefined): string {
  const [path = '', query] = target.split(/\?(.*)/s, 2);
  if (query === undefined) return target;
  const rest = withoutKeys(query, place?.parameter);
  return rest === query ? target : path + (rest && `?${rest}`);
}

/**
 * Creates the function that forwards requests to the user's backend. The simulator limits, faults, records and judges
 * these requests like those of the simulated API.
 * @throws {RangeError} if the backend's URL is not usable
 */
export function createUpstream(options: UpstreamOptions): Upstream {
  const url = upstreamUrl(options);
  const { credentials, withoutApi = false, reads = [] } = options;
  const isWithheld = credentials === undefined;
  const wrong = reads.find((text) => !readsForm.test(text));
  if (wrong !== undefined)
    throw new RangeError(
      `expected reads to be methods and paths, such as "POST /graphql", got ${JSON.stringify(wrong)}`,
    );
  const requestUpstream = url.protocol === 'https:' ? requestHttps : requestHttp;
  const base = url.pathname.replace(/\/$/, '');
  const badGateway = (what: string) => new ApiError(502, 'bad_gateway', `The upstream ${url.origin} ${what}.`);
  const via = `1.1 petstore-sim-${randomUUID().slice(0, 8)}`;

  function forward(
    request: IncomingMessage,
    target: string,
    { body, late, place }: { body: Body; late: AbortSignal; place: KeyPlace | undefined },
  ): Promise<Response> {
    const isWithheldHeader = (name: string) => isCredentialHeader(name) || name.toLowerCase() === place?.header;
    return new Promise((resolve, reject) => {
      const own = endToEnd(request).filter(([name]) => credentials === 'same' || !isWithheldHeader(name));
      const headers = [...own.flat(), 'Host', url.host, 'Via', via];
      if (credentials !== 'same') headers.push(...Object.entries(credentials ?? {}).flat());
      const { length } = body;
      if (length !== undefined) headers.push('Content-Length', length);
      else if (body.rest !== undefined) headers.push('Transfer-Encoding', 'chunked');
      const options = { method: request.method, path: base + target, headers, signal: late };
      const outgoing = requestUpstream(url, options as never);
      outgoing.on('error', (error: NodeJS.ErrnoException) =>
        reject(badGateway(`did not respond: ${error.code ?? error.message}`)),
      );
      outgoing.on('response', (incoming: IncomingMessage) => {
        const { statusCode = 502 } = incoming;
        const isEmpty = !hasResponseBody(request.method, statusCode);
        if (isEmpty) incoming.resume();
        // Prevents a crash of the simulator if the response of the user's backend breaks off. The code that reads the
        // response body reports the error.
        incoming.on('error', () => {});
        try {
          const stream = isEmpty ? null : (Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>);
          resolve(new Response(stream, { status: statusCode, headers: endToEnd(incoming) }));
        } catch {
          incoming.destroy();
          reject(badGateway(`sent the status ${statusCode}, which no client expects`));
        }
      });
      if (body.start !== undefined) outgoing.write(body.start);
      if (body.rest === undefined) outgoing.end();
      else body.rest.pipe(outgoing);
    });
  }

  return (sim, request, response, { report, numberOf, holdsRefusals, prefix, publicUrl, read }) => {
    const { method = '', headers } = request;
    const { text: target, path, query } = readTarget(request.url as string, prefix.length);
    const { cors, isOriginRefused } = corsOf(request, sim);
    if (!withoutApi && isSimulated(sim, method, path, query)) return false;
    if (dotSegment.test(path)) {
      response.setHeaders(new Map(Object.entries(cors ?? {})));
      const body = sendRefusal(response, dotRefusal);
      report?.({ by: 'server', sim, status: dotRefusal.status, body });
      return true;
    }
    if (isPreflight(request) && sim.settings.cors !== 'off') {
      response.writeHead(204, { ...cors, ...preflightHeaders(request) }).end();
      report?.({ by: 'preflight', sim, status: 204, isOriginRefused });
      return true;
    }
    const connection = numberOf(request);
    const signal = disconnectSignal(response);
    readStart(request, read).then(async (body) => {
      const under = basePathOf(path, sim.basePaths) ?? '';
      const call: ApiCall = {
        method,
        path: decodeUnreserved(path.slice(under.length)),
        query,
        baseUrl: originOf(request, publicUrl) + prefix + under,
        header: (name) => headers[name] as string | undefined,
        headers: headers as ApiCall['headers'],
        body: body.start?.subarray(0, maximumBodyBytes),
        wholeBody: identifyBody(body),
        connection,
        holdsRefusals,
        signal,
      };
      const respond = (late: AbortSignal) => {
        if (headers.via?.includes(via)) throw badGateway('leads back to this simulator');
        const place = coreOf(sim).state.resolved.keyPlace;
        const sent = credentials === 'same' ? target : withoutKeysIn(target, place);
        return forward(request, sent, { body, late, place });
      };
      try {
        const answer = await answerRoute(sim, call, operationByPath(method, path), respond, {
          by: 'backend',
          reads,
          withholdsKey: isWithheld,
        });
        deliverAfterDelay(answer, () => {
          sendRoute(request, response, { answer, cors: withExposed(cors, answer.headers), clock: sim.clock });
          // Discards the rest of a request body that was not forwarded, so that the connection can be used again.
          if (!request.readableEnded && request.listenerCount('data') === 0) request.resume();
          report?.({ by: 'handler', sim, ...reported(answer), isOriginRefused });
        });
      } catch (error) {
        if (!isEnded(error, signal)) console.error(error);
        response.destroy();
        report?.({ by: 'handler', sim, status: 0 });
      }
    });
    return true;
  };
}

/**
 * Whether a simulated API, such as the Petstore, has an operation for a request. If so, the simulator responds, and the
 * request is not forwarded to the user's backend.
 */
function isSimulated(sim: Simulator, method: string, path: string, query: string): boolean {
  const { services, resolved } = coreOf(sim).state;
  return services.some(({ service }) => {
    const { basePath } = service;
    if (!isUnderBasePath(path, basePath)) return false;
    const call: ApiCall = {
      method,
      path: decodeUnreserved(path.slice(basePath.length)),
      query,
      baseUrl: basePath,
      header: () => undefined,
      body: undefined,
    };
    return service.find(call, resolved, sim.clock.now())?.operation !== undefined;
  });
}

/**
 * Maximum number of bytes of a request body that are read before the request is handled, so that two long bodies, such as
 * those of a long chat, are equal only as a whole.
 */
const maximumReadBytes = 10 * 1024 * 1024;

/** Body of a request to forward: its first bytes, for the journal, and the stream of the remaining bytes. */
interface Body {
  readonly start: Uint8Array | undefined;
  readonly rest: Readable | undefined;
  /** Content-Length of the request; `undefined` for a chunked body. */
  readonly length: string | undefined;
}

/**
 * Identifies a body whose start alone is in the journal, by its length and hash. A body that is not read to its end is
 * equal to no other.
 */
function identifyBody({ start, rest }: Body): string | undefined {
  if (start === undefined || start.length <= maximumBodyBytes) return undefined;
  return rest === undefined ? `${start.length} ${createHash('sha256').update(start).digest('hex')}` : randomUUID();
}

/** Reads the first bytes of a request body, about 10 MiB, and leaves the rest in the stream. */
async function readStart(request: IncomingMessage, read: Uint8Array | undefined): Promise<Body> {
  const length = request.headers['content-length'];
  if (read !== undefined) return { start: read, rest: undefined, length: String(read.length) };
  if (!hasBody(request)) return { start: undefined, rest: undefined, length };
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const done = (rest: Readable | undefined) => {
      request.off('readable', take).off('end', end).off('close', end);
      resolve({ start: Buffer.concat(chunks, bytes), rest, length });
    };
    const end = () => done(undefined);
    const take = () => {
      for (let chunk = request.read(); chunk !== null; chunk = request.read()) {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > maximumReadBytes) return done(request);
      }
    };
    request.on('readable', take).on('end', end).on('close', end);
  });
}
