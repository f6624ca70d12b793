import type { IncomingMessage } from 'node:http';
import { nothingHere } from '../../adapters/fetch.js';
import { errorBody } from '../../contract/api-error.js';
import { basePath } from '../../contract/document.js';
import type { Backend } from '../../control/backend.js';
import { ControlError, invalid, toControlError } from '../../control/control-error.js';
import { recreatedHeaders, type Sandbox, sandboxNamePattern } from '../../simulator/sandboxes.js';
import { type ApiListener, createApiListener } from './api-listener.js';
import type { Connections } from './connections.js';
import { corsHeaders } from './cors.js';
import { sendJson } from './send-answer.js';

/** What every address of a sandbox begins with. */
export const sandboxPrefix = '/s/';

const address = /^\/s\/([^/?]*)([^?]*)/;

/** Answers requests under `/s/NAME/v1`, each name from its own simulator, created at the first request. */
export function createSandboxListener(backend: Backend, connections: Connections): ApiListener {
  const { sim } = backend;
  const listeners = new WeakMap<Sandbox, ApiListener>();
  const listenerOf = (sandbox: Sandbox) => {
    const known = listeners.get(sandbox);
    if (known !== undefined) return known;
    const base = `${sandboxPrefix}${sandbox.name}${basePath}`;
    const listener = createApiListener(backend, sandbox, connections, {
      base,
      ...(sandbox.isRecreated && { firstHeaders: recreatedHeaders }),
    });
    listeners.set(sandbox, listener);
    return listener;
  };
  return (request, response, report, read) => {
    const [, name = '', path = ''] = address.exec(request.url ?? '') ?? [];
    const cors = corsHeaders(request.headers.origin, sim.settings);
    const refuse = (status: number, body: string) => {
      sendJson(response, status, body, cors);
      report?.({ by: 'server', sim, status, headers: {}, body });
    };
    const refuseMistake = (error: unknown) => {
      const known = toControlError(error);
      if (!(known instanceof ControlError)) throw error;
      refuse(known.status, errorBody(known));
    };
    const serve = (sandbox: Sandbox) => listenerOf(sandbox)(request, response, report, read);
    try {
      if (!sandboxNamePattern.test(name)) throw badName();
      if (path !== basePath && !path.startsWith(`${basePath}/`)) return refuse(404, nothingHere);
      const known = backend.useSandbox(name);
      if (known === undefined && isForeign(request, cors !== undefined)) throw foreign();
      const sandbox = known ?? backend.makeSandbox(name);
      if (sandbox instanceof Promise) sandbox.then(serve, refuseMistake);
      else serve(sandbox);
    } catch (error) {
      refuseMistake(error);
    }
  };
}

/** A page of another site could use up the sandboxes without reading a single answer. */
function isForeign({ headers }: IncomingMessage, isAllowedOrigin: boolean): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin === undefined ? site === 'cross-site' || site === 'same-site' : !isAllowedOrigin;
}

const badName = () => invalid('Expected a sandbox name of 1 to 64 letters, digits, ".", "_" or "-" after /s/.');
const foreign = () =>
  new ControlError(403, 'forbidden', 'There is no sandbox of this name, and a page of another site cannot make one.');
