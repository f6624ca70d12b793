import type { PetStatus } from '../interface/contract.js';
import { compareInt64, type Int64, nextInt64 } from '../interface/int64.js';
import { type JsonObject, stringifyJson } from '../interface/json.js';
import { seededFraction } from './random.js';

/** An animal as the API shows it. `status` is missing only under the assumption `defaultStatus: absent`. */
export interface Pet {
  readonly id: Int64;
  readonly name: string;
  readonly categoryId: Int64;
  readonly status?: PetStatus | undefined;
  /** Body fields that NewPet does not have, kept only under the assumption `unknownFields: echo`. */
  readonly extra?: JsonObject | undefined;
}

/** A stored animal: what the API shows, and the same as JSON text, written once. Never changed, only replaced. */
export interface StoredPet extends Pet {
  readonly json: string;
}

export type ListOrder = 'id-ascending' | 'newest-first' | 'shuffled';

/** Which animals to list, where to start, and how many. */
export interface PetQuery {
  status?: PetStatus | undefined;
  /** At most this many. Default: all. */
  limit?: number | undefined;
  /** How many to leave out first. Default 0. */
  skip?: number | undefined;
}

export interface PetsOptions {
  order: ListOrder;
  /** Decides the order `shuffled`. */
  seed: number;
  /** The first id to give. Default: one above the highest to start from. */
  idStart?: Int64 | undefined;
}

/** Animals in one order. */
type Row = StoredPet[];
type HasId = Pick<Pet, 'id'>;

/**
 * The store of animals: a map by id, and a row of all and of each status in list order.
 * A look-up costs O(1), a list O(limit), a create O(1) at any size (shuffled: a create O(n)).
 */
export class Pets {
  #compare: (a: HasId, b: HasId) => number = byId;
  #newestFirst = false;
  #idStart: Int64 = 1;
  #seedPets: readonly StoredPet[] = [];
  #byId = new Map<Int64, StoredPet>();
  #all: Row = [];
  #byStatus = emptyRows();
  #nextId: Int64 = 1;

  constructor(seedPets: readonly Pet[], options: PetsOptions) {
    this.seed(seedPets, options);
  }

  /** Takes other animals to start from, and starts from them. */
  seed(seedPets: readonly Pet[], { order, seed, idStart }: PetsOptions): void {
    this.#compare = order === 'shuffled' ? byShuffle(seed) : byId;
    this.#newestFirst = order === 'newest-first';
    this.#seedPets = seedPets.map(stored).sort(this.#compare);
    const highest = seedPets.reduce<Int64>((most, { id }) => (compareInt64(id, most) > 0 ? id : most), 0);
    this.#idStart = idStart ?? nextInt64(highest);
    this.reset();
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: Int64): StoredPet | undefined {
    return this.#byId.get(id);
  }

