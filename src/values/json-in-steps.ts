import { createJsonReader, type JsonObject, type JsonValue } from './json.js';
import type { Steps } from './steps.js';

/** Lists and maps down to this level are read item by item; what is in them is small enough for one step. */
const steppedDepth = 3;

/** As `parseJson`, in steps. @throws {JsonError} */
export function* parseJsonInSteps(text: string, maximumDepth?: number): Steps<JsonValue> {
  const reader = createJsonReader(text, maximumDepth);
  const value = yield* valueInSteps(reader, 0);
  reader.end();
  return value;
}

function* valueInSteps(reader: ReturnType<typeof createJsonReader>, depth: number): Steps<JsonValue> {
  const open = reader.peek();
  if (depth === steppedDepth || (open !== '[' && open !== '{')) {
    const value = reader.readValue(depth);
    yield;
    return value;
  }
  const close = open === '[' ? ']' : '}';
  const array: JsonValue[] = [];
  const object: JsonObject = Object.create(null);
  if (reader.enter(close))
    do {
      if (open === '[') array.push(yield* valueInSteps(reader, depth + 1));
      else {
        const name = reader.readName();
        object[name] = yield* valueInSteps(reader, depth + 1);
      }
    } while (reader.hasNext(close));
  // Behind the value, as `readValue` goes.
  reader.peek();
  return open === '[' ? array : object;
}
