import { jsonText } from '../values/json.js';
import { isMap } from '../values/plain-data.js';

/** Part of a result that is computed during writing, so that a server handles other requests in between. */
class LazyResult {
  /** Computes the whole part at once. */
  readonly make: () => unknown;
  /** Computes the part as pieces of JSON text. */
  readonly pieces: () => Iterable<string>;

  constructor(make: () => unknown, pieces: () => Iterable<string>) {
    this.make = make;
    this.pieces = pieces;
  }

  toJSON(): unknown {
    return this.make();
  }
}

const lazy = (make: () => unknown, pieces: () => Iterable<string>) => new LazyResult(make, pieces) as never;

/** Lazy list, with one piece per item. Readable once. */
export const lazyList = <Item>(items: Iterable<Item>): Item[] =>
  lazy(
    () => [...items],
    () => listPieces(items),
  );

/** Lazy JSON Lines, with one piece per item. Readable once. */
export const lazyLines = (items: Iterable<object>): string =>
  lazy(
    () => [...linePieces(items)].join(''),
    () => linePieces(items),
  );

/** Lazy copy of plain data. */
export const lazyCopy = <Value>(value: Value): Value =>
  lazy(
    () => structuredClone(value),
    () => jsonPieces(value),
  );

/** Whether a result is lazy, or has a lazy part within `depth` levels. */
export const isLazy = (value: unknown, depth = 2): boolean =>
  value instanceof LazyResult ||
  (depth > 0 && isMap(value) && Object.values(value).some((member) => isLazy(member, depth - 1)));

/** Computes the lazy parts of a result; returns a result without lazy parts unchanged. */
export function computeLazyParts(value: unknown): unknown {
  if (value instanceof LazyResult) return value.make();
  if (!isLazy(value)) return value;
  return Object.fromEntries(Object.entries(value as object).map(([name, field]) => [name, computeLazyParts(field)]));
}

/** Maximum number of members of a map, or items of a list, in one piece. */
const mostMembers = 100;

/** JSON of a result in pieces: one per item of a lazy or long list, and one per member of a large map. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (value instanceof LazyResult) yield* value.pieces();
  else if (Array.isArray(value) && value.length > mostMembers) yield* listPieces(value);
  else if (!isMap(value)) yield jsonText(value);
  else yield* mapPieces(value);
}

function* mapPieces(map: Readonly<Record<string, unknown>>): Generator<string> {
  const names = Object.keys(map);
  const isLarge = names.length > mostMembers;
  let before = '{';
  for (const name of names) {
    const member = map[name];
    if (member === undefined) continue;
    const start = `${before}${JSON.stringify(name)}:`;
    if (isLarge) yield start + jsonText(member);
    else {
      yield start;
      yield* jsonPieces(member);
    }
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* listPieces(items: Iterable<unknown>): Generator<string> {
  let before = '[';
  for (const item of items) {
    yield before + jsonText(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function* linePieces(items: Iterable<object>): Generator<string> {
  for (const item of items) yield `${jsonText(item)}\n`;
}
