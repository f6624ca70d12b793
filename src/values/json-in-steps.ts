import { createJsonReader, type JsonObject, type JsonValue } from './json.js';
import type { Steps } from './steps.js';

/** Number of JSON values that are parsed before the server can handle other requests. */
const valuesInStep = 64;

/**
 * Parses JSON like `parseJson`, in steps between which a server handles requests.
 * @throws {JsonError} for invalid JSON
 */
export function* parseJsonInSteps(text: string, maximumDepth?: number): Steps<JsonValue> {
  const reader = createJsonReader(text, maximumDepth);
  let count = 0;

  function* readValue(depth: number): Steps<JsonValue> {
    if (++count % valuesInStep === 0) yield;
    const open = reader.peek();
    if (open !== '[' && open !== '{') return reader.readValue(depth);
    const close = open === '[' ? ']' : '}';
    const array: JsonValue[] = [];
    const object: JsonObject = Object.create(null);
    if (reader.enter(close, depth + 1))
      do {
        if (open === '[') array.push(yield* readValue(depth + 1));
        else {
          const name = reader.readName();
          object[name] = yield* readValue(depth + 1);
        }
      } while (reader.hasNext(close));
    // Skips the whitespace after the list or map, because the caller continues at the next character, which must be a
    // comma or a bracket.
    reader.peek();
    return open === '[' ? array : object;
  }

  const value = yield* readValue(0);
  reader.end();
  return value;
}
