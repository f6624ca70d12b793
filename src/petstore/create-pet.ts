import type { ApiCall } from '../requests/api-call.js';
import {
  ApiError,
  invalidRequest,
  maximumBodyBytes,
  payloadTooLarge,
  unsupportedMediaType,
} from '../requests/api-error.js';
import type { Int64 } from '../values/int64.js';
import { JsonError, type JsonObject, type JsonValue, parseJson } from '../values/json.js';
import { describe, type Operation, type OperationContext, quote } from './operation.js';
import { type NewPetField, newPetFields, readNewPet } from './pet.js';
import type { Settings } from './settings.js';

/**
 * Runs the operation createPet, which stores a new pet. The API's documentation: "Operation name: createPet. POST
 * /pets."
 */
export const createPet: Operation = (call, context) => {
  const { pets, settings } = context;
  checkContentType(call, settings);
  const body = readBody(call);
  const pet = readNewPet(body, (field, value) => readField(field, value, context));
  if (pet.status === undefined && settings.defaultStatus !== 'absent') pet.status = settings.defaultStatus;
  if (settings.unknownFields !== 'ignore') pet.extra = unknownFields(body, settings);
  try {
    const { id, json } = pets.add(pet);
    return { status: 201, body: json, storedId: String(id) };
  } catch (error) {
    // Converts a `RangeError` to a 500 response. `pets.add` throws a `RangeError` only if no pet id up to the greatest
    // int64 is free.
    throw error instanceof RangeError ? new ApiError(500, 'internal_error', error.message) : error;
  }
};

/** Checks the value of a field of a NewPet, by the field's row and by the assumptions about the field. */
function readField(field: NewPetField, value: JsonValue | undefined, context: OperationContext) {
  const { isRequired, type, form, accepts } = newPetFields[field];
  if (value === undefined) {
    if (isRequired) throw invalidRequest(`${field} is missing; it is a required ${type}.`);
    return undefined;
  }
  if (!accepts(value)) throw invalidRequest(`${field} is ${describe(value)}; it must be ${form}.`);
  refusals[field]?.(value, context);
  return value;
}

/** Refusals of valid values, by assumptions. */
const refusals: Partial<Record<NewPetField, (value: JsonValue, context: OperationContext) => void>> = {
  name(value, { settings }) {
    if (value === '' && settings.emptyName === 'reject') throw invalidRequest('name is empty.', 'emptyName');
  },
  categoryId(value, { categories, settings }) {
    if (settings.unknownCategory === 'reject' && !categories.has(value as Int64))
      throw invalidRequest(`categoryId ${value} is not a known category.`, 'unknownCategory');
  },
};

/** Returns the fields of a request body that NewPet does not define, except `id`, which the service assigns. */
function unknownFields(body: JsonObject, settings: Settings): JsonObject {
  const unknown = Object.entries(body).filter(([field]) => !Object.hasOwn(newPetFields, field));
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
