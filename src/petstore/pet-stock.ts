import { getOrCreate } from '../values/get-or-create.js';
import type { PetStatus } from './document.js';
import type { StoredPet } from './pet.js';

/** Stored pets in list order, which is the order of their ids or shuffled. */
export type PetRow = StoredPet[];

/** All stored pets, and the pets of each status, all in list order, with the joined JSON of the first pets of each row. */
export interface PetStock {
  readonly all: PetRow;
  readonly byStatus: Record<PetStatus, PetRow>;
  /**
   * Joined JSON by status; `undefined` for all pets. Created when a list is read. Must be cleared by every change except
   * a pet at the end of a row.
   */
  readonly starts: Map<PetStatus | undefined, RowStart>;
}

/** JSON array without its last bracket. */
interface Joined {
  readonly text: string;
  /** Length of the array of the first n items, at index n. */
  readonly ends: readonly number[];
}

/** JSON of the first pets of a row, up to the highest limit of a list. */
export interface RowStart {
  readonly body: Joined;
  /** UTF-8 of `body`, one character per byte. */
  readonly utf8: Joined;
  /** Lists that were read, by their number of pets: V8 keeps the joined form and the hash code of each text. */
  readonly lists: Map<number, PetList>;
}

/** List of pets as JSON; `utf8` has one character per byte. */
export interface PetList {
  readonly body: string;
  readonly utf8: string;
}

/**
 * Groups all pets by status, in list order.
 * @param petRow all pets, in list order; becomes the field `all` of the result without a copy
 */
export function fillStock(petRow: PetRow): PetStock {
  const byStatus: PetStock['byStatus'] = { available: [], pending: [], sold: [] };
  for (const pet of petRow) if (pet.status !== undefined) byStatus[pet.status].push(pet);
  return { all: petRow, byStatus, starts: new Map() };
}

/** Copies the lists of pets, so that the lists can be changed. The pets themselves are immutable and shared. */
export const copyStock = ({ all, byStatus: { available, pending, sold } }: PetStock): PetStock => ({
  all: [...all],
  byStatus: { available: [...available], pending: [...pending], sold: [...sold] },
  starts: new Map(),
});

/** Returns the pets of a status, or all pets without one. */
export const rowOf = ({ all, byStatus }: PetStock, status: PetStatus | undefined): PetRow =>
  status === undefined ? all : byStatus[status];

/** Joins the JSON of pets. */
export function joinStart(pets: readonly StoredPet[]): RowStart {
  const texts = pets.map(({ json }) => json);
  return { body: join(texts), utf8: join(texts.map(toUtf8)), lists: new Map() };
}

/** Returns the list of the first pets of a row, at most `limit`. */
export function firstOf({ body, utf8, lists }: RowStart, limit: number): PetList {
  const count = Math.min(limit, body.ends.length - 1);
  const first = ({ text, ends }: Joined) => `${text.slice(0, ends[count])}]`;
  return getOrCreate(lists, count, () => ({ body: first(body), utf8: first(utf8) }));
}

function join(texts: readonly string[]): Joined {
  let end = 0;
  const ends = texts.map(({ length }) => (end += length + 1));
  return { text: `[${texts.join()}`, ends: [1, ...ends] };
}

const encoder = new TextEncoder();

/** Encodes a text as UTF-8, one character per byte. Returns an ASCII text itself. */
const toUtf8 = (text: string): string =>
  /^\p{ASCII}*$/u.test(text) ? text : Array.from(encoder.encode(text), (byte) => String.fromCharCode(byte)).join('');
