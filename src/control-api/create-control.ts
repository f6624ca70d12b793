import { checkSimulator, type Simulator } from '../simulator/simulator.js';
import { checkOptions } from '../values/check-options.js';
import { callRemote } from './call-remote.js';
import type { Control, RemoteControl, ServerControl } from './control.js';
import type { AnyControlOperation } from './control-operation.js';
import { controlOperations } from './control-operations.js';
import { perform } from './perform.js';
import { sandboxOperations } from './sandbox-operations.js';

export interface ControlOptions {
  /** Control token of the server, if it requires one. */
  token?: string | undefined;
}

/**
 * Creates the control operations on a simulator in this process, the same as `/__sim` over HTTP. Each function has one object
 * as its input and throws a `ControlError` with status, code and message.
 * @example createControl(sim).exhaustKey({ key: 'free-key' });
 */
export function createControl(sim: Simulator): Control;
/**
 * Creates the control operations on a server in another process, with its sandboxes. Every function returns a promise.
 * @param url the `controlUrl` or the `baseUrl` of a server or of a sandbox, or the origin of a server
 * @throws {TypeError} if `url` is not an absolute http or https URL
 * @example const control = createControl('http://127.0.0.1:4010/__sim');
 * await control.changeClock({ advance: '61s' });
 * await control.sandbox('mine').getVerdict();
 */
export function createControl(url: string | URL, options?: ControlOptions): ServerControl;
export function createControl(of: Simulator | string | URL, options: ControlOptions = {}): Control | ServerControl {
  checkOptions('createControl', options, { token: true } satisfies Record<keyof ControlOptions, true>);
  const { token } = options;
  if (typeof of !== 'string' && !(of instanceof URL)) {
    checkSimulator('createControl', of);
    return functions(controlOperations, (operation, input) => perform(operation, of, input ?? {})) as Control;
  }
  const remote = (url: string, table: Record<string, AnyControlOperation>) =>
    functions(table, (operation, input) => callRemote({ url, token }, operation, input));
  const url = readControlUrl(of);
  return {
    ...remote(url, { ...controlOperations, ...sandboxOperations }),
    sandbox: (name: string) =>
      remote(`${url}/sandboxes/${encodeURIComponent(name)}`, controlOperations) as RemoteControl,
  } as ServerControl;
}

/** Creates an object with one function for each control operation of a table. */
function functions(
  table: Record<string, AnyControlOperation>,
  call: (operation: AnyControlOperation, input?: Record<string, unknown>) => unknown,
): object {
  return Object.fromEntries(
    Object.entries(table).map(([name, operation]) => [
      name,
      (input?: Record<string, unknown>) => call(operation, input),
    ]),
  );
}

function readControlUrl(of: string | URL): string {
  const url = URL.canParse(String(of)) ? new URL(of) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      `Failed to read the control URL: expected one such as "http://127.0.0.1:4010/__sim", got ${JSON.stringify(String(of))}`,
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path === '' ? '/__sim' : controlPath(path)}`;
}

/**
 * Converts a path of the API, `/v1` or `/s/NAME/v1`, to the path of its control API. Returns a path that already
 * contains `/__sim/` unchanged, because its sandbox may be named `v1`.
 */
const controlPath = (path: string) =>
  path.includes('/__sim/')
    ? path
    : path.replace(/(?:\/s\/([^/]+))?\/v1$/, (_, sandbox) => (sandbox ? `/__sim/sandboxes/${sandbox}` : '/__sim'));
