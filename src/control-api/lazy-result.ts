import { jsonText } from '../values/json.js';
import { isMap } from '../values/plain-data.js';

/** A part of a result that is made while it is written, so that a server serves other requests in between. */
class LazyResult {
  /** Makes all of it at once. */
  readonly make: () => unknown;
  /** Writes it in pieces of text. */
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

/** A list, one piece per item. Read it once. */
export const lazyList = <Item>(items: Iterable<Item>): Item[] =>
  lazy(
    () => [...items],
    () => listPieces(items),
  );

/** JSON Lines, one piece per item. Read it once. */
export const lazyLines = (items: Iterable<object>): string =>
  lazy(
    () => [...linePieces(items)].join(''),
    () => linePieces(items),
  );

/** A copy of plain data. */
export const lazyCopy = <Value>(value: Value): Value =>
  lazy(
    () => structuredClone(value),
    () => jsonPieces(value),
  );

/** Whether a result is lazy, or has a lazy part down to this depth. */
export const isLazy = (value: unknown, depth = 2): boolean =>
  value instanceof LazyResult ||
  (depth > 0 && isMap(value) && Object.values(value).some((member) => isLazy(member, depth - 1)));

/** The result with its lazy parts made; without any the result itself. */
export function makeWhole(value: unknown): unknown {
  if (value instanceof LazyResult) return value.make();
  if (!isLazy(value)) return value;
  return Object.fromEntries(Object.entries(value as object).map(([name, field]) => [name, makeWhole(field)]));
}

/** Members of a map, and items of a list, that are written in one piece. */
const mostMembers = 100;

/** JSON of a result in pieces: one per item of a lazy or a long list, and per member of a large map. */
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
