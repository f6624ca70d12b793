import type { Control, RemoteControl, ServerControl } from './control/control-functions.js';
import type { AnyOperation } from './control/operation.js';
import { operations } from './control/operations.js';
import { perform } from './control/perform.js';
import { callRemote } from './control/remote.js';
import { sandboxOperations } from './control/sandbox-operations.js';
import type { Simulator } from './simulator/simulator.js';

export { ControlError } from './control/control-error.js';
export type { Control, RemoteControl, ServerControl } from './control/control-functions.js';
export type { JournalEntry } from './control/journal-entry.js';

export interface ControlOptions {
  /** The control token of the server. */
  token?: string | undefined;
}

/**
 * Everything that can be done to a simulator, as functions: what `/__sim` does over HTTP. Each takes one object, and throws a
 * `ControlError` with status, code and a message that says what was expected.
 * @example createControl(sim).exhaustKey({ key: 'free-key' });
 */
export function createControl(sim: Simulator): Control;
/**
 * The same for a simulator in another process, over HTTP, and its sandboxes; every function gives a promise.
 * @param url the `controlUrl` of a server, or of a sandbox; also just its origin
 * @throws {TypeError} when `url` is none
 * @example const control = createControl('http://127.0.0.1:4010/__sim');
 * await control.advanceClock({ by: '61s' });
 * await control.sandbox('mine').getVerdict();
 */
export function createControl(url: string | URL, options?: ControlOptions): ServerControl;
export function createControl(of: Simulator | string | URL, { token }: ControlOptions = {}): Control | ServerControl {
  if (typeof of !== 'string' && !(of instanceof URL)) {
    return functions(operations, (operation, input) => perform(operation, of, input ?? {})) as Control;
  }
  const remote = (url: string, table: Record<string, AnyOperation>) =>
    functions(table, (operation, input) => callRemote({ url, token }, operation, input));
  const url = readControlUrl(of);
  return {
    ...remote(url, { ...operations, ...sandboxOperations }),
    sandbox: (name: string) => remote(`${url}/sandboxes/${encodeURIComponent(name)}`, operations) as RemoteControl,
  } as ServerControl;
}

/** A function for each operation of a table. */
function functions(
  table: Record<string, AnyOperation>,
  call: (operation: AnyOperation, input?: Record<string, unknown>) => unknown,
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
  return `${url.origin}${path === '' ? '/__sim' : path}`;
}
