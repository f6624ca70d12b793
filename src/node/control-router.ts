import express, { type ErrorRequestHandler, type Express } from 'express';
import { errorBody } from '../interface/errors.js';
import { openapi } from '../interface/openapi.js';
import type { Simulator } from '../simulator.js';

/** Largest body of a control request. */
const maximumBodyBytes = 5 * 1024 * 1024;

/** The control API under `/__sim`: JSON in, JSON out, errors in the shape of the API's Error object. */
export function createControlRouter(sim: Simulator): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag');
  app.use((_request, response, next) => {
    response.set({
      'Cache-Control': 'no-store',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'X-Content-Type-Options': 'nosniff',
    });
    next();
  });
  app.use(express.json({ limit: maximumBodyBytes, type: () => true }));

  app
    .route('/__sim/health')
    .get((_request, response) => {
      response.json({ status: 'ok', scenario: sim.name });
    })
    .all(methodNotAllowed('GET'));
  app
    .route('/__sim/service.json')
    .get((_request, response) => {
      response.json(openapi);
    })
    .all(methodNotAllowed('GET'));
  app
    .route('/__sim/reset')
    .post((_request, response) => {
      sim.reset();
      response.json({ scenario: sim.name, clock: clockState(sim) });
    })
    .all(methodNotAllowed('POST'));
  app
    .route('/__sim/clock')
    .get((_request, response) => {
      response.json(clockState(sim));
    })
    .post((request, response) => {
      moveClock(sim, request.body);
      response.json(clockState(sim));
    })
    .all(methodNotAllowed('GET, POST'));

  app.use(() => {
    throw new ControlError(404, 'not_found', 'There is no such control path.');
  });
  app.use(answerError);
  return app;
}

/** A control request that cannot be done; the message says what was expected. */
class ControlError extends Error {
  override readonly name = 'ControlError';
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const methodNotAllowed = (allowed: string) => (request: express.Request, response: express.Response) => {
  response.set('Allow', allowed);
  throw new ControlError(405, 'method_not_allowed', `Method ${request.method} is not supported here; use ${allowed}.`);
};

const clockState = ({ clock }: Simulator) => ({
  now: new Date(clock.now()).toISOString(),
  mode: clock.frozen ? 'frozen' : 'real',
});

function moveClock({ clock }: Simulator, body: unknown): void {
  const verbs = typeof body === 'object' && body !== null ? Object.entries(body) : [];
  const [verb, value] = verbs.length === 1 ? (verbs[0] as [string, unknown]) : ['', undefined];
  const isTime = typeof value === 'string' || typeof value === 'number';
  if (verb === 'advance' && isTime) clock.advance(value);
  else if (verb === 'set' && isTime) clock.set(value);
  else if (verb === 'freeze' && value === true) clock.freeze();
  else if (verb === 'resume' && value === true) clock.resume();
  else {
    throw new RangeError(
      'expected one of {"advance":"61s"}, {"set":"2030-12-05T00:00:00Z"}, {"freeze":true}, {"resume":true}',
    );
  }
}

/** Express asks for four parameters to know an error handler. */
const answerError: ErrorRequestHandler = (error, _request, response, _next) => {
  const { status, code, message } = describeError(error);
  response.status(status).type('application/json').send(errorBody({ status, code, message }));
};

function describeError(error: unknown): { status: number; code: string; message: string } {
  if (error instanceof ControlError) return error;
  if (error instanceof RangeError) return { status: 400, code: 'invalid_request', message: error.message };
  const { status = 500, type = '' } = error as { status?: number; type?: string };
  if (status === 413)
    return { status, code: 'payload_too_large', message: `The body is larger than ${maximumBodyBytes} bytes.` };
  if (type === 'entity.parse.failed')
    return { status, code: 'invalid_request', message: 'The body is not valid JSON.' };
  if (status >= 400 && status < 500) return { status, code: 'invalid_request', message: 'The body cannot be read.' };
  console.error(error);
  return { status: 500, code: 'internal_error', message: 'The simulator failed; this is a bug of the simulator.' };
}
