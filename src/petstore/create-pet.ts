import type { ApiCall } from '../requests/api-call.js';
import {
  ApiError,
  invalidRequest,
  maximumBodyBytes,
  payloadTooLarge,
  unsupportedMediaType,
} from '../requests/api-error.js';
import { isInt64 } from '../values/int64.js';
import { JsonError, type JsonObject, type JsonValue, parseJson } from '../values/json.js';
import { newPetFields, petStatuses } from './document.js';
import { describe, isStatus, type Operation, quote } from './operation.js';
import type { Settings } from './settings.js';

/**
 * Runs the operation createPet, which stores a new pet. The API's documentation: "Operation name: createPet. POST
 * /pets."
 */
export const createPet: Operation = (call, { pets, categories, settings }) => {
  checkContentType(call, settings);
  const body = readBody(call);
  const { name, categoryId, status } = body;
  if (name === undefined) throw invalidRequest('name is missing; it is a required string.');
  if (typeof name !== 'string') throw invalidRequest(`name is ${describe(name)}; it must be a string.`);
  if (name === '' && settings.emptyName === 'reject') throw invalidRequest('name is empty.', 'emptyName');
  if (categoryId === undefined) throw invalidRequest('categoryId is missing; it is a required int64.');
  if (!isInt64(categoryId)) {
    throw invalidRequest(`categoryId is ${describe(categoryId)}; it must be a whole number from -2^63 to 2^63-1.`);
  }
  if (settings.unknownCategory === 'reject' && !categories.has(categoryId)) {
    throw invalidRequest(`categoryId ${categoryId} is not a known category.`, 'unknownCategory');
  }
  if (status !== undefined && !isStatus(status)) {
    throw invalidRequest(`status is ${describe(status)}; it must be one of ${petStatuses.join(', ')}.`);
  }
  const defaultStatus = settings.defaultStatus === 'absent' ? undefined : settings.defaultStatus;
  const extra = settings.unknownFields === 'ignore' ? undefined : unknownFields(body, settings);
  try {
    const pet = pets.add({ name, categoryId, status: status ?? defaultStatus, extra });
    return { status: 201, body: pet.json, storedId: String(pet.id) };
  } catch (error) {
    // Converts a `RangeError` to a 500 response. `pets.add` throws a `RangeError` only if no pet id up to the greatest
    // int64 is free.
    throw error instanceof RangeError ? new ApiError(500, 'internal_error', error.message) : error;
  }
};

/** Returns the fields of a request body that NewPet does not define, except `id`, which the service assigns. */
function unknownFields(body: JsonObject, settings: Settings): JsonObject {
  const unknown = Object.entries(body).filter(([field]) => !newPetFields.includes(field));
  const [first] = unknown;
  if (first !== undefined && settings.unknownFields === 'reject') {
    throw invalidRequest(`${quote(first[0])} is not a field of NewPet.`, 'unknownFields');
  }
  return Object.fromEntries(unknown.filter(([field]) => field !== 'id'));
}

/** Pattern of the Content-Type of JSON in UTF-8. Allows any number of empty parameters (RFC 9110 section 5.6.6). */
const jsonType = /^application\/json\s*(?:;\s*(?:charset *= *"?utf-8"?\s*)?)*$/i;

function checkContentType(call: ApiCall, { contentType }: Settings): void {
  if (contentType === 'accept') return;
  const value = call.header('content-type');
  const encoding = call.header('content-encoding') ?? 'identity';
  const isJson = value !== undefined && jsonType.test(value.trim());
  if (isJson && encoding.toLowerCase() === 'identity') return;
  const message = isJson
    ? `Content-Encoding is ${quote(encoding)}; the body must be sent as it is.`
    : `Content-Type is ${value === undefined ? 'missing' : quote(value)}; it must be application/json.`;
  const refuse = contentType === 'unsupported' ? unsupportedMediaType : invalidRequest;
  throw refuse(message, 'contentType');
}

function readBody({ body }: ApiCall): JsonObject {
  if (body === undefined || body.length === 0) throw invalidRequest('The body is missing; send a NewPet as JSON.');
  if (body.length > maximumBodyBytes) throw payloadTooLarge();
  const value = readJson(decodeUtf8(body));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw invalidRequest(`The body is ${describe(value)}; it must be a JSON object.`);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(body: Uint8Array): string {
  try {
    return decoder.decode(body);
  } catch {
    throw invalidRequest('The body is not valid UTF-8.');
  }
}

function readJson(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw invalidRequest(`The body is not valid JSON: ${error.message}.`);
    throw error;
  }
}
