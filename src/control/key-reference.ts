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
