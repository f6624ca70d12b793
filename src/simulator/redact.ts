import type { Scenario } from '../scenario/scenario-schema.js';
import { maskedKey } from '../values/mask-key.js';
import { createTextFinder, shortestSecret } from '../values/text-finder.js';
import { coreOf, type Simulator } from './simulator.js';

/**
 * Number of keys learned from requests, beyond twice the number at the start, above which the list of keys to mask is
 * rebuilt without removed keys.
 */
const mostLearned = 20_000;

/** Replaces keys in one text. */
export type Redact = (text: string) => string;

/**
 * Formats a key for logs, reports and the control API. Masks every key except the scenario's own, which its file
 * contains in clear text.
 */
export const displayKey = (sim: Simulator, key: string): string =>
  // Not `sim.scenario`, whose copy takes 200 ms with 150,000 keys.
  coreOf(sim).state.resolved.keys.has(key) ? key : maskedKey(key);

/**
 * Masks API keys in texts: all sent tokens and all keys of the simulator, except the scenario's own. Required for all
 * output about requests, except the response to the client.
 * @param only scenario whose keys are not masked; default: the simulator's current scenario
 * @returns function from the texts and the token of one request to a function that masks keys in these texts
 */
export function createRedactor(
  sim: Simulator,
  only?: Scenario,
): (about: readonly (string | undefined)[], token?: string) => Redact {
  let secrets = only === undefined ? secretsOf.get(sim) : undefined;
  if (secrets === undefined) {
    const named = only && new Set(Object.keys(only.keys ?? {}));
    // Not `sim.scenario`, a copy that takes 70 ms with 60,000 keys. Loading a scenario makes a new map.
    secrets = createSecrets(sim, () => named ?? coreOf(sim).state.resolved.keys);
    if (only === undefined) secretsOf.set(sim, secrets);
  } else secrets.learnAll();
  return (about, token) => {
    const finder = secrets.bringUpToDate(token);
    return finder.isEmpty() || finder.find(about.join('\n')).length === 0 ? identity : finder.replace;
  };
}

/** Redactor for a request without keys to mask. */
export const identity: Redact = (text) => text;

/** Keys to mask per simulator, cached because learning 150,000 keys is slow. */
const secretsOf = new WeakMap<Simulator, ReturnType<typeof createSecrets>>();

/** Keys that a scenario defines. */
type Names = Pick<ReadonlySet<string>, 'has'>;

/** Learns the keys to mask in the output of one simulator. */
function createSecrets(sim: Simulator, readNames: () => Names) {
  let named: Names;
  let texts: readonly string[];
  let finder: ReturnType<typeof createTextFinder>;
  let count: number;
  let countAtFirst: number;
  /** Highest id up to which the tokens of all requests are learned. */
  let learnedId: number;

  function learn(key = ''): void {
    if (key.length >= shortestSecret && !named.has(key) && finder.add(key, key)) count++;
  }

  function learnTexts(): void {
    if (sim.keys.texts === texts) return;
    texts = sim.keys.texts;
    for (const key of texts) learn(key);
  }

  /** Learns all keys and all recorded tokens. A client may send a key in a query first, and as the token later. */
  function learnAll(): void {
    learnTexts();
    for (const key of sim.keys.unlisted) learn(key);
    let last: string | undefined;
    const { journal } = coreOf(sim).state;
    if (learnedId < journal.lastId) {
      for (const { id, token } of journal.entries) {
        if (id > learnedId && token !== last) learn(token);
        last = token;
      }
    }
    // While a request is pending, its record may still arrive, with a lower id than records that were read already.
    if (journal.pending === 0) learnedId = journal.lastId;
  }

  function startAgain(): void {
    named = readNames();
    texts = [];
    finder = createTextFinder(sim.keys.texts.length, maskedKey);
    count = 0;
    learnedId = 0;
    learnAll();
    countAtFirst = count;
  }

  startAgain();
  return {
    learnAll,
    bringUpToDate(token: string | undefined) {
      if (readNames() !== named || count > 2 * countAtFirst + mostLearned) startAgain();
      learnTexts();
      learn(token);
      return finder;
    },
  };
}
