import type { ServiceData } from '../requests/service.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Settings } from '../scenario/settings.js';
import { findLowest } from '../values/find-lowest.js';
import { compareInt64, greatestInt64, type Int64, isInt64, nextInt64 } from '../values/int64.js';
import type { JsonValue } from '../values/json.js';
import { seededFraction } from '../values/seeded-random.js';
import { listLimit, type PetStatus } from './document.js';
import { type Pet, type StoredPet, storeAs, toStored } from './pet.js';
import {
  copyStock,
  fillStock,
  firstOf,
  joinStart,
  type PetList,
  type PetRow,
  type PetStock,
  rowOf,
} from './pet-stock.js';

export type ListOrder = 'id-ascending' | 'newest-first' | 'shuffled';

/** Status filter and page of a list of pets. */
export interface PetQuery {
  status?: PetStatus | undefined;
  /** Maximum number of pets to return. Default: all. */
  limit?: number | undefined;
  /** Number of pets to skip at the beginning of the list. Default 0. */
  skip?: number | undefined;
}

export interface PetStoreOptions {
  order: ListOrder;
  /** Seed for the random order of the store's pets if `order` is `shuffled`. */
  seed: number;
  /** First id for new pets. Default: the next id after the highest initial id. */
  idStart?: Int64 | undefined;
}

/** State of the pet store that requests change: the pets and the next id for a new pet. */
export interface PetStoreState {
  readonly pets: readonly StoredPet[];
  readonly nextId: Int64;
}

type HasId = Pick<Pet, 'id'>;

/**
 * Pets of one simulator, with a list of all pets and a list for each status. Reset and fork take O(1), because
 * simulators share the scenario's pets until the first write (copy-on-write).
 */
export class PetStore implements ServiceData<ResolvedScenario, PetStoreState> {
  #order: ListOrder = 'id-ascending';
  #seed = 0;
  #compare: (a: HasId, b: HasId) => number = byId;
  #newestFirst = false;
  #idStart: Int64 = 1;
  /** The scenario's initial pets. Never changed, because a reset restores these pets. */
  #seedStock: PetStock = fillStock([]);
  #stock: PetStock = this.#seedStock;
  #nextId: Int64 = 1;

  constructor(seedPets: readonly StoredPet[], { order, seed, idStart }: PetStoreOptions) {
    this.#setOrder(order, seed);
    this.#seedStock = fillStock([...seedPets].sort(this.#compare));
    const highest = seedPets.reduce<Int64>((most, { id }) => (compareInt64(id, most) > 0 ? id : most), 0);
    this.#idStart = idStart ?? firstIdAfter(highest);
    this.reset();
  }

