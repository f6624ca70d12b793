import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServedSimulators } from '../control-api/served-simulators.js';
import { basePathOf } from '../http/base-path.js';
import { corsOf, isPreflight, preflightHeaders, withExposed } from '../http/cors.js';
import { deliverAfterDelay } from '../http/delay-refusals.js';
import { createBatchedEnd } from '../http/end-in-batch.js';
import { hasBody, readBody } from '../http/read-body.js';
import { originOf } from '../http/read-target.js';
import { type Report, reported } from '../http/served-answer.js';
import { deliver } from '../http/wire-faults.js';
import type { Answer } from '../requests/api-call.js';
import { methodsOf } from '../requests/operation-table.js';
import { prefixOf, recreatedHeaders, type Sandbox } from '../sandboxes/sandboxes.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { memoizeLast } from '../values/memoize-last.js';
import type { Connections } from './connections.js';
import { HttpCall, type UrlOf } from './http-call.js';

/**
 * Handles one API request.
 * @param sandbox `undefined` for the server's own simulator
 * @param read body of the request, if already read
 */
export type ApiListener = (
  sandbox: Sandbox | undefined,
  request: IncomingMessage,
  response: ServerResponse,
  report: Report,
  read?: Uint8Array,
) => void;

/**
 * Creates the function that handles API requests for a server's own simulator and all sandboxes. One shared function
 * stays in the processor's caches, unlike one function per sandbox.
 * @param holdsRefusals whether the server's own simulator sends a response such as a 429 about 20 ms later, so that a
 * client's parallel requests arrive first; never in sandboxes
 * @param publicUrl start of the URLs of requests; default: by their Host header
 */
export function createApiListener(
  simulators: ServedSimulators,
  connections: Connections,
  holdsRefusals = false,
  publicUrl?: string,
): ApiListener {
  const end = createBatchedEnd();
  // Repeats the last text, so that the journal stores a base URL once.
  const sameText = memoizeLast((text: string) => text);
  const urlOf: UrlOf = (request, path) => sameText(originOf(request, publicUrl) + path);
  /** Sandboxes that were created again after their removal, and whose clients were informed by a response header. */
  const informed = new WeakSet<Sandbox>();
  const recreationHeaders = (sandbox: Sandbox | undefined) => {
    if (!sandbox?.isRecreated || informed.has(sandbox)) return undefined;
    informed.add(sandbox);
    return recreatedHeaders;
  };
  return (sandbox, request, response, report, read) => {
    const { sim } = sandbox ?? simulators;
    const [main, ...others] = sim.basePaths;
    const prefix = sandbox === undefined ? '' : prefixOf(sandbox);
    const basePath = basePathOf(request.url as string, others, prefix.length);
    const { cors, isOriginRefused } = corsOf(request, sim);
    if (isPreflight(request) && sim.settings.cors !== 'off') {
      const methods = methodsUnder(sim, basePath ?? main);
      response.writeHead(204, cors && { ...cors, ...preflightHeaders(request, methods) }).end();
      report?.({ by: 'preflight', sim, status: 204, isOriginRefused });
      return;
    }
    const deliverAndReport = (answer: Answer) => {
      deliver(request, response, { answer, cors: withExposed(cors, answer.headers), clock: sim.clock, end });
      report?.({ by: 'api', sim, ...reported(answer), isOriginRefused });
    };
    const send = (answer: Answer) => deliverAfterDelay(answer, deliverAndReport);
    const answerWith = (body: Uint8Array | undefined) => {
      const call = new HttpCall(request, response, {
        base: prefix + (basePath ?? main),
        urlOf,
        basePath,
        body,
        connection: connections.numberOf(request),
        holdsRefusals: holdsRefusals && sandbox === undefined,
        adapterHeaders: recreationHeaders(sandbox),
      });
      simulators.handle(sandbox, call, send, () => {
        // Closes the connection without a response, because the request ended during a delay: the client disconnected,
        // or the simulator was reset.
        response.destroy();
        report?.({ by: 'api', sim, status: 0 });
      });
    };
    if (read === undefined && hasBody(request)) readBody(request, answerWith);
    else answerWith(read);
  };
}

/** HTTP methods of the services under a base path; `undefined` if one of these services does not list its methods. */
function methodsUnder(sim: Simulator, basePath: string): readonly string[] | undefined {
  const services = coreOf(sim).state.services.flatMap(({ service }) => (service.basePath === basePath ? service : []));
  const methods = services.map(
    (service) => service.methods ?? (service.rows && methodsOf(Object.values(service.rows))),
  );
  return methods.includes(undefined) ? undefined : [...new Set(methods.flatMap((each) => each ?? []))];
}
