// Descriptions of the fields of `state`, which `petstore-sim state export --as scenario` writes.

const window = {
  '': 'What was counted in it.',
  '.startSeconds': 'When it began, in Unix seconds; -1: not yet. Of a token bucket: when it was last filled.',
  '.used':
    'How many requests it has counted. Of a token bucket: what is missing, in tokens times its length in seconds.',
  '.log': 'Of a sliding log: each second with its requests, the oldest first.',
};

const key = {
  expiresAtMs: 'From this instant the key gets 401, in Unix milliseconds.',
  ...Object.fromEntries(
    ['minute', 'day'].flatMap((name) => Object.entries(window).map(([path, text]) => [`${name}${path}`, text])),
  ),
  preset: 'What the scenario sets and the first request applies.',
  'preset.usage': 'Requests already used.',
  'preset.usage.minute': 'Of the minute.',
  'preset.usage.day': 'Of the day.',
  'preset.bannedForMs': 'Length of the ban; 0: none.',
  'preset.expiresInMs': 'How long the key is valid from its first request.',
  'preset.clockMovedMs': 'How far the clock had been moved when the key was made, from the start of the scenario.',
  episode: 'From the first refusal to the next served request.',
  'episode.firstRefusalMs': 'When it began, in Unix milliseconds.',
  'episode.promisedAtSeconds': 'When the last refusal said that the key is served again, in Unix seconds.',
  episodes: 'How many episodes there were.',
  strikes: 'How many strikes the key has.',
  bans: 'How many bans the key has had.',
  bannedFromMs: 'When the last ban began, in Unix milliseconds.',
  bannedUntilMs: 'When it ends.',
  banCause: 'Whether requests led to it, or somebody set it.',
  backgroundSeconds: 'Up to which second the requests of other clients are counted.',
};

const under = (prefix, texts) => Object.fromEntries(Object.entries(texts).map(([path, text]) => [prefix + path, text]));

export const stateDescriptions = {
  state:
    'What the other fields cannot say exactly, as petstore-sim state export writes it. It goes before `usage` and `bannedFor`.',
  'state.keys': 'All keys that there are; each is one of `keys`.',
  ...under('state.keys.*.', key),
  'state.unlistedKeys': 'Keys that requests made up under `acceptAnyKey`.',
  ...under('state.unlistedKeys[].', { key: 'The key.', plan: 'Its plan.', state: 'Whether it is revoked.', ...key }),
  'state.faults': 'What the rules of `faults` have done.',
  'state.faults.startMs': 'The instant from which `after` counts, in Unix milliseconds.',
  'state.faults.counts': 'Each rule that a request has met.',
  'state.faults.counts.*.seen': 'How many requests met its conditions.',
  'state.faults.counts.*.applied': 'To how many it applied.',
  'state.faults.counts.*.failed': 'Of `failTimes`: each call, as a fingerprint, with how often it has failed.',
};
