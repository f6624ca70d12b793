import { createHmac, randomBytes } from 'node:crypto';
import { keyTag, visibleEnd } from '../../../values/mask-key.js';
import { isMap } from '../../../values/plain-data.js';
import { createTextFinder, minimumKeyLength } from '../../../values/text-finder.js';

/**
 * Maximum number of API keys whose pseudonyms stay in memory. Beyond this number, two API keys may get the same
 * pseudonym, which is very unlikely.
 */
const maximumTokens = 100_000;

/** Expected number of API keys, for the size of the index that finds keys in texts. */
const expectedTokens = 10_000;

/** Minimum number of hidden characters of a key whose pseudonym has the key's tag: five, and three random ones. */
const shortestTagged = 8;

/** Names of the fields in recorded commands whose values are API keys. */
const keyFields = ['key', 'token'];

/**
 * Creates a converter that replaces API keys in a recording by pseudonyms of equal length with the same last
 * characters and, unless the key is short, the same masked name. Keys of the scenario stay unchanged, because a replay
 * needs them; request bodies too, because responses depend on them.
 */
export function createPseudonyms() {
  // Random secret for computing this recording's pseudonyms. Never stored, so that a reader of the recording cannot
  // test guessed API keys against a pseudonym.
  const secret = randomBytes(32);
  const named = new Set<string>();
  const pseudonyms = new Map<string, string>();
  const taken = new Set<string>();
  const finder = createTextFinder(expectedTokens, (pseudonym) => pseudonym);

  /** Returns the pseudonym of an API key. A key in a scenario is no secret and stays unchanged. */
  function pseudonym(token: string): string {
    if (token.length < minimumKeyLength || named.has(token)) return token;
    const known = pseudonyms.get(token);
    if (known !== undefined) return known;
    const shown = visibleEnd(token);
    const hidden = token.length - shown.length;
    const tag = hidden >= shortestTagged ? `~${keyTag(token)}` : '';
    let text = '';
    for (let attempt = 0; text === '' || taken.has(text); attempt++) {
      let letters = '';
      for (let block = 0; letters.length < hidden; block++) {
        const hash = createHmac('sha256', secret).update(`${attempt} ${block} ${token}`).digest('base64url');
        letters += hash.replace(/[-_]/g, '');
      }
      text = letters.slice(0, hidden - tag.length) + tag + shown;
    }
    if (pseudonyms.size >= maximumTokens) return text;
    pseudonyms.set(token, text);
    taken.add(text);
    for (const spelling of new Set([token, encodeURIComponent(token.toWellFormed())])) finder.add(spelling, text);
    return text;
  }

  /**
   * Excludes the API keys of a scenario from replacement by pseudonyms. A replay of the recording needs the scenario
   * with its original keys.
   */
  function name(scenario: unknown): void {
    if (!isMap(scenario)) return;
    const { keys, background, client, faults } = scenario;
    for (const map of [keys, background]) if (isMap(map)) for (const key of Object.keys(map)) named.add(key);
    if (isMap(client) && typeof client.key === 'string') named.add(client.key);
    for (const fault of Array.isArray(faults) ? faults : []) {
      const when = isMap(fault) && isMap(fault.when) ? fault.when : {};
      for (const key of [when.key].flat()) if (typeof key === 'string') named.add(key);
    }
  }

  const replace = <Value>(value: Value, field?: string): Value => {
    if (typeof value === 'string') {
      return (field !== undefined && keyFields.includes(field) ? pseudonym(value) : finder.replace(value)) as Value;
    }
    if (Array.isArray(value)) return value.map((item) => replace(item, field)) as Value;
    if (!isMap(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [finder.replace(name), replace(part, name)]),
    ) as Value;
  };

  /**
   * Returns a command of the server's log for a recording, with pseudonyms instead of API keys. Request bodies, and API
   * keys that a scenario defines, stay unchanged.
   */
  function inRecording(command: unknown): unknown {
    if (!isMap(command)) return command;
    const { kind, call, input, scenario } = command;
    if (kind === 'begin' || kind === 'scenario') name(scenario);
    if (kind === 'control') {
      if (isMap(input)) name(input.scenario);
      return { ...command, input: replace(input) };
    }
    if (kind !== 'request' || !isMap(call)) return command;
    const { headers, body, ...rest } = call;
    if (isMap(rest.sentKey) && typeof rest.sentKey.token === 'string') pseudonym(rest.sentKey.token);
    const { authorization, ...others } = headers as Record<string, string>;
    const start = authorization === undefined ? 0 : authorization.lastIndexOf(' ') + 1;
    const shown = authorization && authorization.slice(0, start) + pseudonym(authorization.slice(start));
    const replaced = pseudonyms.size === 0 ? { ...rest, headers: others } : replace({ ...rest, headers: others });
    return {
      ...command,
      call: {
        ...replaced,
        headers: { ...(shown !== undefined && { authorization: shown }), ...replaced.headers },
        ...(body !== undefined && { body }),
      },
    };
  }

  return { name, inRecording };
}
