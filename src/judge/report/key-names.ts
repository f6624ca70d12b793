import { defaultScenario } from '../../scenario/default-scenario.js';
import { maskedKey } from '../../values/mask-key.js';

/**
 * Names of API keys in a report that may be shared: public keys of the default scenario in full, others masked,
 * numbered if equal.
 * @param tokens in the order of numbering
 */
export function keyNames(tokens: Iterable<string | undefined>): Map<string | undefined, string> {
  const names = new Map<string | undefined, string>();
  const taken = new Map<string, number>();
  for (const token of tokens) {
    if (names.has(token)) continue;
    const name = token === undefined ? 'no key' : isPublic(token) ? token : maskedKey(token);
    const number = (taken.get(name) ?? 0) + 1;
    taken.set(name, number);
    names.set(token, number === 1 ? name : `${name} (${number})`);
  }
  return names;
}

const isPublic = (token: string) => Object.hasOwn(defaultScenario.keys, token);
