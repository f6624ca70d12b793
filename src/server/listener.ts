import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { CustomRoutesDescription } from '../control-api/custom-routes-description.js';
import type { ControlListener, ControlRouterOptions } from '../control-api/node/control-router.js';
import { wantsHtml } from '../control-api/node/page.js';
import type { ServedSimulators } from '../control-api/served-simulators.js';
import { basePathOf, isUnderBasePath } from '../http/base-path.js';
import { corsHeaders, isPreflight, preflightHeaders } from '../http/cors.js';
import { createRequestCheck, refusal } from '../http/guard.js';
import { isHealthCheck, sendHealth } from '../http/health-check.js';
import { sendJson, sendRefusal } from '../http/send-response.js';
import { createReport, type OnAnswer, type Report } from '../http/served-answer.js';
import { nothingHere } from '../in-process/fetch.js';
import type { ExtensionOf } from '../own-routes/node/extensions.js';
import type { Upstream } from '../own-routes/node/upstream.js';
import { retryAfterHeader } from '../rate-limits/header-names.js';
import { prefixOf, type Sandbox, sandboxPrefix } from '../sandboxes/sandboxes.js';
import { createApiListener } from './api-listener.js';
import type { Connections } from './connections.js';
import { recordOutsideRequest } from './record-outside-request.js';
import { createSandboxListener, sandboxOf } from './sandbox-listener.js';

/** The user's msw handlers, which take precedence over the API, and the user's upstream backend for other requests. */
export interface CustomRoutes {
  readonly extensionOf?: ExtensionOf | undefined;
  readonly upstream?: Upstream | undefined;
  /** Whether the backend has all paths, also those of the API. */
  readonly withoutApi?: boolean | undefined;
  /** OpenAPI description of the msw handlers' routes. */
  readonly openapi?: CustomRoutesDescription | undefined;
}

interface ListenerOptions extends Omit<ControlRouterOptions, 'upstream'>, CustomRoutes {
  connections: Connections;
  /** Host names that clients may use, in lower case, in addition to names of this machine. */
  allowedHosts: ReadonlySet<string>;
  onAnswer: OnAnswer | undefined;
  holdRefusals: boolean | undefined;
}