  /**
   * Sorts the pets again after another scenario was loaded without `reseed`: the pets stay, but `listOrder` may have
   * changed.
   */
  change({ settings: { listOrder: order }, seed }: { settings: Pick<Settings, 'listOrder'>; seed: number }): void {
    if (order === this.#order && seed === this.#seed) return;
    const isSeed = this.#stock === this.#seedStock;
    this.#setOrder(order, seed);
    this.#seedStock = fillStock([...this.#seedStock.all].sort(this.#compare));
    this.#stock = isSeed ? this.#seedStock : fillStock([...this.#stock.all].sort(this.#compare));
  }

  /**
   * Creates another pet store with the initial pets of this one. The two stores share these pets in memory until one
   * store changes a pet (copy-on-write).
   */
  fork(): PetStore {
    const fork = new PetStore([], { order: this.#order, seed: this.#seed });
    fork.#seedStock = this.#seedStock;
    fork.#idStart = this.#idStart;
    fork.reset();
    return fork;
  }

  get size(): number {
    return this.#stock.all.length;
  }

  /** Whether the pets are unchanged since the start of the scenario. */
  isAtStart = (): boolean => this.#stock === this.#seedStock;

  get(id: Int64): StoredPet | undefined {
    const { all } = this.#stock;
    const firstId = all[0]?.id;
    // With consecutive ids, the difference from the first pet's id is a pet's position in the list.
    const place = typeof id === 'number' && typeof firstId === 'number' ? id - firstId : -1;
    const guess = place >= 0 && place < all.length ? all[place] : undefined;
    const pet = guess?.id === id ? guess : all[this.#firstFrom(all, { id })];
    return pet?.id === id ? pet : undefined;
  }

  /** Lists pets in list order, optionally one page or one status. */
  list({ status, limit = Number.POSITIVE_INFINITY, skip = 0 }: PetQuery = {}): StoredPet[] {
    const row = rowOf(this.#stock, status);
    if (!this.#newestFirst) return row.slice(skip, skip + limit);
    const end = Math.max(0, row.length - skip);
    return row.slice(Math.max(0, end - limit), end).reverse();
  }

  /** Number of pets with a status, or of all pets without an argument. */
  count(status?: PetStatus): number {
    return rowOf(this.#stock, status).length;
  }

  /**
   * Returns the first pets in list order as a JSON array, also in UTF-8 with one character per byte.
   * @param limit maximum number of pets, at most the highest limit of a list
   */
  firstAsJson(status: PetStatus | undefined, limit: number): PetList {
    const { starts } = this.#stock;
    let start = starts.get(status);
    if (start?.body.ends.length !== Math.min(this.count(status), listLimit.maximum) + 1) {
      start = joinStart(this.list({ status, limit: listLimit.maximum }));
      starts.set(status, start);
    }
    return firstOf(start, limit);
  }

  /**
   * Returns the index in the list at which the page after the given id begins, for paging by cursor. No pet with this
   * id need exist. With a status, counts only pets of that status.
   */
  positionAfter(id: Int64, status?: PetStatus): number {
    const row = rowOf(this.#stock, status);
    const position = this.#firstFrom(row, { id });
    if (this.#newestFirst) return row.length - position;
    return row[position]?.id === id ? position + 1 : position;
  }

  /**
   * Stores a new pet.
   * @param pet new pet; its `id` is optional, default: the next free id
   * @throws {RangeError} if the id is taken, or all ids up to the greatest int64 are used
   */
  add(pet: Omit<Pet, 'id'> & { id?: Int64 | undefined }): StoredPet {
    const id = pet.id ?? this.#freeId();
    if (this.get(id) !== undefined)
      throw new RangeError(`Failed to add a pet: expected a free id, got ${id}, which is taken`);
    const added = storeAs(id, pet);
    const { all, byStatus } = this.#own(!this.#newestFirst && this.#firstFrom(this.#stock.all, added) === this.size);
    this.#place(all, added);
    if (added.status !== undefined) this.#place(byStatus[added.status], added);
    if (pet.id === undefined) this.#nextId = nextInt64(id);
    return added;
  }

  /** Changes fields of a pet. Returns the changed pet, or `undefined` if no pet has the id. */
  update(id: Int64, changes: Partial<Omit<Pet, 'id'>>): StoredPet | undefined {
    const before = this.get(id);
    if (before === undefined) return undefined;
    const after = storeAs(id, { ...before, ...changes });
    const { all, byStatus } = this.#own();
    all[this.#firstFrom(all, before)] = after;
    if (before.status !== undefined) this.#takeOut(byStatus[before.status], before);
    if (after.status !== undefined) this.#place(byStatus[after.status], after);
    return after;
  }

  /** Removes a pet by id. Returns `false` if no pet has the id. */
  remove(id: Int64): boolean {
    const pet = this.get(id);
    if (pet === undefined) return false;
    const { all, byStatus } = this.#own();
    this.#takeOut(all, pet);
    if (pet.status !== undefined) this.#takeOut(byStatus[pet.status], pet);
    return true;
  }

  /** Restores the scenario's initial pets. */
  reset(): void {
    this.#stock = this.#seedStock;
    this.#nextId = this.#idStart;
  }

  /** Captures the pets and the next id for a snapshot. Stored pets are immutable, so a copy of the list suffices. */
  capture(): PetStoreState {
    return { pets: this.#stock.all.slice(), nextId: this.#nextId };
  }

  restore(state: PetStoreState): void {
    this.#stock = fillStock([...state.pets].sort(this.#compare));
    this.#nextId = state.nextId;
  }

  *write({ nextId, pets }: PetStoreState): Generator<JsonValue> {
    yield nextId;
    for (const { json: _, ...pet } of pets) yield pet as unknown as JsonValue;
  }

  read([nextId, ...pets]: readonly JsonValue[]): PetStoreState {
    if (!isInt64(nextId)) throw new TypeError(`expected an int64 id, got ${nextId}`);
    return { nextId, pets: (pets as unknown as Pet[]).map(toStored) };
  }

  #setOrder(order: ListOrder, seed: number): void {
    this.#order = order;
    this.#seed = seed;
    this.#compare = order === 'shuffled' ? byShuffle(seed) : byId;
    this.#newestFirst = order === 'newest-first';
  }

  /**
   * Returns the simulator's pets, so that the caller can change them. Copies the pets first if the scenario still
   * shares them.
   * @param isAppended whether the change only adds a pet at the end of its lists, so that their joined JSON stays valid
   */
  #own(isAppended = false): PetStock {
    if (this.isAtStart()) this.#stock = copyStock(this.#stock);
    if (!isAppended) this.#stock.starts.clear();
    return this.#stock;
  }

  #place(row: PetRow, pet: StoredPet): void {
    const position = this.#firstFrom(row, pet);
    if (position === row.length) row.push(pet);
    else row.splice(position, 0, pet);
  }

  #takeOut(row: PetRow, pet: StoredPet): void {
    row.splice(this.#firstFrom(row, pet), 1);
  }

  /** Position at which `pet` belongs in a sorted list: the position of the first equal or greater pet. */
  #firstFrom(row: PetRow, pet: HasId): number {
    const last = row.at(-1);
    if (last === undefined || this.#compare(last, pet) < 0) return row.length;
    return findLowest(row.length, (index) => this.#compare(row[index] as StoredPet, pet) >= 0);
  }

  /** Next free id for a new pet; the greatest int64 if no id is free. */
  #freeId(): Int64 {
    let id = this.#nextId;
    while (id !== greatestInt64 && this.get(id) !== undefined) id = nextInt64(id);
    return id;
  }
}

/** First id for new pets: the next after the highest id, or 1 if the highest id is the greatest int64. */
export const firstIdAfter = (highest: Int64): Int64 => (highest === greatestInt64 ? 1 : nextInt64(highest));

const byId = (a: HasId, b: HasId) => compareInt64(a.id, b.id);

const byShuffle = (seed: number) => (a: HasId, b: HasId) =>
  seededFraction(seed, a.id) - seededFraction(seed, b.id) || byId(a, b);
