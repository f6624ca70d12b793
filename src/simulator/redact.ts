import type { Scenario } from '../scenario/scenario-schema.js';
import { maskedKey } from '../values/mask-key.js';
import { createTextFinder, minimumKeyLength } from '../values/text-finder.js';
import { coreOf, type Simulator } from './simulator.js';

/** The list of keys to mask is built again when it exceeds twice its initial length plus this number of keys. */
const rebuildAfterExtraKeys = 20_000;

/** Masks the API keys in a text. */
export type Redact = (text: string) => string;

/**
 * Formats an API key for logs, reports and the control API. Masks every key, except keys defined by the scenario, whose
 * file contains them in clear text.
 */
export const displayKey = (sim: Simulator, key: string): string =>
  // Reads the keys from the resolved scenario, because `sim.scenario` copies the whole scenario. With 150,000 keys, the
  // copy takes 200 ms.
  coreOf(sim).state.resolved.keys.has(key) ? key : maskedKey(key);

/**
 * Creates a function that masks API keys in texts, except the keys of a scenario. All output about requests must be
 * masked, except the response to the client.
 * @param only scenario whose keys stay unmasked; default: the simulator's current scenario
 * @returns function that takes the texts and the API key of a request, and returns a masking function for them
 */
export function createRedactor(
  sim: Simulator,
  only?: Scenario,
): (about: readonly (string | undefined)[], token?: string) => Redact {
  let secrets = only === undefined ? secretsOf.get(sim) : undefined;
  if (secrets === undefined) {
    const named = only && new Set(Object.keys(only.keys ?? {}));
    // Reads the scenario's API keys from the resolved scenario, because `sim.scenario` would copy the whole scenario.
    // With 60,000 keys, the copy takes 70 ms. Every loaded scenario has a new map of keys, so a new map shows that
    // another scenario was loaded.
    secrets = createSecrets(sim, () => named ?? coreOf(sim).state.resolved.keys);
    if (only === undefined) secretsOf.set(sim, secrets);
  } else secrets.learnAll();
  return (about, token) => {
    const finder = secrets.bringUpToDate(token);
    return finder.isEmpty() || finder.find(about.join('\n')).length === 0 ? identity : finder.replace;
  };
}

/** Masking function for texts that contain no API key. Returns the text unchanged. */
export const identity: Redact = (text) => text;

/** API keys to mask in each simulator's output. Cached, because collecting 150,000 keys is slow. */
const secretsOf = new WeakMap<Simulator, ReturnType<typeof createSecrets>>();

/** Set of the API keys that a scenario defines. Output shows these keys unmasked. */
type Names = Pick<ReadonlySet<string>, 'has'>;

/** Collects the API keys to mask in the output about one simulator. */
function createSecrets(sim: Simulator, readNames: () => Names) {
  let named: Names;
  let texts: readonly string[];
  let finder: ReturnType<typeof createTextFinder>;
  let count: number;
  let countAtFirst: number;
  /**
   * Highest id of the requests whose API keys were collected for masking. All recorded requests up to this id are
   * included.
   */
  let learnedId: number;

  function learn(key = ''): void {
    if (key.length >= minimumKeyLength && !named.has(key) && finder.add(key, key)) count++;
  }

  function learnTexts(): void {
    if (sim.keys.texts === texts) return;
    texts = sim.keys.texts;
    for (const key of texts) learn(key);
  }

  /**
   * Collects the API keys of all requests before any request is shown. The query of an early request can contain a key
   * that only a later request sends as its API key.
   */
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
    // A pending request gets its journal entry later, with a lower id than `lastId`.
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
      if (readNames() !== named || count > 2 * countAtFirst + rebuildAfterExtraKeys) startAgain();
      learnTexts();
      learn(token);
      return finder;
    },
  };
}
