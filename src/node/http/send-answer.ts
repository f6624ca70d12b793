import type { ServerResponse } from 'node:http';
import type { Answer } from '../../requests/api-call.js';
import { errorBody } from '../../requests/api-error.js';
import { endTogether } from './end-together.js';
import type { Refusal } from './guard.js';

/** The text of bodies that are answered again, as `toBytes` gives it. */
const knownBytes = new WeakMap<object, string>();

/**
 * The UTF-8 bytes of a body, each as one character. Node writes such a text at once behind the headers, without memory of its
 * own for it, which a buffer or a text in UTF-8 costs it.
 */
const toBytes = (body: string): string =>
  Buffer.byteLength(body) === body.length ? body : Buffer.from(body).toString('latin1');

function bytesOf(body: string, bodyKey: object | undefined): string {
  if (bodyKey === undefined) return toBytes(body);
  let bytes = knownBytes.get(bodyKey);
  if (bytes === undefined) {
    bytes = toBytes(body);
    knownBytes.set(bodyKey, bytes);
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
  const bytes = bytesOf(body, bodyKey);
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name] as string);
  // RFC 9110 section 8.6: a 204 has no Content-Length; Node counts a 304 alike.
  if (status !== 204 && status !== 304) fields.push('Content-Length', String(bytes.length));
  for (const name in cors) fields.push(name, cors[name] as string);
  response.writeHead(status, fields);
  endTogether(response, bytes);
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
