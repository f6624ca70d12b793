import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '../../contract/api-error.js';

/** Why the server does not even look at a request. Not an answer of the API, so without its headers. */
export interface Refusal {
  status: number;
  code: ErrorCode | 'forbidden';
  message: string;
}

export const refusal = (status: number, code: Refusal['code'], message: string): Refusal => ({ status, code, message });

const hostForm = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?$/i;
const loopbackIpv4 = /^127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}$/;

/** Whether a host name, without its port, can only mean this machine: `localhost`, `*.localhost`, 127.0.0.0/8, `[::1]`. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || loopbackIpv4.test(name);
}

/**
 * Checks that stand before everything else, on every path. The Host allow-list is what stops DNS rebinding: a foreign
 * page can make its own name point to 127.0.0.1, but the browser still sends that name.
 * @param allowedHosts host names, without ports, besides the loopback ones
 */
export function checkRequest(request: IncomingMessage, allowedHosts: ReadonlySet<string>): Refusal | undefined {
  const { host } = request.headers;
  const hostname = host === undefined ? undefined : hostForm.exec(host)?.[1];
  if (hostname === undefined) {
    return refusal(400, 'invalid_request', 'The request needs one Host header that names a host.');
  }
  if (!isLoopback(hostname) && !allowedHosts.has(hostname.toLowerCase())) {
    return refusal(
      403,
      'forbidden',
      `Host ${hostname} is not allowed; start with --allowed-host ${hostname} to allow it.`,
    );
  }
  const target = request.url ?? '';
  if (!target.startsWith('/') || target.startsWith('//') || target.includes('#')) {
    return refusal(400, 'invalid_request', 'The request target must be a path with one slash in front, without "#".');
  }
  return undefined;
}
