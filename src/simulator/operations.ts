import { invalidRequest, notFound, payloadTooLarge, unsupportedMediaType } from '../contract/api-error.js';
import type { Settings } from '../contract/assumptions.js';
import { listLimit, type OperationName, type PetStatus, petStatuses } from '../contract/document.js';
import type { Pets } from '../state/pets.js';
import { type Int64, isInt64, parseInt64 } from '../values/int64.js';
import { JsonError, type JsonObject, type JsonValue, parseJson } from '../values/json.js';
import type { ApiCall } from './api-call.js';
import type { createKeptLists } from './list-cache.js';

/** Largest request body, in bytes. A NewPet needs a few hundred. */
export const maximumBodyBytes = 64 * 1024;

/** What an operation works on. */
export interface OperationContext {
  pets: Pets;
  categories: ReadonlySet<Int64>;
  settings: Settings;
  keepList: ReturnType<typeof createKeptLists>;
}

/** A successful answer, before the headers that every answer carries. */
export interface OperationResult {
  status: number;
  body: string;
  bodyKey?: object | undefined;
  headers?: Record<string, string>;
  /** The id of the pet that was stored. */
  storedId?: string;
}

/** One operation: checks the call, runs it, and gives the answer. Throws ApiError for every documented failure. */
export type Operation = (call: ApiCall, context: OperationContext, petId: string) => OperationResult;

/** "Operation name: listPets. GET /pets." */
const listPets: Operation = (call, context) => {
  const { settings, keepList } = context;
  // The link to the next page depends on more than the query.
  if (settings.paging !== 'none') return readList(call, context);
  return keepList(call.query, settings, () => readList(call, context));
};

function readList(call: ApiCall, { pets, settings }: OperationContext): OperationResult {
  const query = new URLSearchParams(call.query);
  if (settings.unknownQuery === 'reject') rejectUnknownQuery(query, settings);
  const limit = readLimit(query, settings);
  const status = readStatusFilter(query, settings);
  if (status === 'none') return { status: 200, body: '[]' };
  const skip = settings.paging === 'none' ? 0 : readPage(query, settings.paging, pets, limit, status);
  const page = pets.list({ status, limit, skip });
  const body = `[${page.map((pet) => pet.json).join(',')}]`;
  const next = skip + page.length;
  const last = page.at(-1);
  if (settings.paging === 'none' || last === undefined || next >= pets.count(status)) return { status: 200, body };
  const value = { cursor: `after-${last.id}`, offset: String(next), page: String(next / limit + 1) }[settings.paging];
  query.set(settings.paging, value);
  return { status: 200, body, headers: { Link: `<${call.baseUrl}/pets?${query}>; rel="next"` } };
}

/** "Operation name: createPet. POST /pets." */
const createPet: Operation = (call, { pets, categories, settings }) => {
  checkContentType(call, settings);
  const body = readBody(call);
  const { name, categoryId, status } = body;
  if (name === undefined) throw invalidRequest('name is missing; it is a required string.');
  if (typeof name !== 'string') throw invalidRequest(`name is ${kind(name)}; it must be a string.`);
  if (name === '' && settings.emptyName === 'reject') throw invalidRequest('name is empty.');
  if (categoryId === undefined) throw invalidRequest('categoryId is missing; it is a required int64.');
  if (!isInt64(categoryId)) {
    throw invalidRequest(`categoryId is ${kind(categoryId)}; it must be a whole number from -2^63 to 2^63-1.`);
  }
  if (settings.unknownCategory === 'reject' && !categories.has(categoryId)) {
    throw invalidRequest(`categoryId ${categoryId} is not a known category.`);
  }
  if (status !== undefined && !isStatus(status)) {
    throw invalidRequest(`status is ${kind(status)}; it must be one of ${petStatuses.join(', ')}.`);
  }
  const defaultStatus = settings.defaultStatus === 'absent' ? undefined : settings.defaultStatus;
  const pet = pets.add({
    name,
    categoryId,
    status: status ?? defaultStatus,
    extra: settings.unknownFields === 'ignore' ? undefined : unknownFields(body, settings),
  });
  return { status: 201, body: pet.json, storedId: String(pet.id) };
};

const newPetFields = ['name', 'categoryId', 'status'];

/** The fields that NewPet does not have; `id` is the service's to give. */
function unknownFields(body: JsonObject, settings: Settings): JsonObject {
  const unknown = Object.entries(body).filter(([field]) => !newPetFields.includes(field));
  const [first] = unknown;
  if (first !== undefined && settings.unknownFields === 'reject') {
    throw invalidRequest(`${quote(first[0])} is not a field of NewPet.`);
  }
  return Object.fromEntries(unknown.filter(([field]) => field !== 'id'));
}

