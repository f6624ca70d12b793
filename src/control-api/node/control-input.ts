import type { Request } from 'express';
import { readTarget } from '../../http/read-target.js';
import { withRefusals } from '../../scenario/refusals.js';
import { JsonError, type JsonObject, type JsonValue, jsonText } from '../../values/json.js';
import { parseJsonInSteps } from '../../values/json-in-steps.js';
import { runToEnd, type Steps } from '../../values/steps.js';
import { ControlError, invalid } from '../control-error.js';
import type { AnyControlOperation } from '../control-operation.js';

/**
 * Reads the input of a control operation from path, query and body, as one flat object.
 * @throws {ControlError} for a body that is not a JSON object, and for a field in two places
 */
export const readInput = (request: Request, operation: AnyControlOperation): JsonObject =>
  runToEnd(readInputInSteps(request, operation));

/**
 * Reads the input of a control operation from path, query and body, as one flat object. Works in steps with other
 * requests in between, because parsing a large body takes long.
 */
export function* readInputInSteps(request: Request, operation: AnyControlOperation): Steps<JsonObject> {
  const { method, contentType } = operation;
  const query = new URLSearchParams(readTarget(request.originalUrl).query);
  const input: JsonObject = Object.create(null);
  const { sandbox: _, ...parameters } = request.params;
  const add = (name: string, value: JsonValue) => {
    if (name in input) throw invalid(`${name}: expected it once, got it twice`);
    input[name] = value;
  };
  const isOnSandbox = request.route.path.endsWith('/:sandbox');
  for (const [name, value] of Object.entries(isOnSandbox ? request.params : parameters)) add(name, value as string);
  for (const [name, value] of query) add(name, value);
  if (method !== 'GET')
    for (const [name, value] of Object.entries(yield* readBody(request, operation))) add(name, value);
  // A browser that reconnects sends the id of the last event that it received (HTML standard, section 9.2.3). The
  // stream continues after this event.
  const seen = request.headers['last-event-id'];
  if (contentType === 'text/event-stream' && typeof seen === 'string' && !('since' in input)) input.since = seen;
  return input;
}

/** Number of bytes of a request body that are decoded in one step. */
const decodedBytes = 1024 * 1024;

const charsetParameter = /;\s*charset\s*=\s*"?([^";\s]*)/i;

function* readBody({ body, headers }: Request, { path, example, bodyField }: AnyControlOperation): Steps<JsonObject> {
  if (bodyField !== undefined) return { [bodyField]: Buffer.isBuffer(body) ? (body as never) : '' };
  const charset = charsetParameter.exec(headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'us-ascii') {
    throw new ControlError(415, 'unsupported_media_type', 'The body must be JSON in UTF-8; expected no other charset.');
  }
  if (!Buffer.isBuffer(body) || body.length === 0) return {};
  const value = withRefusals(yield* readJson(body)) as JsonValue;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  const fields = Object.entries(example ?? {}).filter(([name]) => !path.includes(`{${name}}`));
  throw invalid(`The body must be a JSON object; expected one such as ${jsonText(Object.fromEntries(fields))}.`);
}

function* readJson(body: Buffer): Steps<JsonValue> {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let text = '';
    for (let index = 0; index < body.length; index += decodedBytes) {
      text += decoder.decode(body.subarray(index, index + decodedBytes), { stream: true });
      yield;
    }
    return yield* parseJsonInSteps(text + decoder.decode());
  } catch (error) {
    if (error instanceof JsonError) throw invalid(`The body is not valid JSON: ${error.message}.`);
    throw invalid('The body is not valid UTF-8.');
  }
}
