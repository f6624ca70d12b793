import type { Scenario } from '../scenario/scenario-schema.js';
import { maskedKey } from '../values/mask-key.js';
import { createTextFinder, shortestSecret } from '../values/text-finder.js';
import { coreOf, type Simulator } from './simulator.js';

/** So many keys may be learned past those that there were at first; then what is gone is forgotten. */
const mostLearned = 20_000;

/** Replaces keys in one text. */
export type Redact = (text: string) => string;

/**
 * A key as logs, reports and the control API show it: whole where the scenario names it, since it is written in a file
 * then; else only its end.
 */
export const displayKey = (sim: Simulator, key: string): string =>
  // Not `sim.scenario`, whose copy takes 200 ms with 150,000 keys.
  coreOf(sim).state.resolved.keys.has(key) ? key : maskedKey(key);

/**
 * Masks API keys in texts: every key that the scenario does not name, added to the simulator or sent by a client, also in
 * another place than the Authorization header. Everything of a request that leaves the simulator goes through it, except
 * the answer to the client.
 * @param only the scenario whose keys are not masked; default: the simulator's own, whenever a text is masked
 * @returns a function that takes all texts of one request, and its token, and gives a function that masks keys in one of
 * the texts
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

/** Of a request in which no key is to be masked. */
export const identity: Redact = (text) => text;

/** Of each simulator, because with 150,000 keys it takes a while to learn them. */
const secretsOf = new WeakMap<Simulator, ReturnType<typeof createSecrets>>();

/** The keys that a scenario names. */
type Names = Pick<ReadonlySet<string>, 'has'>;

/** The keys of one simulator that are to be masked. */
function createSecrets(sim: Simulator, readNames: () => Names) {
  let named: Names;
  let texts: readonly string[];
  let finder: ReturnType<typeof createTextFinder>;
  let count: number;
  let countAtFirst: number;
  /** Requests up to this id are known. */
  let learnedId: number;

  function learn(key = ''): void {
    if (key.length >= shortestSecret && !named.has(key) && finder.add(key, key)) count++;
  }

  function learnTexts(): void {
    if (sim.keys.texts === texts) return;
    texts = sim.keys.texts;
    for (const key of texts) learn(key);
  }

  /** Also what requests have sent: a client may send a key first in a query, and then as it should. */
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
    // A request that waits for its answer comes later, with an id from before.
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
