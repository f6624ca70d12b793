import type { ServerResponse } from 'node:http';
import type { Answer } from '../../adapters/api-call.js';
import { errorBody } from '../../contract/api-error.js';
import type { Refusal } from './guard.js';

/**
 * The bytes of bodies that are answered again. A buffer spares Node to encode the text and to count its bytes each time
 * (+20 % requests a second on the list).
 */
const encodedBodies = new WeakMap<object, Buffer>();

function encoded(body: string, bodyKey: object | undefined): string | Buffer {
  if (bodyKey === undefined) return body;
  let bytes = encodedBodies.get(bodyKey);
  if (bytes === undefined) {
    bytes = Buffer.from(body);
    encodedBodies.set(bodyKey, bytes);
  }
  return bytes;
}

/** Sends an answer of the API or of a handler, with the headers that let a page read it. */
export function sendAnswer(
  response: ServerResponse,
  { status, headers, body, bodyKey }: Pick<Answer, 'status' | 'headers' | 'body' | 'bodyKey'>,
  cors: Readonly<Record<string, string>> | undefined,
): void {
  // A fault may leave it out; Node would put in the date of the machine.
  if (headers.Date === undefined) response.sendDate = false;
  const content = encoded(body, bodyKey);
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name] as string);
  // RFC 9110 section 8.6: a 204 has no Content-Length; Node counts a 304 alike.
  if (status !== 204 && status !== 304) fields.push('Content-Length', String(Buffer.byteLength(content)));
  for (const name in cors) fields.push(name, cors[name] as string);
  response.writeHead(status, fields).end(content);
}

/** Sends an answer of the server itself, which has none of the API's headers. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: string,
  cors?: Readonly<Record<string, string>>,
): void {
  const length = Buffer.byteLength(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length, ...cors }).end(body);
}

/** Sends a refusal as an Error body. @returns the body */
export function sendRefusal(response: ServerResponse, refusal: Refusal): string {
  const body = errorBody(refusal);
  sendJson(response, refusal.status, body);
  return body;
}
