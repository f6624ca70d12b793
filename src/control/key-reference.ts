import type { KeyInfo } from '../simulator/keys.js';
import type { Simulator } from '../simulator/simulator.js';
import { keyId, maskedKey } from '../values/mask-key.js';
import { notFound } from './control-error.js';

/** A key as the control API shows it: with its text masked. */
export const shownKey = (info: KeyInfo): KeyInfo => ({ ...info, key: maskedKey(info.key) });

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
