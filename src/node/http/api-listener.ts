import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer, ApiCall } from '../../adapters/api-call.js';
import type { Backend } from '../../control/backend.js';
import type { Sandbox } from '../../simulator/sandboxes.js';
import type { Connections } from './connections.js';
import { corsHeaders, isForeignPage, isPreflight, preflightHeaders } from './cors.js';
import { holdRefusal } from './hold-refusals.js';
import { HttpCall } from './http-call.js';
import { hasBody, readBody } from './read-body.js';
import { sendAnswer } from './send-answer.js';
import type { Report } from './served-answer.js';
import { sendWithFault } from './wire-faults.js';

/** @param read the body, where it has been read already */
export type ApiListener = (
  request: IncomingMessage,
  response: ServerResponse,
  report: Report,
  read?: Uint8Array,
) => void;

/**
 * Answers requests under a base path from the simulator, straight on `node:http`.
 * @param sandbox `undefined`: the server's own simulator answers
 * @param options.base what the target of every request begins with
 * @param options.holdsRefusals sends refusals some 20 ms later, so that the judge can tell parallel requests from serial ones
 * @param options.firstHeaders headers of the first answer on top of its own
 */
export function createApiListener(
  backend: Backend,
  sandbox: Sandbox | undefined,
  connections: Connections,
  {
    base,
    holdsRefusals = false,
    firstHeaders,
  }: { base: string; holdsRefusals?: boolean | undefined; firstHeaders?: ApiCall['adapterHeaders'] },
): ApiListener {
  const { sim } = sandbox ?? backend;
  let adapterHeaders = firstHeaders;
  return (request, response, report, read) => {
    const cors = corsHeaders(request.headers.origin, sim.settings);
    const isOriginRefused = cors === undefined && isForeignPage(request);
    if (isPreflight(request) && sim.settings.cors !== 'off') {
      response.writeHead(204, cors && { ...cors, ...preflightHeaders(request) }).end();
      report?.({ by: 'preflight', sim, status: 204, headers: {}, body: '', isOriginRefused });
      return;
    }
    const deliver = (answer: Answer) => {
      if (answer.wire === undefined) sendAnswer(response, answer, cors);
      else sendWithFault(request, response, { answer, wire: answer.wire, cors, clock: sim.clock });
      if (report === undefined) return;
      const { status, headers, body, operation, key, plan, fault, wire } = answer;
      report({ by: 'api', sim, status, headers, body, operation, key, plan, fault, wire, isOriginRefused });
    };
    const send = (answer: Answer) => {
      const { sent } = answer;
      if (sent === undefined) return deliver(answer);
      holdRefusal().then((heldMs) => {
        sent(heldMs);
        deliver(answer);
      });
    };
    const answerWith = (body: Uint8Array | undefined) => {
      const call = new HttpCall(request, response, {
        base,
        body,
        connection: connections.numberOf(request.socket),
        holdsRefusals,
        adapterHeaders,
      });
      adapterHeaders = undefined;
      backend.handle(sandbox, call, send, () => {
        // The wait of a fault ended early: the client has gone, or the simulator was reset.
        response.destroy();
        report?.({ by: 'api', sim, status: 0, headers: {}, body: '' });
      });
    };
    if (read === undefined && hasBody(request)) readBody(request, answerWith);
    else answerWith(read);
  };
}
