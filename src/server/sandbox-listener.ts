import type { IncomingMessage, ServerResponse } from 'node:http';
import { ControlError, invalid, toControlError } from '../control-api/control-error.js';
import type { ServedSimulators } from '../control-api/served-simulators.js';
import { basePathOf } from '../http/base-path.js';
import { corsHeaders } from '../http/cors.js';
import { sendJson } from '../http/send-response.js';
import type { Report } from '../http/served-answer.js';
import { nothingHere } from '../in-process/fetch.js';
import { retryAfterHeader } from '../rate-limits/header-names.js';
import { errorBody } from '../requests/api-error.js';
import { prefixOf, type Sandbox, sandboxNamePattern, sandboxPrefix } from '../sandboxes/sandboxes.js';
import type { Simulator } from '../simulator/simulator.js';
import type { ApiListener } from './api-listener.js';
import { recordOutsideRequest } from './record-outside-request.js';

const address = /^\/s\/([^/?]*)([^?]*)/;

type SandboxListener = (request: IncomingMessage, response: ServerResponse, report: Report) => void;

/**
 * Returns the URL-encoded name of the sandbox in a request's path, such as `/s/NAME/v1/pets`, even if the sandbox does
 * not exist. Returns `undefined` for a path outside the sandboxes' APIs.
 * @param hasUpstream whether paths outside the sandbox's API belong to the sandbox too, served by a backend
 */
export function sandboxOf(
  target: string,
  { basePaths }: Pick<Simulator, 'basePaths'>,
  hasUpstream = false,
): string | undefined {
  const end = target.startsWith(sandboxPrefix) ? target.indexOf('/', sandboxPrefix.length) : -1;
  const name = target.slice(sandboxPrefix.length, end);
  return end > 0 && (hasUpstream || basePathOf(target, basePaths, end) !== undefined) && !name.includes('?')
    ? name
    : undefined;
}

/** Handles requests to sandboxes, under `/s/NAME/v1`. Each name has its own simulator, created at the first request. */
export function createSandboxListener(
  simulators: ServedSimulators,
  serveApi: ApiListener,
  hasUpstream = false,
): SandboxListener {
  const { sim } = simulators;

  const serveNew: SandboxListener = (request, response, report) => {
    const [, name = '', path = ''] = address.exec(request.url ?? '') ?? [];
    const cors = corsHeaders(request.headers.origin, sim.settings);
    const refuse = (status: number, body: string) => {
      sendJson(response, status, body, cors);
      report?.({ by: 'server', sim, status, body });
    };
    const refuseMistake = (error: unknown) => {
      const known = toControlError(error);
      if (!(known instanceof ControlError)) throw error;
      if (known.retryAfterSeconds) response.setHeader(retryAfterHeader, known.retryAfterSeconds);
      refuse(known.status, errorBody(known));
    };
    const serve = (sandbox: Sandbox) => serveApi(sandbox, request, response, report);
    try {
      if (!sandboxNamePattern.test(name)) {
        throw invalid('Expected a sandbox name of 1 to 64 letters, digits, ".", "_" or "-" after /s/.');
      }
      if (!hasUpstream && basePathOf(path, sim.basePaths) === undefined) {
        const existing = simulators.sandboxes.find(name);
        recordOutsideRequest(existing?.sim ?? sim, request, existing?.base ?? sim.basePaths[0]);
        return refuse(404, nothingHere(prefixOf({ name }) + sim.basePaths[0]));
      }
      if (isForeign(request, cors !== undefined)) {
        throw new ControlError(403, 'forbidden', 'Unknown sandbox; a page of another site cannot create one.');
      }
      const sandbox = simulators.makeSandbox(name);
      if (sandbox instanceof Promise) sandbox.then(serve, refuseMistake);
      else serve(sandbox);
    } catch (error) {
      refuseMistake(error);
    }
  };

  return (request, response, report) => {
    const name = sandboxOf(request.url as string, sim, hasUpstream);
    const existing = name === undefined ? undefined : simulators.useSandbox(name);
    if (existing === undefined) serveNew(request, response, report);
    else serveApi(existing, request, response, report);
  };
}

/**
 * Whether a page of another site sent the request. Such pages could create sandboxes up to the limit, even without
 * reading a response.
 */
function isForeign({ headers }: IncomingMessage, isAllowedOrigin: boolean): boolean {
  const site = headers['sec-fetch-site'];
  return headers.origin === undefined ? site === 'cross-site' || site === 'same-site' : !isAllowedOrigin;
}
