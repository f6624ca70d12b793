import { maskedKey } from '../values/mask-key.js';
import { createTextFinder } from '../values/text-finder.js';
import type { Simulator } from './simulator.js';

/** A key shorter than this is no secret, and would be found everywhere. */
const shortestSecret = 6;

/** So many tokens of requests are remembered; then those of the journal are enough. */
const maximumLearned = 20_000;

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
  let seen: { scenario: Simulator['scenario']; texts: readonly string[] } | undefined;
  let finder = createTextFinder(shortestSecret);
  let learned = 0;
  const learn = (key = '') => {
    if (key.length < shortestSecret || isNamed(sim.scenario, key)) return;
    for (const spelling of spellingsOf(key)) finder.add(spelling, maskedKey(key));
  };
  return (about, token) => {
    const { scenario } = sim;
    const { texts } = sim.keys;
    if (seen?.scenario !== scenario || seen.texts !== texts || learned > maximumLearned) {
      seen = { scenario, texts };
      learned = 0;
      finder = createTextFinder(shortestSecret);
      for (const key of [...texts, ...sim.keys.unlisted]) learn(key);
      // A client may send a key first in a query, and then as it should.
      for (const record of sim.journal.query()) learn(record.token);
    }
    if (token !== undefined && !finder.has(token)) learned++;
    learn(token);
    return finder.find(about).length === 0 ? (text) => text : finder.replace;
  };
}

const isNamed = (scenario: Simulator['scenario'], key: string) => Object.hasOwn(scenario.keys ?? {}, key);

/** How a key stands in texts: as it is, percent-encoded in a target, escaped in JSON. */
const spellingsOf = (key: string) => [key, encodeURIComponent(key.toWellFormed()), JSON.stringify(key).slice(1, -1)];
