import type { IncomingMessage } from 'node:http';
import type { Answer } from '../../requests/api-call.js';
import type { Simulator } from '../../simulator/simulator.js';

/** What the server answered to one request, for a log. `operation`, `key`, `plan`, `fault` and `wire` are the API's. */
export interface ServedAnswer extends Partial<Pick<Answer, 'operation' | 'key' | 'plan' | 'fault' | 'wire'>> {
  /**
   * Which part of the server answered: the API, an msw handler, the control API, the server to a CORS preflight, or the
   * server itself, where none of them did: an unknown path, a host that is not allowed.
   */
  by: 'api' | 'handler' | 'control' | 'preflight' | 'server';
  /** The simulator that the request was for: that of its sandbox, or the server's. */
  sim: Simulator;
  /** 0 when the connection ended without an answer. */
  status: number;
  headers: Readonly<Record<string, string>>;
  /** The text that was ready to be sent; of handlers and of control only an Error body. */
  body: string;
  /** Whether the request came from a page of an origin that `cors` does not allow: the page cannot read the answer. */
  isOriginRefused?: boolean;
}

/** What is known of a request: nothing where its bytes are not HTTP, or not all of its headers came. */
export type AnsweredRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Called for every answer of the server, when it has been handed to the socket. */
export type OnAnswer = (request: AnsweredRequest, answer: ServedAnswer, durationMs: number) => void;

/** Reports the answer to one request; `undefined` where nobody listens. */
export type Report = ((answer: ServedAnswer) => void) | undefined;

/** @param onAnswer what it throws is printed: a log must not end the server */
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
