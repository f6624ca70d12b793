import { compareInt64, greatestInt64, type Int64, nextInt64 } from '../values/int64.js';
import { lowest } from '../values/lowest.js';
import { seededFraction } from '../values/seeded-random.js';
import type { PetStatus } from './document.js';
import { type Pet, type StoredPet, toStored } from './pet.js';
import { copyStock, fillStock, type PetRow, type PetStock } from './pet-stock.js';

export type ListOrder = 'id-ascending' | 'newest-first' | 'shuffled';

/** Which pets to list, where to start, and how many. */
export interface PetQuery {
  status?: PetStatus | undefined;
  /** At most this many. Default: all. */
  limit?: number | undefined;
  /** How many to leave out first. Default 0. */
  skip?: number | undefined;
}

export interface PetStoreOptions {
  order: ListOrder;
  /** Decides the order `shuffled`. */
  seed: number;
  /** The first id to give. Default: `firstIdAfter` the highest to start from. */
  idStart?: Int64 | undefined;
}

/** Everything about the pets that requests change. */
export interface PetStoreState {
  readonly pets: readonly StoredPet[];
  readonly nextId: Int64;
}

type HasId = Pick<Pet, 'id'>;

/**
 * The store of pets: a row of all and of each status in list order. A look-up costs O(1) where ids follow one another, else
 * O(log n); a list O(limit); a create O(1) at any size (shuffled: O(n)). A reset and a fork cost O(1), because the pets of
 * the scenario are shared until the first change, which copies them.
 */
export class PetStore {
  #compare: (a: HasId, b: HasId) => number = byId;
  #newestFirst = false;
  #idStart: Int64 = 1;
  /** The pets of the scenario; never changed. */
  #seedStock: PetStock = fillStock([]);
  #stock: PetStock = this.#seedStock;
  #nextId: Int64 = 1;

  constructor(seedPets: readonly StoredPet[], options: PetStoreOptions) {
    this.seed(seedPets, options);
  }

  /** Starts again from other pets. */
  seed(seedPets: readonly StoredPet[], { order, seed, idStart }: PetStoreOptions): void {
    this.#setOrder(order, seed);
    this.#seedStock = fillStock([...seedPets].sort(this.#compare));
    const highest = seedPets.reduce<Int64>((most, { id }) => (compareInt64(id, most) > 0 ? id : most), 0);
    this.#idStart = idStart ?? firstIdAfter(highest);
    this.reset();
  }

  /** Lists the pets in another order from now on. */
  reorder(order: ListOrder, seed: number): void {
    const isSeed = this.#stock === this.#seedStock;
    this.#setOrder(order, seed);
    this.#seedStock = fillStock([...this.#seedStock.all].sort(this.#compare));
    this.#stock = isSeed ? this.#seedStock : fillStock([...this.#stock.all].sort(this.#compare));
  }

  /** Another store that starts from the same pets; they are shared until one of the stores changes them. */
  fork(): PetStore {
    const fork = new PetStore([], { order: 'id-ascending', seed: 0 });
    fork.#compare = this.#compare;
    fork.#newestFirst = this.#newestFirst;
    fork.#seedStock = this.#seedStock;
    fork.#idStart = this.#idStart;
    fork.reset();
    return fork;
  }

  /** Stands for the pets in their order: another object after every change, the same one while forks share their pets. */
  get content(): object {
    return this.#stock;
  }

  get size(): number {
    return this.#stock.all.length;
  }

  /** Whether they are the pets of the scenario, unchanged. */
  isSeed = (): boolean => this.#stock === this.#seedStock;

