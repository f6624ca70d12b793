// Descriptions for the JSON Schema of the scenario field `state`, which `petstore-sim state export --as scenario`
// writes.

import { source } from './source.mjs';

export const { documentedNames, documentedWindows, forDocumented, joinWords } = await source(`
  export { documentedNames, documentedWindows, forDocumented } from './values/window-fields.js';
  export { joinWords } from './values/join-words.js';
`);

/** Adds a prefix to the paths of descriptions. */
export const under = (prefix, texts) =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [prefix + path, text]));

/** Descriptions of the used requests of a key. */
export const usage = forDocumented((name) => `Used requests of the ${name}.`);

const window = {
  '': 'Counter of the window.',
  '.startSeconds':
    'Start of the window, in Unix seconds; -1 before the start. Of a token bucket: time of the last refill.',
  '.used': 'Number of counted requests. Of a token bucket: missing tokens, multiplied by the length in seconds.',
  '.log': 'Seconds of a sliding log with their numbers of requests, the oldest first.',
};

const key = {
  expiresAtMs: 'Expiry time, from which the key receives 401, in Unix milliseconds.',
  ...Object.assign({}, ...documentedNames.map((name) => under(name, window))),
  windows: 'Counters of the windows that the scenario adds.',
  ...under('windows.*', Object.fromEntries(Object.entries(window).filter(([path]) => path !== ''))),
  preset: 'Settings of the scenario that the first request applies.',
  'preset.usage': 'Requests already used.',
  ...under('preset.usage.', usage),
  'preset.bannedForMs': 'Length of the ban, 0 for none.',
  'preset.expiresInMs': 'Validity of the key from its first request.',
  'preset.clockMovedMs': 'Advance of the clock from the start of the scenario to the creation of the key.',
  episode: 'Episode, from the first rejection to the next served request.',
  'episode.firstRefusalMs': 'Start of the episode, in Unix milliseconds.',
  'episode.promises':
    'Retry times in Unix seconds, each after the cost that it binds; missing if each refused request cost one.',
  'episode.promisedAtSeconds':
    'Time from which the key is served again, according to the last rejection, in Unix seconds.',
  episodes: 'Number of episodes.',
  strikes: 'Number of strikes.',
  bans: 'Number of bans.',
  bannedFromMs: 'Start of the last ban, in Unix milliseconds.',
  bannedUntilMs: 'End of the last ban, in Unix milliseconds.',
  banCause: 'Cause of the last ban: requests, or a control operation.',
  backgroundSeconds: 'Second up to which the requests of other clients are counted.',
};

export const stateDescriptions = {
  state: 'Exact state from petstore-sim state export, which overrides `usage` and `bannedFor`.',
  'state.keys': 'All existing keys; each is one of `keys`.',
  ...under('state.keys.*.', key),
  'state.unlistedKeys': 'Keys that requests introduced under `acceptAnyKey`.',
  ...under('state.unlistedKeys[].', {
    key: 'Key.',
    plan: 'Plan of the key.',
    state: 'Whether the key is revoked.',
    ...key,
  }),
  'state.faults': 'State of the rules in `faults`.',
  'state.faults.startMs': 'Time from which `after` counts, in Unix milliseconds.',
  'state.faults.counts': 'Counts of the rules that a request has matched.',
  'state.faults.counts.*.seen': 'Number of requests that matched the conditions.',
  'state.faults.counts.*.applied': 'Number of requests that the rule changed.',
  'state.faults.counts.*.failed': 'Calls under `failTimes`, as fingerprints, with their numbers of failures.',
};
