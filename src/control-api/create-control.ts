import { checkSimulator, type Simulator } from '../simulator/simulator.js';
import { checkOptions } from '../values/check-options.js';
import { callRemote } from './call-remote.js';
import type { Control, RemoteControl, ServerControl } from './control.js';
import type { AnyControlOperation } from './control-operation.js';
import { perform } from './perform.js';
import type { ControlOperations, ServedService } from './served-service.js';

export interface ControlOptions {
  /** Control token of the server, if it requires one. */
  token?: string | undefined;
}

/**
 * Creates the control operations for a simulator in this process, or for a server at a URL.
 * @throws {TypeError} if `of` is neither a simulator nor an absolute http or https URL
 */
export function createControlOf(
  { main, operations, sandboxOperations }: ServedService,
  of: Simulator | string | URL,
  options: ControlOptions = {},
): Control | ServerControl {
  checkOptions('createControl', options, { token: true } satisfies Record<keyof ControlOptions, true>);
  const { token } = options;
  if (typeof of !== 'string' && !(of instanceof URL)) {
    checkSimulator('createControl', of);
    return functions(operations, (operation, input) => perform(operation, of, input ?? {})) as Control;
  }
  const remote = (url: string, table: ControlOperations) =>
    functions(table, (operation, input) => callRemote({ url, token }, operation, input));
  const url = readControlUrl(of, main.basePath);
  return {
    ...remote(url, { ...operations, ...sandboxOperations }),
    sandbox: (name: string) => remote(`${url}/sandboxes/${encodeURIComponent(name)}`, operations) as RemoteControl,
  } as ServerControl;
}

/** Creates an object with a function for each control operation. Each function runs its operation through `call`. */
function functions(
  table: ControlOperations,
  call: (operation: AnyControlOperation, input?: Record<string, unknown>) => unknown,
): object {
  return Object.fromEntries(
    Object.entries(table).map(([name, operation]) => [
      name,
      (input?: Record<string, unknown>) => call(operation, input),
    ]),
  );
}

function readControlUrl(of: string | URL, basePath: string): string {
  const url = URL.canParse(String(of)) ? new URL(of) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(
      `Failed to read the control URL: expected one such as "http://127.0.0.1:4010/__sim", got ${JSON.stringify(String(of))}`,
    );
  }
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path === '' ? '/__sim' : controlPath(path, basePath)}`;
}

/**
 * Converts an API path, such as `/s/NAME/v1`, to the path of its control API. Leaves a path that contains `/__sim/`
 * unchanged, because its sandbox may be named `v1`.
 */
function controlPath(path: string, basePath: string): string {
  if (path.includes('/__sim/') || !path.endsWith(basePath)) return path;
  const [, before = '', sandbox] = /^(.*?)(?:\/s\/([^/]+))?$/.exec(path.slice(0, -basePath.length)) as RegExpExecArray;
  return `${before}/__sim${sandbox ? `/sandboxes/${sandbox}` : ''}`;
}
