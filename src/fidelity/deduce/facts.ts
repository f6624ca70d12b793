import type { PetStatus } from '../../petstore/document.js';
import { isStatus } from '../../petstore/operation.js';
import type { Exchange } from '../../traffic-files/exchange.js';
import { type Int64, isInt64 } from '../../values/int64.js';
import { type JsonObject, type JsonValue, parseJson } from '../../values/json.js';
import { textOfBytes } from '../../values/json-bytes.js';

/** A pet as an answer shows it; fields beyond those of the document are left out. */
export interface SeenPet {
  readonly id: Int64;
  readonly name: string;
  readonly categoryId: Int64;
  readonly status: PetStatus | undefined;
  /** Fields that the document does not name, where there are any. */
  readonly extra?: JsonObject;
}

/** An answer with its body read. */
export interface ReadExchange extends Exchange {
  /** `undefined` where the body is not JSON, or was not recorded. */
  readonly body: JsonValue | undefined;
  readonly sent: JsonValue | undefined;
}

/** What answers have shown of the data behind the service. */
export class Facts {
  readonly pets = new Map<string, SeenPet>();
  /** The ids of pets that requests in the recording have stored. */
  readonly created = new Set<string>();
  readonly categories = new Set<Int64>();
  /** Controls of clues: the features of each accepted request that stores a pet, and query parameters without effect. */
  readonly accepted = new Set<string>();
  /** The ids of the latest list of two pets or more without a filter or a page. */
  listed: readonly string[] = [];

  note(exchange: ReadExchange): void {
    const { operation, status, body, method, query } = exchange;
    if (status === 201) for (const feature of featuresOf(exchange)) this.accepted.add(feature);
    if (status === 201 && operation === 'createPet') {
      const pet = asPet(body);
      if (pet !== undefined) this.created.add(String(pet.id));
    }
    if (status !== 200 && status !== 201) return;
    if (operation === 'listPets' && Array.isArray(body) && body.length > 1 && /^(limit=\d+)?$/.test(query)) {
      this.listed = body.map((value) => String(asPet(value)?.id));
    }
    for (const value of Array.isArray(body) ? body : [body]) {
      const pet = method === 'HEAD' ? undefined : asPet(value);
      if (pet === undefined) continue;
      this.pets.set(String(pet.id), pet);
      this.categories.add(pet.categoryId);
    }
  }

  /** How many pets there are at least. */
  get total(): number {
    return this.pets.size;
  }
}

/** The features of a request for which a service may refuse it: its key, its names, its fields and their values. */
export function featuresOf({ method, operation, token, query, requestHeaders, sent }: ReadExchange): string[] {
  const fields = isObject(sent) ? Object.entries(sent) : [];
  return [
    `${method} ${operation ?? ''}`,
    `key ${token ?? ''}`,
    `Content-Type ${requestHeaders['content-type'] ?? ''}`,
    ...[...new URLSearchParams(query).keys()].map((name) => `query ${name}`),
    ...fields.flatMap(([field, value]) => {
      // Of a name only the presence matters: every pet has another one.
      const shown = field === 'name' && value !== '' ? 'text' : String(value);
      return [`field ${field}=${shown}`, ...(isInt64(value) ? [`field ${field}: ${shown.length} digits`] : [])];
    }),
  ];
}

export function readExchange(exchange: Exchange): ReadExchange {
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

export function asPet(value: JsonValue | undefined): SeenPet | undefined {
  if (!isObject(value)) return undefined;
  const { id, name, categoryId, status, ...extra } = value;
  if (!isInt64(id) || typeof name !== 'string' || !isInt64(categoryId)) return undefined;
  const pet = { id, name, categoryId, status: isStatus(status) ? status : undefined };
  return Object.keys(extra).length > 0 ? { ...pet, extra } : pet;
}
