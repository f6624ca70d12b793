import { maskedKey } from '../values/mask-key.js';
import { createTextFinder } from '../values/text-finder.js';
import type { Simulator } from './simulator.js';

/** A key shorter than this is no secret, and would be found everywhere. */
const shortestSecret = 6;

/** So many keys may be learned past those that there were at first; then what is gone is forgotten. */
const mostLearned = 20_000;

type KeySource = Pick<Simulator, 'keys' | 'scenario' | 'journal'>;

/** Replaces keys in one text. */
export type Redact = (text: string) => string;

/**
 * A key as logs, reports and the control API show it: whole where the scenario names it, since it is written in a file
 * then; else only its end.
 */
export const displayKey = ({ scenario }: Pick<Simulator, 'scenario'>, key: string): string =>
  isNamed(scenario, key) ? key : maskedKey(key);

/**
 * Masks API keys in texts: every key that the scenario does not name, added to the simulator or sent by a client, also in
 * another place than the Authorization header. Everything of a request that leaves the simulator goes through it, except
 * the answer to the client.
 * @returns a function that takes all texts of one request, joined, and its token, and gives a function that masks keys in
 * one of the texts
 */
export function createRedactor(sim: KeySource): (about: string, token?: string) => Redact {
  const secrets = secretsOf.get(sim) ?? createSecrets(sim);
  secretsOf.set(sim, secrets);
  secrets.learnAll();
  return (about, token) => {
    const finder = secrets.bringUpToDate(token);
    return finder.find(about).length === 0 ? (text) => text : finder.replace;
  };
}

/** Of each simulator, because with 150,000 keys it takes a quarter of a second to learn them. */
const secretsOf = new WeakMap<KeySource, ReturnType<typeof createSecrets>>();

/** The keys of one simulator that are to be masked. */
function createSecrets(sim: KeySource) {
  let { scenario } = sim;
  let texts: readonly string[] = [];
  let finder = createTextFinder(shortestSecret);
  let count = 0;
  let countAtFirst = 0;
  /** Requests up to this id are known. */
  let learnedId = 0;

  function learn(key = ''): void {
    if (key.length < shortestSecret || finder.has(key) || isNamed(scenario, key)) return;
    count++;
    for (const spelling of spellingsOf(key)) finder.add(spelling, maskedKey(key));
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
    for (const { token } of sim.journal.query({ since: learnedId })) learn(token);
    // A request that waits for its answer comes later, with an id from before.
    if (sim.journal.pending === 0) learnedId = sim.journal.lastId;
  }

  function startAgain(): void {
    ({ scenario } = sim);
    texts = [];
    finder = createTextFinder(shortestSecret);
    count = 0;
    learnedId = 0;
    learnAll();
    countAtFirst = count;
  }

  return {
    learnAll,
    bringUpToDate(token: string | undefined) {
      if (sim.scenario !== scenario || count > 2 * countAtFirst + mostLearned) startAgain();
      learnTexts();
      learn(token);
      return finder;
    },
  };
}

const isNamed = (scenario: Simulator['scenario'], key: string) => Object.hasOwn(scenario.keys ?? {}, key);

/** How a key stands in texts: as it is, percent-encoded in a target, escaped in JSON. */
const spellingsOf = (key: string): readonly string[] =>
  /^[\w.~-]*$/.test(key) ? [key] : [key, encodeURIComponent(key.toWellFormed()), JSON.stringify(key).slice(1, -1)];
