import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { CustomRoutesDescription } from '../../control-api/custom-routes-description.js';
import type { ServedSimulators } from '../../control-api/served-simulators.js';
import { nothingHere } from '../../in-process/fetch.js';
import { retryAfterHeader } from '../../rate-limits/header-names.js';
import { prefixOf, sandboxPrefix } from '../../sandboxes/sandboxes.js';
import type { ExtensionCall } from '../custom-routes/extension.js';
import type { ExtensionOf } from '../custom-routes/extensions.js';
import type { Upstream } from '../custom-routes/upstream.js';
import { type ApiListener, createApiListener } from './api-listener.js';
import { basePathOf, isUnderBasePath } from './base-path.js';
import type { Connections } from './connections.js';
import type { ControlListener, ControlRouterOptions } from './control-router.js';
import { corsHeaders, isPreflight, preflightHeaders } from './cors.js';
import { createRequestCheck, refusal } from './guard.js';
import { wantsHtml } from './page.js';
import { recordOutsideRequest } from './record-outside-request.js';
import { createSandboxListener, sandboxOf } from './sandbox-listener.js';
import { sendJson, sendRefusal } from './send-response.js';
import { createReport, type OnAnswer, type Report } from './served-answer.js';

/** The user's msw handlers, which take precedence over the API, and the user's upstream backend for other requests. */
export interface CustomRoutes {
  readonly extensionOf?: ExtensionOf | undefined;
  readonly upstream?: Upstream | undefined;
  /** OpenAPI description of the msw handlers' routes. */
  readonly openapi?: CustomRoutesDescription | undefined;
}

interface ListenerOptions extends ControlRouterOptions, CustomRoutes {
  /** Host names that clients may use, in lower case, in addition to names of this machine. */
  allowedHosts: ReadonlySet<string>;
  connections: Connections;
  onAnswer: OnAnswer | undefined;
  holdRefusals: boolean | undefined;
}

/**
 * Creates the listener for all requests of a server. After the host check, it calls the API, the control API or a
 * sandbox by path.
 */
export function createListener(simulators: ServedSimulators, options: ListenerOptions): RequestListener {
  const { sim } = simulators;
  const { connections, extensionOf, upstream, onAnswer } = options;
  const callOf = (report: Report): ExtensionCall => ({
    report,
    numberOf: (request) => connections.numberOf(request),
    holdsRefusals: options.holdRefusals,
  });
  const checkRequest = createRequestCheck(options.allowedHosts);
  const serveApi = createApiListener(simulators, connections, options.holdRefusals);
  const hasCustomRoutes = extensionOf !== undefined || upstream !== undefined;
  const serveSandbox = createSandboxListener(
    simulators,
    hasCustomRoutes ? extended(simulators, serveApi, options, callOf) : serveApi,
    upstream !== undefined,
  );
  const serveControl = createControlLoader(simulators, options);

  return (request, response) => {
    const report = createReport(request, onAnswer);
    const refusal = checkRequest(request);
    if (refusal !== undefined) {
      const body = sendRefusal(response, refusal);
      report?.({ by: 'server', sim, status: refusal.status, headers: {}, body });
      return;
    }
    const target = request.url as string;
    if (isUnderBasePath(target, '/__sim')) return serveControl(request, response, report);
    const serve = (read?: Uint8Array) => {
      if (upstream?.(sim, request, response, { ...callOf(report), prefix: '', read })) return;
      if (basePathOf(target, sim.basePaths) !== undefined) return serveApi(undefined, request, response, report, read);
      if (target.startsWith(sandboxPrefix)) return serveSandbox(request, response, report);
      if (isVisit(request)) {
        response.writeHead(302, { Location: '/__sim/', Vary: 'Accept' }).end();
        report?.({ by: 'server', sim, status: 302, headers: {}, body: '' });
        return;
      }
      // Adds CORS headers to this 404. A page whose base URL lacks the API's path can then read the error.
      const cors = corsHeaders(request.headers.origin, sim.settings);
      for (const [name, value] of Object.entries(cors ?? {})) response.setHeader(name, value);
      const isAsked = cors !== undefined && isPreflight(request);
      // Responds with 204 to `OPTIONS /`, the default health check of HAProxy.
      const isHealthCheck = request.method === 'OPTIONS' && target === '/';
      const status = isHealthCheck || isAsked ? 204 : 404;
      const body = status === 204 ? '' : nothingHere(sim.basePaths[0]);
      if (status === 404) recordOutsideRequest(sim, request, sim.basePaths[0]);
      if (isAsked) response.writeHead(status, preflightHeaders(request)).end();
      else if (isHealthCheck) response.writeHead(status, { Allow: 'OPTIONS' }).end();
      else sendJson(response, status, body);
      report?.({ by: 'server', sim, status, headers: {}, body });
    };
    if (!hasCustomRoutes) return serve();
    if (sandboxOf(target, sim, upstream !== undefined) !== undefined) return serveSandbox(request, response, report);
    if (!extensionOf?.(sim)(request, response, callOf(report), serve)) serve();
  };
}

/** Whether a browser requests `/`. The server then redirects it to the dashboard. */
const isVisit = ({ method, url, headers: { accept = '' } }: IncomingMessage) =>
  method === 'GET' && url === '/' && wantsHtml(accept);

/**
 * Creates the listener for a simulator's API. The user's handlers come first, then the API, then the user's backend.
 */
function extended(
  { sim }: ServedSimulators,
  serveApi: ApiListener,
  { extensionOf, upstream }: CustomRoutes,
  callOf: (report: Report) => ExtensionCall,
): ApiListener {
  return (sandbox, request, response, report) => {
    const serve = (read?: Uint8Array) => {
      // Closes the connection if the sandbox was removed while a handler processed the request. Its data would be
      // unreachable.
      if (sandbox?.removed.aborted) response.destroy();
      else if (
        !upstream?.(sandbox?.sim ?? sim, request, response, {
          ...callOf(report),
          prefix: sandbox === undefined ? '' : prefixOf(sandbox),
          read,
        })
      )
        serveApi(sandbox, request, response, report, read);
    };
    if (!extensionOf?.(sandbox?.sim ?? sim)(request, response, callOf(report), serve)) serve();
  };
}

/**
 * Creates a control listener that loads Express at the first control request, which takes a tenth of a second. After a
 * failed load, for example without free file descriptors, the next request tries again.
 */
function createControlLoader(simulators: ServedSimulators, options: ListenerOptions): ControlListener {
  let loading: Promise<ControlListener> | undefined;
  const load = () => {
    loading ??= import('./control-router.js').then(({ createControlRouter }) =>
      createControlRouter(simulators, options),
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
        report?.({ by: 'control', sim: simulators.sim, status: loadFailure.status, headers: {}, body });
      },
    );
  };
}

// Node's module loader caches some failures, which only a new process can clear.
const loadFailure = refusal(
  503,
  'service_unavailable',
  'The control API could not be loaded; see the server log. Retry, or restart the simulator.',
);
