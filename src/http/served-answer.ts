import type { IncomingMessage } from 'node:http';
import type { Answer } from '../requests/api-call.js';
import type { Simulator } from '../simulator/simulator.js';

/**
 * Response of the server to one request, for the request log. Only responses of the API have `operation`, `key`,
 * `plan`, `refusal`, `fault` (name of the applied fault rule), `refusedBy` and `wire` (fault of the connection or the bytes).
 */
export interface ServedAnswer
  extends Partial<Pick<Answer, 'operation' | 'key' | 'plan' | 'refusal' | 'cost' | 'fault' | 'refusedBy' | 'wire'>> {
  /**
   * Part of the server that responded: API, user's handler, control API, CORS preflight, or the server itself (unknown
   * path, forbidden host).
   */
  by: 'api' | 'handler' | 'control' | 'preflight' | 'server';
  /** Simulator to which the request belongs: its sandbox's, or the server's own. */
  sim: Simulator;
  /** Response status; 0 if the connection ended without a response. */
  status: number;
  headers: Readonly<Record<string, string>>;
  /**
   * Body of the response, for the request log. Empty for successful responses of the control API and of custom routes
   * (the user's msw handlers).
   */
  body: string;
  /**
   * Whether the request came from a web page whose origin is not allowed. The browser then hides the response from the
   * page.
   */
  isOriginRefused?: boolean;
}

/** Parts of a request that the server could read. All are undefined for malformed HTTP. */
export type AnsweredRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Called for every response of the server, after the response was passed to the socket. */
export type OnAnswer = (request: AnsweredRequest, answer: ServedAnswer, durationMs: number) => void;

/**
 * Function that reports a response to the user's callback `onAnswer`; `undefined` if the user has set no callback.
 * Omitted headers are reported as `{}`, and an omitted body as an empty text.
 */
export type Report =
  | ((answer: Pick<ServedAnswer, 'by' | 'sim' | 'status'> & Partial<ServedAnswer>) => void)
  | undefined;

/** Selects the fields of an API response that are reported for the request log, which prints one line per request. */
export function reported(answer: Answer) {
  const { status, headers, body, operation, key, plan, refusal, cost, fault, refusedBy, wire } = answer;
  return { status, headers, body, operation, key, plan, refusal, cost, fault, refusedBy, wire };
}

/**
 * Creates the function that reports a request to `onAnswer`. Prints errors of `onAnswer`, because the user's logging
 * must not stop the server.
 */
export function createReport(request: AnsweredRequest, onAnswer: OnAnswer | undefined): Report {
  if (onAnswer === undefined) return undefined;
  const startMs = performance.now();
  return (answer) => {
    try {
      onAnswer(request, { headers: {}, body: '', ...answer }, performance.now() - startMs);
    } catch (error) {
      console.error(error);
    }
  };
}