/** "Operation name: getPet. GET /pets/{petId}." Deprecated. */
const getPet: Operation = (_call, { pets, settings }, petId) => {
  const id = parseInt64(petId);
  if (id === undefined && settings.malformedPetId === 'reject') {
    throw invalidRequest('petId is not a whole number from -2^63 to 2^63-1.');
  }
  const pet = id === undefined ? undefined : pets.get(id);
  if (pet === undefined) throw notFound('There is no pet with this petId.');
  return { status: 200, body: pet.json };
};

export const operations: Record<OperationName, Operation> = { listPets, createPet, getPet };

function rejectUnknownQuery(query: URLSearchParams, { paging }: Settings): void {
  for (const name of query.keys()) {
    if (name !== 'limit' && name !== 'status' && name !== paging) {
      throw invalidRequest(`${quote(name)} is not a query parameter of listPets.`);
    }
  }
}

function readLimit(query: URLSearchParams, { limitOutOfRange }: Settings): number {
  const [text, ...more] = query.getAll('limit');
  if (text === undefined) return listLimit.default;
  const isWhole = more.length === 0 && /^(?:0|-?[1-9][0-9]*)$/.test(text);
  const value = isWhole ? Number(text) : Number.NaN;
  if (value >= listLimit.minimum && value <= listLimit.maximum) return value;
  if (limitOutOfRange === 'reject') {
    const found = more.length > 0 ? 'given more than once' : quote(text);
    throw invalidRequest(
      `limit is ${found}; it must be a whole number from ${listLimit.minimum} to ${listLimit.maximum}.`,
    );
  }
  if (limitOutOfRange === 'default' || Number.isNaN(value)) return listLimit.default;
  return Math.min(Math.max(value, listLimit.minimum), listLimit.maximum);
}

function readStatusFilter(query: URLSearchParams, { unknownStatusFilter }: Settings): PetStatus | 'none' | undefined {
  const [text, ...more] = query.getAll('status');
  if (text === undefined) return undefined;
  if (more.length === 0 && isStatus(text)) return text;
  if (unknownStatusFilter === 'empty') return 'none';
  if (unknownStatusFilter === 'ignore') return undefined;
  const found = more.length > 0 ? 'given more than once' : quote(text);
  throw invalidRequest(`status is ${found}; it must be one of ${petStatuses.join(', ')}.`);
}

/** How many pets the asked page leaves out. */
function readPage(
  query: URLSearchParams,
  paging: 'cursor' | 'offset' | 'page',
  pets: Pets,
  limit: number,
  status: PetStatus | undefined,
): number {
  const text = query.get(paging);
  if (text === null) return 0;
  if (paging === 'cursor') {
    const id = text.startsWith('after-') ? parseInt64(text.slice('after-'.length)) : undefined;
    if (id === undefined) throw invalidRequest('cursor is not one that a Link header gave.');
    return pets.positionAfter(id, status);
  }
  const least = paging === 'page' ? 1 : 0;
  const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : -1;
  if (value < least) throw invalidRequest(`${paging} is ${quote(text)}; it must be a whole number from ${least}.`);
  return paging === 'page' ? (value - 1) * limit : value;
}

function checkContentType(call: ApiCall, { contentType }: Settings): void {
  if (contentType === 'accept') return;
  const value = call.header('content-type');
  const encoding = call.header('content-encoding') ?? 'identity';
  const isJson = value !== undefined && /^application\/json *(?:; *charset *= *"?utf-8"? *)?$/i.test(value.trim());
  if (isJson && encoding.toLowerCase() === 'identity') return;
  const message = isJson
    ? `Content-Encoding is ${quote(encoding)}; the body must be sent as it is.`
    : `Content-Type is ${value === undefined ? 'missing' : quote(value)}; it must be application/json.`;
  throw contentType === 'unsupported' ? unsupportedMediaType(message) : invalidRequest(message);
}

function readBody({ body }: ApiCall): JsonObject {
  if (body === undefined || body.length === 0) throw invalidRequest('The body is missing; send a NewPet as JSON.');
  if (body.length > maximumBodyBytes) throw payloadTooLarge(maximumBodyBytes);
  const value = readJson(decodeUtf8(body));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw invalidRequest(`The body is ${kind(value)}; it must be a JSON object.`);
}

function decodeUtf8(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
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

const isStatus = (value: unknown): value is PetStatus => petStatuses.includes(value as PetStatus);

/** What a rejected value is, in a few words and without repeating all of it. */
function kind(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return `the string ${quote(value)}`;
  if (typeof value === 'boolean') return String(value);
  return `the number ${value}`;
}

const quote = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text);
