/**
 * A number from 0 up to, not including, 1, decided by a seed and a whole number alone:
 * the same pair gives the same number on every machine, and nothing has to be remembered between calls.
 */
export function seededFraction(seed: number, value: number | bigint): number {
  const isNumber = typeof value === 'number';
  // The lower and the upper half of its 64 bits; by BigInt a number takes eight times as long.
  const low = isNumber ? value >>> 0 : Number(BigInt.asUintN(32, value));
  const high = isNumber ? Math.floor(value / 2 ** 32) >>> 0 : Number(BigInt.asUintN(32, value >> 32n));
  return mix(mix(mix(seed >>> 0) ^ low) ^ high) / 2 ** 32;
}

/** A separate seed for each name, so that a value does not depend on what else the scenario has. */
export function seedFor(name: string, seed: number): number {
  let hash = seed >>> 0;
  for (let at = 0; at < name.length; at++) hash = mix(hash ^ name.charCodeAt(at));
  return hash;
}

/** The finalizer of MurmurHash3: every bit of the input changes half of the bits of the output. */
function mix(bits: number): number {
  let mixed = (bits + 0x9e3779b9) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
