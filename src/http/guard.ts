import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../requests/error-codes.js';
import { decodeUnreserved } from '../values/percent-encoding.js';

/** Error response that the HTTP server sends itself, without the headers of the API. */
export interface Refusal {
  status: number;
  code: ErrorCode | 'forbidden' | 'service_unavailable';
  message: string;
}

export const refusal = (status: number, code: Refusal['code'], message: string): Refusal => ({ status, code, message });

const hostName = String.raw`\[[0-9a-f:.]+\]|[a-z0-9._-]+`;
const hostForm = new RegExp(`^(${hostName})(?::[0-9]{1,5})?$`, 'i');
const hostNameForm = new RegExp(`^(?:${hostName})$`, 'i');

/** Whether a text can be the host name of a request, without a port. */
export const isHostName = (text: string): boolean => hostNameForm.test(text);

const absoluteForm = /^http:\/\/([^/?#]*)(.*)$/i;
const loopbackIpv4 = /^127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}$/;

/**
 * Whether a host name, without its port, always means this machine: `localhost`, `*.localhost`, 127.0.0.0/8, `[::1]`.
 */
export function isLoopback(hostname: string): boolean {
  const name = withoutRootDot(hostname.toLowerCase());
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || loopbackIpv4.test(name);
}

/** Removes the dot at the end of a host name, which denotes the DNS root. `localhost.` becomes `localhost`. */
export const withoutRootDot = (name: string) => (/[a-z]\.$/.test(name) ? name.slice(0, -1) : name);

/**
 * Creates a check of each request's Host header, which prevents DNS rebinding attacks. The check also replaces an
 * absolute URL in `request.url` by its path.
 * @param allowedHosts host names in lower case, without ports, in addition to the loopback names
 */
export function createRequestCheck(
  allowedHosts: ReadonlySet<string>,
): (request: IncomingMessage) => Refusal | undefined {
  /**
   * The Host header of the last allowed request. Most requests have the same Host, so comparing with this text saves
   * parsing the header.
   */
  let passedHost: string | undefined;

  /**
   * Replaces an absolute request target, such as `http://host/v1/pets`, by its path, and the Host header by its host.
   */
  function checkTarget(request: IncomingMessage): Refusal | undefined {
    const host = request.headers.host ?? hostOfOldClient(request);
    if (host === undefined || !hostForm.test(host)) {
      return refusal(400, 'invalid_request', 'The request needs one Host header that names a host.');
    }
    // RFC 9112 section 3.2.2: the authority of an absolute target takes precedence over Host.
    const [, authority = host, path = request.url ?? ''] = absoluteForm.exec(request.url ?? '') ?? [];
    const hostname = hostForm.exec(authority)?.[1];
    if (hostname === undefined) {
      return refusal(
        400,
        'invalid_request',
        'The request target must be a path, or begin with http:// and name a host.',
      );
    }
    if (!isLoopback(hostname) && !allowedHosts.has(withoutRootDot(hostname.toLowerCase()))) {
      const message = `Host ${hostname} is not allowed; start with --allowed-host ${hostname} to allow it.`;
      return refusal(403, 'forbidden', message);
    }
    const target = path === '' || path.startsWith('?') ? `/${path}` : path;
    if (!isPath(target)) {
      return refusal(400, 'invalid_request', 'The request target must be a path with one slash in front, without "#".');
    }
    request.headers.host = authority;
    request.url = target;
    passedHost = authority;
    return undefined;
  }

  return (request) => {
    const { host } = request.headers;
    const isKnown = host !== undefined && host === passedHost && isPath(request.url as string);
    const refused = isKnown ? undefined : checkTarget(request);
    if (refused !== undefined) return refused;
    if ((request.url as string).includes('%'))
      request.url = (request.url as string).replace(/^[^?]*/, (path) => decodeUnreserved(path));
    return checkExpectation(request);
  };
}

const isPath = (target: string) => target.startsWith('/') && !target.startsWith('//') && !target.includes('#');

/**
 * Returns the socket's address as host of an HTTP/1.0 request, which has no Host header. Health checks of load
 * balancers use HTTP/1.0; browsers do not.
 */
function hostOfOldClient({ httpVersion, socket }: IncomingMessage): string | undefined {
  const { localAddress = '', localPort } = socket;
  const address = localAddress.replace(/^::ffff:/, '');
  const hostname = address.includes(':') ? `[${address}]` : address;
  return httpVersion === '1.0' && isLoopback(hostname) ? `${hostname}:${localPort}` : undefined;
}

/** Rejects an unknown `Expect` header (RFC 9110 section 10.1.1). Node itself handles `100-continue`. */
function checkExpectation({ headers: { expect }, httpVersion }: IncomingMessage): Refusal | undefined {
  if (expect === undefined || httpVersion === '1.0' || /(?:^|\W)100-continue(?:$|\W)/i.test(expect)) return undefined;
  return refusal(417, 'invalid_request', 'The Expect header may only be 100-continue.');
}
