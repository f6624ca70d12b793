import type { ServerResponse } from 'node:http';
import type { Answer } from '../requests/api-call.js';
import { errorBody } from '../requests/api-error.js';
import { endResponse } from './end-in-batch.js';
import type { Refusal } from './guard.js';

/** Sends a response of the API or of a user's handler, with CORS headers. */
export function sendResponse(
  response: ServerResponse,
  { status, headers, body, utf8 }: Pick<Answer, 'status' | 'headers' | 'body' | 'utf8'>,
  cors: Readonly<Record<string, string>> | undefined,
  end = endResponse,
): void {
  // Keeps Node from adding a Date header if a fault rule has removed it.
  if (headers.Date === undefined) response.sendDate = false;
  const bytes = utf8 ?? toUtf8(body);
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name] as string);
  // Sends no Content-Length with a 204 (RFC 9110 section 8.6) and, like Node, with a 304.
  if (status !== 204 && status !== 304) fields.push('Content-Length', String(bytes.length));
  for (const name in cors) fields.push(name, cors[name] as string);
  response.writeHead(status, fields);
  end(response, bytes);
}

/** Encodes a text as UTF-8, one character per byte. Returns an ASCII text itself. */
const toUtf8 = (text: string) =>
  Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');

/**
 * Sends a JSON response of the server itself, without the API's headers.
 * @param more further headers, such as those for CORS
 */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  more?: Readonly<Record<string, string>>,
): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length, ...more }).end(body);
}

/**
 * Sends an error response of the server itself, such as for a forbidden host.
 * @returns the body
 */
export function sendRefusal(response: ServerResponse, refusal: Refusal): string {
  const body = errorBody(refusal);
  sendJson(response, refusal.status, body);
  return body;
}