  /** Animals in list order. */
  list({ status, limit = Number.POSITIVE_INFINITY, skip = 0 }: PetQuery = {}): StoredPet[] {
    const row = this.#row(status);
    if (!this.#newestFirst) return row.slice(skip, skip + limit);
    const end = Math.max(0, row.length - skip);
    return row.slice(Math.max(0, end - limit), end).reverse();
  }

  /** How many animals have the status; without one, how many there are. */
  count(status?: PetStatus): number {
    return this.#row(status).length;
  }

  /** How many animals of the filtered list stand up to and including this id, stored or not: where a cursor goes on. */
  positionAfter(id: Int64, status?: PetStatus): number {
    const row = this.#row(status);
    const position = this.#firstFrom(row, { id });
    if (this.#newestFirst) return row.length - position;
    return row[position]?.id === id ? position + 1 : position;
  }

  /**
   * Stores a new animal.
   * @param pet with an `id` only to choose it; otherwise the next free one is given
   * @throws {RangeError} when the id is taken
   */
  add(pet: Omit<Pet, 'id'> & { id?: Int64 | undefined }): StoredPet {
    const id = pet.id ?? this.#freeId();
    if (this.#byId.has(id)) throw new RangeError(`Failed to add a pet: expected a free id, got ${id}, which is taken`);
    const added = stored({ ...pet, id });
    this.#byId.set(id, added);
    this.#place(this.#all, added);
    if (added.status !== undefined) this.#place(this.#byStatus[added.status], added);
    if (pet.id === undefined) this.#nextId = nextInt64(id);
    return added;
  }

  /** Replaces fields of an animal; `undefined` when there is none with this id. */
  update(id: Int64, changes: Partial<Omit<Pet, 'id'>>): StoredPet | undefined {
    const before = this.#byId.get(id);
    if (before === undefined) return undefined;
    const after = stored({ ...before, ...changes, id });
    this.#byId.set(id, after);
    this.#all[this.#firstFrom(this.#all, before)] = after;
    if (before.status !== undefined) this.#takeOut(this.#byStatus[before.status], before);
    if (after.status !== undefined) this.#place(this.#byStatus[after.status], after);
    return after;
  }

  /** Removes an animal; `false` when there is none with this id. */
  remove(id: Int64): boolean {
    const pet = this.#byId.get(id);
    if (pet === undefined) return false;
    this.#byId.delete(id);
    this.#takeOut(this.#all, pet);
    if (pet.status !== undefined) this.#takeOut(this.#byStatus[pet.status], pet);
    return true;
  }

  /** Goes back to the animals of the scenario. */
  reset(): void {
    this.#fill(this.#seedPets);
    this.#nextId = this.#idStart;
  }

  /** Everything that a request can change. Stored pets are never changed, so a list of them is a snapshot. */
  state(): { pets: readonly StoredPet[]; nextId: Int64 } {
    return { pets: [...this.#all], nextId: this.#nextId };
  }

  restore(state: ReturnType<Pets['state']>): void {
    this.#fill(state.pets);
    this.#nextId = state.nextId;
  }

  /** @param pets in list order */
  #fill(pets: readonly StoredPet[]): void {
    this.#byId = new Map();
    this.#all = [...pets];
    this.#byStatus = emptyRows();
    for (const pet of pets) {
      this.#byId.set(pet.id, pet);
      if (pet.status !== undefined) this.#byStatus[pet.status].push(pet);
    }
  }

  #row(status: PetStatus | undefined): Row {
    return status === undefined ? this.#all : this.#byStatus[status];
  }

  #place(row: Row, pet: StoredPet): void {
    const last = row.at(-1);
    if (last === undefined || this.#compare(last, pet) < 0) row.push(pet);
    else row.splice(this.#firstFrom(row, pet), 0, pet);
  }

  #takeOut(row: Row, pet: StoredPet): void {
    row.splice(this.#firstFrom(row, pet), 1);
  }

  /** The first position in a row whose animal does not come before `pet`. */
  #firstFrom(row: Row, pet: HasId): number {
    let low = 0;
    let high = row.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(row[middle] as StoredPet, pet) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #freeId(): Int64 {
    let id = this.#nextId;
    while (this.#byId.has(id)) id = nextInt64(id);
    return id;
  }
}

function stored({ id, name, categoryId, status, extra }: Pet): StoredPet {
  const known = `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId}`;
  const documented = status === undefined ? known : `${known},"status":"${status}"`;
  const hasExtra = extra !== undefined && Object.keys(extra).length > 0;
  const json = hasExtra ? `${documented},${stringifyJson(extra).slice(1)}` : `${documented}}`;
  return { id, name, categoryId, status, extra, json };
}

const emptyRows = (): Record<PetStatus, Row> => ({ available: [], pending: [], sold: [] });

const byId = (a: HasId, b: HasId) => compareInt64(a.id, b.id);

const byShuffle = (seed: number) => (a: HasId, b: HasId) =>
  seededFraction(seed, a.id) - seededFraction(seed, b.id) || byId(a, b);
