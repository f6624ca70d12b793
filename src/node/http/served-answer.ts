import type { IncomingMessage } from 'node:http';
import type { Answer } from '../../requests/api-call.js';
import type { Simulator } from '../../simulator/simulator.js';

/**
 * Response of the server to one request, for a log. Only the API sets `operation`, `key`, `plan`, `fault` and `wire`.
 */
export interface ServedAnswer extends Partial<Pick<Answer, 'operation' | 'key' | 'plan' | 'fault' | 'wire'>> {
  /**
   * Part of the server that responded: the API, a custom handler, the control API, a CORS preflight, or the server
   * itself (unknown path, forbidden host).
   */
  by: 'api' | 'handler' | 'control' | 'preflight' | 'server';
  /** Simulator of the request: of its sandbox, or the server's own. */
  sim: Simulator;
  /** Response status; 0 if the connection ended without a response. */
  status: number;
  headers: Readonly<Record<string, string>>;
  /** Body of the response. Of handlers and the control API, only an Error body. */
  body: string;
  /**
   * Whether the request is from a page whose origin `cors` does not allow, so that the page cannot read the response.
   */
  isOriginRefused?: boolean;
}

/** Known parts of a request; empty for malformed HTTP or incomplete headers. */
export type AnsweredRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Called for every response of the server, after it was passed to the socket. */
export type OnAnswer = (request: AnsweredRequest, answer: ServedAnswer, durationMs: number) => void;

/** Reports the response to one request; `undefined` without a listener. */
export type Report = ((answer: ServedAnswer) => void) | undefined;

/** @param onAnswer callback, whose errors are printed; a log must not stop the server */
export function createReport(request: AnsweredRequest, onAnswer: OnAnswer | undefined): Report {
  if (onAnswer === undefined) return undefined;
  const startMs = performance.now();
  return (answer) => {
    try {
      onAnswer(request, answer, performance.now() - startMs);
    } catch (error) {
      console.error(error);
    }
  };
}
