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
export const displayKey = (sim: Simulator, key: string): string => (isPublic(sim, key) ? key : maskedKey(key));

function isPublic(sim: Simulator, key: string): boolean {
  // Reads the keys from the resolved scenario, because `sim.scenario` copies the whole scenario. With 150,000 keys, the
  // copy takes 200 ms.
  const { keys, secretKey } = coreOf(sim).state.resolved;
  return keys.has(key) && key !== secretKey;
}

/**
 * Creates a function that masks API keys in texts, except the keys of the simulator's scenario. All output about
 * requests must be masked, except the response to the client.
 * @returns function that takes the texts and the API key of a request, and returns a masking function for them
 */
export function createRedactor(sim: Simulator): (about: readonly (string | undefined)[], token?: string) => Redact {
  let secrets = secretsOf.get(sim);
  if (secrets === undefined) {
    secrets = createSecrets(sim);
    secretsOf.set(sim, secrets);
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

/** Collects the API keys to mask in the output about one simulator. */
function createSecrets(sim: Simulator) {
  // Every loaded scenario has a new map of keys, so a new map shows that another scenario was loaded.
  const readNames = () => coreOf(sim).state.resolved.keys;
  /** Keys of the loaded scenario. */
  let named: ReturnType<typeof readNames>;
  let texts: readonly string[];
  let finder: ReturnType<typeof createTextFinder>;
  let count: number;
  let countAtFirst: number;
  /** Number of journal records whose API keys were collected for masking. */
  let learnedCount: number;

  function learn(key = ''): void {
    if (key.length >= minimumKeyLength && !isPublic(sim, key) && finder.add(key, key)) count++;
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
    for (const { token } of journal.read(learnedCount, Number.POSITIVE_INFINITY)) {
      if (token !== last) learn(token);
      last = token;
    }
    learnedCount = journal.added;
  }

  function startAgain(): void {
    named = readNames();
    texts = [];
    finder = createTextFinder(sim.keys.texts.length, maskedKey);
    count = 0;
    learnedCount = 0;
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
