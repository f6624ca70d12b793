import { jsonText } from '../values/json.js';
import { isMap } from '../values/plain-data.js';

/** Large part of a control operation's result, computed in pieces while the response is written. */
class LazyResult {
  /**
   * Computes a lazy part of a control operation's result as one value, instead of in pieces while an HTTP response is
   * written.
   */
  readonly computeWhole: () => unknown;
  /** Computes a large result as pieces of JSON text. Between two pieces, the server handles other requests. */
  readonly pieces: () => Iterable<string>;

  constructor(computeWhole: () => unknown, pieces: () => Iterable<string>) {
    this.computeWhole = computeWhole;
    this.pieces = pieces;
  }

  toJSON(): unknown {
    return this.computeWhole();
  }
}

const lazy = (computeWhole: () => unknown, pieces: () => Iterable<string>) =>
  new LazyResult(computeWhole, pieces) as never;

/**
 * Creates a list for the result of a control operation. The items are computed while the HTTP response is written, so
 * that the server can handle other requests in between. The list can be read only once.
 */
export const lazyList = <Item>(items: Iterable<Item>): Item[] =>
  lazy(
    () => [...items],
    () => listPieces(items),
  );

/** Creates JSON Lines text that is computed line by line while the result is written. Can be read once. */
export const lazyLines = (items: Iterable<object>): string =>
  lazy(
    () => [...linePieces(items)].join(''),
    () => linePieces(items),
  );

/** Creates a value from the pieces of its JSON text, which are sent as they are. */
export const lazyJson = <Value>(pieces: readonly string[]): Value =>
  lazy(
    () => JSON.parse(pieces.join('')),
    () => pieces,
  );

/**
 * Creates a lazy copy of a plain JSON value for the result of a control operation. A caller in the same process gets a
 * copy; an HTTP response is written without one, which saves time.
 */
export const lazyCopy = <Value>(value: Value): Value =>
  lazy(
    () => structuredClone(value),
    () => jsonPieces(value),
  );

/**
 * Whether a result of a control operation contains a lazy part, which is computed only while the response is written.
 * Searches the result and `depth` levels of fields.
 */
export const isLazy = (value: unknown, depth = 2): boolean =>
  value instanceof LazyResult ||
  (depth > 0 && isMap(value) && Object.values(value).some((member) => isLazy(member, depth - 1)));

/**
 * Returns a control operation's result with its lazy parts computed. A lazy part is normally computed piece by piece
 * while the HTTP response is written. A result without lazy parts is returned unchanged.
 */
export function computeLazyParts(value: unknown): unknown {
  if (value instanceof LazyResult) return value.computeWhole();
  if (!isLazy(value)) return value;
  return Object.fromEntries(Object.entries(value as object).map(([name, field]) => [name, computeLazyParts(field)]));
}

/**
 * Maximum number of items of a list that is converted to JSON text in one step. A longer list is converted item by
 * item, so that the server can handle other requests between the steps. A map with more members is converted member by
 * member.
 */
const maximumMembers = 100;

/** Converts a result to pieces of JSON text, between which a server handles other requests. */
export function* jsonPieces(value: unknown): Generator<string> {
  if (value instanceof LazyResult) yield* value.pieces();
  else if (Array.isArray(value) && value.length > maximumMembers) yield* listPieces(value);
  else if (!isMap(value)) yield jsonText(value);
  else yield* mapPieces(value);
}

function* mapPieces(map: Readonly<Record<string, unknown>>): Generator<string> {
  const names = Object.keys(map);
  const isLarge = names.length > maximumMembers;
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
