import { coreOf, type Simulator } from '../simulator/simulator.js';
import { getOrCreate } from '../values/get-or-create.js';
import { hashOfKeyId, keyHash, keyId } from '../values/mask-key.js';

/** Texts of API keys by the hash in each key's id, for a registry's array of texts, of which changed keys have another. */
const textsByHash = new WeakMap<readonly string[], ReadonlyMap<number, string>>();

/**
 * Finds the text of an API key, including a key that a request introduced under `acceptAnyKey`; `undefined` for an
 * unknown key.
 * @param reference the key itself or its id
 */
export function findKeyText(sim: Simulator, reference: string): string | undefined {
  const { keys } = coreOf(sim).state;
  if (keys.get(reference) !== undefined) return reference;
  const hash = hashOfKeyId(reference);
  if (hash === undefined) return undefined;
  const { texts } = keys;
  const byHash = getOrCreate(textsByHash, texts, () => new Map(texts.map((text) => [keyHash(text), text])));
  const text = byHash.get(hash) ?? keys.unlistedTokens.find((token) => keyHash(token) === hash);
  return text !== undefined && keyId(text) === reference ? text : undefined;
}
