import type { KeyInfo } from '../limits/keys.js';
import type { Simulator } from '../simulator/simulator.js';
import { maskedKey } from '../values/mask-key.js';
import { notFound } from './control-error.js';

/** FNV-1a, 32 bits: not for secrets, but short and the same everywhere. */
export function fnv1a(bytes: Uint8Array): string {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** A short name of a key that does not tell the key, and tells keys with equal endings apart. */
export const keyId = (key: string) => `key_${fnv1a(new TextEncoder().encode(key))}`;

/** A key as the control API shows it. */
export interface ShownKey extends KeyInfo {
  /** Stands for the key wherever an operation takes one. */
  id: string;
}

export const shownKey = (info: KeyInfo): ShownKey => ({ ...info, id: keyId(info.key), key: maskedKey(info.key) });

/**
 * The key that a caller means.
 * @param reference the key itself or its id
 * @throws {ControlError} 404
 */
export function findKey({ keys }: Simulator, reference: string): string {
  const found = keys.texts.find((text) => text === reference) ?? keys.texts.find((text) => keyId(text) === reference);
  if (found !== undefined) return found;
  throw notFound('There is no such API key; expected a key of the scenario, or its id as GET /__sim/keys shows it.');
}

/** A key shorter than this is no secret, and would be found everywhere. */
const shortestSecret = 6;
/** More keys than this are not looked for in every text. */
const mostKeys = 1_000;

/**
 * Takes whole keys out of texts: those of the simulator and the one that the request brought.
 * @param about every text that is to be shown, to find the few keys among them that matter
 */
export function createRedactor({ keys }: Simulator): (about: string, token?: string) => (text: string) => string {
  const known = keys.texts.length > mostKeys ? [] : keys.texts;
  return (about, token = '') => {
    const found = [...known, token].filter((key) => key.length >= shortestSecret && about.includes(key));
    if (found.length === 0) return (text) => text;
    // Of two keys, one within the other, the longer goes first.
    found.sort((a, b) => b.length - a.length);
    return (text) => found.reduce((shown, key) => shown.replaceAll(key, () => maskedKey(key)), text);
  };
}
