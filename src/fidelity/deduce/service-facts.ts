import { operationTable } from '../../petstore/operations.js';
import { isValidField, newPetFieldNames, newPetFields, type Pet } from '../../petstore/pet.js';
import type { Exchange } from '../../traffic-files/exchange.js';
import { type Int64, isInt64 } from '../../values/int64.js';
import { type JsonObject, type JsonValue, parseJson } from '../../values/json.js';
import { textOfBytes } from '../../values/json-bytes.js';

/** Recorded request and response, with the bodies parsed as JSON. */
export interface ParsedExchange extends Exchange {
  /** Parsed response body; `undefined` if it is not JSON or was not recorded. */
  readonly body: JsonValue | undefined;
  readonly sent: JsonValue | undefined;
}

/** Pets and categories of the API under test that its responses have shown so far. */
export class ServiceFacts {
  readonly pets = new Map<string, Pet>();
  /** Ids of the shown pets that a DELETE has removed, or may have removed if its response was lost. */
  readonly deleted = new Set<string>();
  /** Ids of the pets that recorded requests have stored. */
  readonly created = new Set<string>();
  readonly categories = new Set<Int64>();
  /**
   * Names of request parts that the real API has accepted, such as a body field, and of page parameters without effect.
   * A rejected request is evidence against one part only if all other parts were accepted.
   */
  readonly accepted = new Set<string>();
  /**
   * Ids of the pets in the real API's latest list of at least two pets, requested without filter or page parameter. The
   * test of paging compares page 2 with the list's second pet.
   */
  lastListIds: readonly string[] = [];

  note(exchange: ParsedExchange): void {
    const { operation, status, body, method, query, path } = exchange;
    if (method === 'DELETE' && (status < 400 || status >= 500)) this.deleted.add(petIdIn(path));
    if (status === 201) for (const feature of featuresOf(exchange)) this.accepted.add(feature);
    if (status === 201 && operation === 'createPet') {
      const pet = asPet(body);
      if (pet !== undefined) this.created.add(String(pet.id));
    }
    if (status !== 200 && status !== 201) return;
    if (operation === 'listPets' && Array.isArray(body) && body.length > 1 && /^(limit=\d+)?$/.test(query)) {
      this.lastListIds = body.map((value) => String(asPet(value)?.id));
    }
    for (const value of Array.isArray(body) ? body : [body]) {
      const pet = method === 'HEAD' ? undefined : asPet(value);
      if (pet === undefined) continue;
      this.pets.set(String(pet.id), pet);
      this.deleted.delete(String(pet.id));
      this.categories.add(pet.categoryId);
    }
  }

  /** Whether the service has a pet, as far as the responses so far have shown. */
  isStored(petId: string): boolean {
    return this.pets.has(petId) && !this.deleted.has(petId);
  }

  /** Number of distinct pets in the responses so far that no request has removed. The service has at least these pets. */
  get total(): number {
    return this.pets.size - [...this.deleted].filter((id) => this.pets.has(id)).length;
  }

  /**
   * Pets that existed in the real API before the first recorded request: all pets in recorded responses, except those
   * that a recorded request created.
   */
  get initialPets(): Pet[] {
    return [...this.pets.values()].filter(({ id }) => !this.created.has(String(id)));
  }
}

/** Returns the id in the path of a pet, as text. */
export const petIdIn = (path: string): string => path.slice(operationTable.rows.getPet.path.indexOf('{'));

/**
 * Lists the properties of a request that can be the reason for a rejection, each as a text: operation, API key,
 * Content-Type, query parameters and body fields.
 */
export function featuresOf({ method, operation, token, query, requestHeaders, sent }: ParsedExchange): string[] {
  const fields = isObject(sent) ? Object.entries(sent) : [];
  return [
    `${method} ${operation ?? ''}`,
    `key ${token ?? ''}`,
    `Content-Type ${requestHeaders['content-type'] ?? ''}`,
    ...[...new URLSearchParams(query).keys()].map((name) => `query ${name}`),
    ...fields.flatMap(([field, value]) => {
      // Ignores the text of pet names, because it differs between requests.
      const shown = field === 'name' && value !== '' ? 'text' : String(value);
      return [`field ${field}=${shown}`, ...(isInt64(value) ? [`field ${field}: ${shown.length} digits`] : [])];
    }),
  ];
}

export function parseExchange(exchange: Exchange): ParsedExchange {
  const { responseBody, requestBody } = exchange;
  return {
    ...exchange,
    body: readText(textOfBytes(responseBody)),
    sent: requestBody && readText(textOfBytes(requestBody)),
  };
}

function readText(text: string): JsonValue | undefined {
  try {
    return text === '' ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
}

export const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads a pet in a response. `extra` has the fields that the API document does not have; absent if none. */
export function asPet(value: JsonValue | undefined): Pet | undefined {
  if (!isObject(value)) return undefined;
  const { id, ...rest } = value;
  if (!isInt64(id)) return undefined;
  const pet: JsonObject = { id };
  for (const field of newPetFieldNames) {
    const isValid = isValidField(field, rest[field]);
    if (!isValid && newPetFields[field].isRequired) return undefined;
    if (isValid && rest[field] !== undefined) pet[field] = rest[field];
    delete rest[field];
  }
  if (Object.keys(rest).length > 0) pet.extra = rest;
  return pet as unknown as Pet;
}
