/**
 * Random number from 0 to 1 (exclusive), determined by a seed and a whole number. Stateless and equal on every machine.
 */
export function seededFraction(seed: number, value: number | bigint): number {
  const isNumber = typeof value === 'number';
  // Takes the lower and the upper 32 bits of a `number` without BigInt arithmetic, which would take eight times as
  // long.
  const low = isNumber ? value >>> 0 : Number(BigInt.asUintN(32, value));
  const high = isNumber ? Math.floor(value / 2 ** 32) >>> 0 : Number(BigInt.asUintN(32, value >> 32n));
  return mix(mix(mix(seed >>> 0) ^ low) ^ high) / 2 ** 32;
}

/**
 * Derives a seed for a named value from the scenario's seed. A change in one part of a scenario then leaves other
 * random values unchanged.
 */
export function seedFor(name: string, seed: number): number {
  let hash = seed >>> 0;
  for (let index = 0; index < name.length; index++) hash = mix(hash ^ name.charCodeAt(index));
  return hash;
}

/** Finalizer of MurmurHash3: each input bit changes half of the output bits. */
function mix(bits: number): number {
  let mixed = (bits + 0x9e3779b9) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