  get(id: Int64): StoredPet | undefined {
    const { all } = this.#stock;
    const firstId = all[0]?.id;
    // Where ids follow one another, as those that the service gives do, the id says the place.
    const place = typeof id === 'number' && typeof firstId === 'number' ? id - firstId : -1;
    const guess = place >= 0 && place < all.length ? all[place] : undefined;
    const pet = guess?.id === id ? guess : all[this.#firstFrom(all, { id })];
    return pet?.id === id ? pet : undefined;
  }

  /** Pets in list order. */
  list({ status, limit = Number.POSITIVE_INFINITY, skip = 0 }: PetQuery = {}): StoredPet[] {
    const row = this.#row(status);
    if (!this.#newestFirst) return row.slice(skip, skip + limit);
    const end = Math.max(0, row.length - skip);
    return row.slice(Math.max(0, end - limit), end).reverse();
  }

  /** How many pets have the status; without one, how many there are. */
  count(status?: PetStatus): number {
    return this.#row(status).length;
  }

  /** How many pets of the filtered list stand up to and including this id, stored or not: where a cursor goes on. */
  positionAfter(id: Int64, status?: PetStatus): number {
    const row = this.#row(status);
    const position = this.#firstFrom(row, { id });
    if (this.#newestFirst) return row.length - position;
    return row[position]?.id === id ? position + 1 : position;
  }

  /**
   * Stores a new pet.
   * @param pet with an `id` only to choose it; otherwise the next free one is given
   * @throws {RangeError} when the id is taken, or none is left up to the greatest int64
   */
  add(pet: Omit<Pet, 'id'> & { id?: Int64 | undefined }): StoredPet {
    const id = pet.id ?? this.#freeId();
    if (this.get(id) !== undefined)
      throw new RangeError(`Failed to add a pet: expected a free id, got ${id}, which is taken`);
    // Field by field: to spread an object into one with a field more takes V8 twice as long as all the rest.
    const { name, categoryId, status, extra } = pet;
    const added = toStored({ id, name, categoryId, status, extra });
    const { all, byStatus } = this.#own();
    this.#place(all, added);
    if (added.status !== undefined) this.#place(byStatus[added.status], added);
    if (pet.id === undefined) this.#nextId = nextInt64(id);
    return added;
  }

  /** Replaces fields of a pet; `undefined` when there is none with this id. */
  update(id: Int64, changes: Partial<Omit<Pet, 'id'>>): StoredPet | undefined {
    const before = this.get(id);
    if (before === undefined) return undefined;
    const after = toStored({ ...before, ...changes, id });
    const { all, byStatus } = this.#own();
    all[this.#firstFrom(all, before)] = after;
    if (before.status !== undefined) this.#takeOut(byStatus[before.status], before);
    if (after.status !== undefined) this.#place(byStatus[after.status], after);
    return after;
  }

  /** Removes a pet; `false` when there is none with this id. */
  remove(id: Int64): boolean {
    const pet = this.get(id);
    if (pet === undefined) return false;
    const { all, byStatus } = this.#own();
    this.#takeOut(all, pet);
    if (pet.status !== undefined) this.#takeOut(byStatus[pet.status], pet);
    return true;
  }

  /** Goes back to the pets of the scenario. */
  reset(): void {
    this.#stock = this.#seedStock;
    this.#nextId = this.#idStart;
  }

  /** Everything that a request can change. Stored pets are never changed, so a list of them is a snapshot. */
  state(): PetStoreState {
    return { pets: this.#stock.all.slice(), nextId: this.#nextId };
  }

  restore(state: PetStoreState): void {
    this.#stock = fillStock([...state.pets].sort(this.#compare));
    this.#nextId = state.nextId;
  }

  #setOrder(order: ListOrder, seed: number): void {
    this.#compare = order === 'shuffled' ? byShuffle(seed) : byId;
    this.#newestFirst = order === 'newest-first';
  }

  /** The stock to change. The pets of the scenario are shared, so they are copied first. */
  #own(): PetStock {
    const { all, byStatus } = this.#stock;
    this.#stock = this.isSeed() ? copyStock(this.#stock) : { all, byStatus };
    return this.#stock;
  }

  #row(status: PetStatus | undefined): PetRow {
    return status === undefined ? this.#stock.all : this.#stock.byStatus[status];
  }

  #place(row: PetRow, pet: StoredPet): void {
    const position = this.#firstFrom(row, pet);
    if (position === row.length) row.push(pet);
    else row.splice(position, 0, pet);
  }

  #takeOut(row: PetRow, pet: StoredPet): void {
    row.splice(this.#firstFrom(row, pet), 1);
  }

  /** The first position in a row whose pet does not come before `pet`. */
  #firstFrom(row: PetRow, pet: HasId): number {
    const last = row.at(-1);
    if (last === undefined || this.#compare(last, pet) < 0) return row.length;
    return lowest(row.length, (at) => this.#compare(row[at] as StoredPet, pet) >= 0);
  }

  /** The greatest int64 where none is free. */
  #freeId(): Int64 {
    let id = this.#nextId;
    while (id !== greatestInt64 && this.get(id) !== undefined) id = nextInt64(id);
    return id;
  }
}

/** The first id to give where the highest is this: the next one, or 1 where there is none. */
export const firstIdAfter = (highest: Int64): Int64 => (highest === greatestInt64 ? 1 : nextInt64(highest));

const byId = (a: HasId, b: HasId) => compareInt64(a.id, b.id);

const byShuffle = (seed: number) => (a: HasId, b: HasId) =>
  seededFraction(seed, a.id) - seededFraction(seed, b.id) || byId(a, b);
