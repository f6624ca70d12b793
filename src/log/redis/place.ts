import { crc32 } from 'node:zlib';

/** A place in the log: an entry, and a hash of it and of everything before it. */
export interface Place {
  readonly position: number;
  /** The id of the stream entry. */
  readonly id: string;
  readonly chain: number;
}

/** The place before the first entry. A chain that begins with the birth shows the entries of another log. */
export const beginning = (birthId: string): Place => ({
  position: 0,
  id: '0-0',
  chain: Number.parseInt(birthId.slice(0, 8), 16),
});

/** The place of the entry that follows. */
export const nextPlace = ({ position, chain }: Place, id: string, fields: readonly string[]): Place => ({
  position: position + 1,
  id,
  chain: chainOf(chain, id, fields),
});

export function chainOf(before: number, id: string, fields: readonly string[]): number {
  let chain = crc32(id, before);
  for (const field of fields) chain = crc32(field, chain);
  return chain;
}

/** How many places are remembered, to compare with what others had applied. */
const rememberedPlaces = 65_536;

/** The hashes of the last places. */
export class Chains {
  readonly #chains = new Uint32Array(rememberedPlaces);
  #first = 0;
  #last = -1;

  add({ position, chain }: Pick<Place, 'position' | 'chain'>): void {
    if (position !== this.#last + 1) this.#first = position;
    this.#last = position;
    this.#chains[position % rememberedPlaces] = chain;
  }

  /** Whether another has the same past up to a position; `undefined` where it is not remembered. */
  agrees(position: number, chain: number): boolean | undefined {
    if (position > this.#last) return false;
    if (position < this.#first || position <= this.#last - rememberedPlaces) return undefined;
    return this.#chains[position % rememberedPlaces] === chain;
  }
}
