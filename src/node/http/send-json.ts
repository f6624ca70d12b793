import type { ServerResponse } from 'node:http';
import { errorBody } from '../../contract/api-error.js';
import type { Refusal } from './guard.js';

export const refuse = (response: ServerResponse, refusal: Refusal) =>
  sendJson(response, refusal.status, errorBody(refusal));

/** An answer of the server itself, not of the API. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  cors?: Readonly<Record<string, string>>,
): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length, ...cors }).end(body);
}