/** Creates the listener that receives all HTTP requests of a server and calls the handler for the path. */
export function createListener(simulators: ServedSimulators, options: ListenerOptions): RequestListener {
  const { sim } = simulators;
  const { connections, extensionOf, upstream, onAnswer } = options;
  const checkRequest = createRequestCheck(options.allowedHosts);
  const serveApi = createApiListener(simulators, connections, options.holdRefusals, options.publicUrl);
  const publicOrigin = options.publicUrl && new URL(options.publicUrl).origin;
  const hasCustomRoutes = extensionOf !== undefined || upstream !== undefined;
  /**
   * Passes a request to the user's own handlers, then to the user's backend server. If neither responds, calls `serve`,
   * which passes the request to the simulator.
   */
  const serveCustom = (
    sandbox: Sandbox | undefined,
    request: IncomingMessage,
    response: ServerResponse,
    report: Report,
    serve: (read?: Uint8Array) => void,
  ) => {
    const target = sandbox?.sim ?? sim;
    const call = {
      report,
      numberOf: (each: IncomingMessage) => connections.numberOf(each),
      holdsRefusals: options.holdRefusals && sandbox === undefined,
      isBeforeApi: upstream === undefined,
      publicUrl: options.publicUrl,
    };
    const prefix = sandbox === undefined ? '' : prefixOf(sandbox);
    const serveOther = (read?: Uint8Array) => {
      // Closes the connection without a response if the sandbox was removed while a handler processed the request.
      // Later requests could not reach data that this request stores.
      if (sandbox?.removed.aborted) response.destroy();
      else if (!upstream?.(target, request, response, { ...call, prefix, read })) serve(read);
    };
    if (!extensionOf?.(target)(request, response, call, serveOther)) serveOther();
  };
  const serveSandbox = createSandboxListener(
    simulators,
    hasCustomRoutes
      ? (sandbox, request, response, report) =>
          serveCustom(sandbox, request, response, report, (read) => serveApi(sandbox, request, response, report, read))
      : serveApi,
    upstream !== undefined,
  );
  const serveControl = createControlLoader(simulators, options);

  return (request, response) => {
    const report = createReport(request, onAnswer);
    const refusal = checkRequest(request);
    // A Host that HTTP/1.1 forbids remains a 400.
    if (refusal !== undefined && isHealthCheck(request) && (refusal.status === 403 || request.httpVersion === '1.0')) {
      sendHealth(response);
      report?.({ by: 'control', sim, status: 200 });
      return;
    }
    if (refusal !== undefined) {
      const body = sendRefusal(response, refusal);
      report?.({ by: 'server', sim, status: refusal.status, body });
      return;
    }
    // A page of the public URL is a page of this server, to which a proxy may have sent another Host.
    if (publicOrigin !== undefined && request.headers.origin === publicOrigin)
      request.headers.origin = `http://${request.headers.host}`;
    const target = request.url as string;
    if (isUnderBasePath(target, '/__sim')) return serveControl(request, response, report);
    const serve = (read?: Uint8Array) => {
      if (basePathOf(target, sim.basePaths) !== undefined) return serveApi(undefined, request, response, report, read);
      if (target.startsWith(sandboxPrefix)) return serveSandbox(request, response, report);
      if (isVisit(request)) {
        // Relative, because a proxy may serve this server under a path.
        response.writeHead(302, { Location: '__sim/', Vary: 'Accept' }).end();
        report?.({ by: 'server', sim, status: 302 });
        return;
      }
      // Adds CORS headers to the 404 for a path outside the API. A web page with an incomplete base URL can then read
      // the error.
      const cors = corsHeaders(request.headers.origin, sim.settings);
      response.setHeaders(new Map(Object.entries(cors ?? {})));
      const isAsked = cors !== undefined && isPreflight(request);
      // Responds with 204 to `OPTIONS /`, the default health check of HAProxy.
      const isHealthCheck = request.method === 'OPTIONS' && target === '/';
      const status = isHealthCheck || isAsked ? 204 : 404;
      const body = status === 204 ? '' : nothingHere(sim.basePaths[0]);
      if (status === 404) recordOutsideRequest(sim, request, sim.basePaths[0]);
      if (isAsked) response.writeHead(status, preflightHeaders(request)).end();
      else if (isHealthCheck) response.writeHead(status, { Allow: 'OPTIONS' }).end();
      else sendJson(response, status, body);
      report?.({ by: 'server', sim, status, body });
    };
    if (!hasCustomRoutes) return serve();
    if (sandboxOf(target, sim, upstream !== undefined) !== undefined) return serveSandbox(request, response, report);
    serveCustom(undefined, request, response, report, serve);
  };
}

/** Whether a browser requests `/`. The server then redirects it to the dashboard. */
const isVisit = ({ method, url, headers: { accept = '' } }: IncomingMessage) =>
  method === 'GET' && url === '/' && wantsHtml(accept);

/**
 * Creates a control listener that loads Express at the first control request, which takes a tenth of a second. After a
 * failed load, for example without free file descriptors, the next request tries again.
 */
function createControlLoader(simulators: ServedSimulators, options: ListenerOptions): ControlListener {
  let loading: Promise<ControlListener> | undefined;
  const load = () => {
    loading ??= Promise.all([import('../control-api/node/control-router.js'), simulators.loadService()]).then(
      ([{ createControlRouter }, service]) => createControlRouter(simulators, service, options),
    );
    return loading;
  };
  return (request: IncomingMessage, response: ServerResponse, report: Report) => {
    load().then(
      (serve) => serve(request, response, report),
      (error) => {
        loading = undefined;
        console.error(error);
        response.setHeader(retryAfterHeader, '1');
        const body = sendRefusal(response, loadFailure);
        report?.({ by: 'control', sim: simulators.sim, status: loadFailure.status, body });
      },
    );
  };
}

// Retries may fail until a restart, because Node.js remembers some failed imports of modules.
const loadFailure = refusal(
  503,
  'service_unavailable',
  'The control API could not be loaded; see the server log. Retry, or restart the simulator.',
);
