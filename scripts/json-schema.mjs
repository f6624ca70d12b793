// Creates the JSON Schema of scenario files from the schema in the code. Adds a description of every field, for
// editors.

import { addEditorRules } from './editor-rules.mjs';
import { names, readPackageScenario } from './package-scenarios.mjs';
import { source } from './source.mjs';
import {
  documentedNames,
  documentedWindows,
  forDocumented,
  joinWords,
  stateDescriptions,
  under,
  usage,
} from './state-descriptions.mjs';

const { assumptions, fields, optional, scenarioSchema, settingValues, startSchema, toJsonSchema } = await source(`
  export { assumptions } from './petstore/assumptions.js';
  export { settingValues } from './petstore/settings.js';
  export { startSchema } from './scenario/read-start.js';
  export { scenarioSchema } from './petstore/scenario-schema.js';
  export { toJsonSchema } from './validation/json-schema.js';
  export { fields, optional } from './validation/schemas.js';
`);

const limits = forDocumented((name) => `Requests per ${name}; null for no limit.`);
const lengthText = (seconds) =>
  seconds % 86_400 === 0 ? `${seconds / 86_400}d` : seconds % 3_600 === 0 ? `${seconds / 3_600}h` : `${seconds}s`;
const escalation = {
  factor: 'Factor by which each further ban is longer.',
  maxSeconds: 'Maximum length of a ban.',
};

/**
 * Descriptions of scenario fields by path; `*` stands for any name, `[]` for a list item. They are outside of src,
 * because browser pages would download them.
 */
export const descriptions = {
  $schema: 'The JSON Schema of this file, for editors.',
  name: 'Shown by the server and by `petstore-sim scenarios`. Default: the name of the file.',
  description: 'Behavior of the service, of a right client and of a wrong client.',
  group: 'Group in the list of `petstore-sim scenarios`.',
  extends:
    'Base of this scenario: the name of a shipped scenario, or a file such as ./base.yaml. Maps are merged; lists and single values are replaced.',
  seed: 'Seed of generated pets, shuffles and probabilities.',
  clock: 'Simulated clock for windows, bans, the Date header, key expiry, faults and the removal of getPet.',
  'clock.start': 'Time at the start. Default: now.',
  'clock.mode': 'real: the clock runs. frozen: the clock stops until a control operation advances it.',
  'clock.speed': 'Simulated seconds per real second.',
  'clock.skew': 'Offset of the clock from the machine’s clock; negative if behind.',
  ids: 'Identifiers of new pets.',
  'ids.start': 'Id of the first new pet.',
  categories: 'Categories of generated pets, and the known categories for `unknownCategory: reject`.',
  pets: 'Pets: a list, a file with a list, or numbers of pets to generate.',
  'pets[].id': 'Id of the pet. Default: the next free id.',
  'pets[].name': 'Name of the pet.',
  'pets[].categoryId': 'Identifier of its category.',
  'pets[].status': 'Status of the pet. Default: the assumption defaultStatus; null for none.',
  'pets[].extra': 'Additional fields of the pet, as stored under `unknownFields: echo`.',
  'pets.file': 'A YAML or JSON file with a list of pets, in the folder of this file or below.',
  'pets.generate': 'Number of pets to generate, by status.',
  'pets.generate.available': 'Number of available pets.',
  'pets.generate.pending': 'Number of pending pets.',
  'pets.generate.sold': 'Number of sold pets.',
  'pets.generate.locale': 'Locale of the names, from faker, such as ja or pt_BR, or mixed. Default: en.',
  keyFrom: 'Place of the API key in requests: bearer, basic, token, `header NAME`, `query NAME`, signature, or one.',
  cost: 'Number of requests as which each request to an operation counts, by operation: `{ placeOrder: 5 }`; or `header NAME`, a header with the cost in the responses of your backend or handlers.',
  plans: 'Changes a plan (free, pro, business, enterprise) or adds one.',
  ...under('plans.*.', limits),
  windows: `Lengths of the windows, in whole seconds; shorter windows shorten the waits of a real client. A name other than ${joinWords(documentedNames)} adds a window.`,
  ...under(
    'windows.',
    forDocumented((name) => `Length of the ${name} window. Default: ${lengthText(documentedWindows[name])}.`),
  ),
  keys: 'API keys, by their text.',
  'keys.*.plan': 'Plan of the key. Default: free.',
  'keys.*.state': 'State of the key; a revoked key receives 401.',
  'keys.*.expiresAt': 'Expiry time, from which the key receives 401.',
  'keys.*.expiresIn': 'Validity from the first request; the key then receives 401.',
  'keys.*.usage': 'Requests already used before the first request of the key.',
  ...under('keys.*.usage.', usage),
  'keys.*.bannedFor': 'Length of a ban that starts with the first request of the key.',
  limits: 'Rules of the rate limits; off disables them.',
  'limits.appliesTo': assumptions.limitsApply.question,
  ban: 'Rules of bans: a preset, or single fields.',
  ...under('ban.escalation.', escalation),
  'ban.after': 'Number of strikes (requests during a required wait) that ban a key; 0 for no bans. Default: 3.',
  'ban.for': 'Length of a ban, in whole seconds. Default: 120s.',
  'ban.grace': 'Time after the first rejection in which further rejections are no strikes. Default: 1s.',
  'ban.tolerance': 'Time by which a request may be too early without a strike. Default: 50ms.',
  'ban.escalation': 'Makes each further ban of a key longer. Default: false.',
  'ban.escalation.max': escalation.maxSeconds,
  'ban.escalation.maxSeconds': 'Earlier name of max, in seconds.',
  'ban.seconds': 'Earlier name of for, in seconds.',
  'ban.graceMs': 'Earlier name of grace, in milliseconds.',
  'ban.toleranceMs': 'Earlier name of tolerance, in milliseconds.',
  ...under('assumptions.banEscalation.', escalation),
  ...under('assumptions.enterpriseLimits.', limits),
  hostileHeaders: 'Wrong rate-limit headers, as some services send them.',
  'hostileHeaders.retryAfter': 'Value of Retry-After in a rejection.',
  'hostileHeaders.reset': 'Value of X-RateLimit-Reset.',
  'hostileHeaders.remaining': 'Value of X-RateLimit-Remaining in a rejection.',
  'hostileHeaders.html': 'Rejects with an HTML page without rate-limit headers.',
  faults: 'Fault rules; the first that matches a request wins.',
  'faults[].name': 'Name of the rule in the journal and in the control API.',
  'faults[].when': 'Conditions of the rule, which a request must all meet. Default: every request.',
  'faults[].when.operation': 'One operation or a list.',
  'faults[].when.method': 'Method of the request.',
  'faults[].when.key': 'One API key or a list.',
  'faults[].when.plan': 'Plan of the API key.',
  'faults[].when.status': 'Status filter of listPets.',
  'faults[].when.petId': 'Id of the pet, for getPet.',
  'faults[].when.nth': 'Applies to the n-th request that meets the other conditions, counted from 1.',
  'faults[].when.every': 'Applies to every n-th request that meets the other conditions.',
  'faults[].when.first': 'Applies to the first n requests that meet the other conditions.',
  'faults[].when.probability': 'Probability for each request, from 0 to 1 or such as 10%, determined by the seed.',
  'faults[].when.after': 'Earliest effect, in simulated time since the scenario started.',
  'faults[].when.for': 'Duration of the effect from then on.',
  'faults[].when.times': 'Maximum number of applications.',
  'faults[].then': 'Effect of the rule, optionally with a delay.',
  'faults[].then.respond': 'Response instead of the operation’s own.',
  'faults[].then.respond.like': 'Refuses in the words of this service: its status, headers and body, with `wait`.',
  'faults[].then.respond.status': 'HTTP status.',
  'faults[].then.respond.headers': 'Additional or changed headers; null removes a header.',
  'faults[].then.respond.body': 'Body as text, or as a value to send as JSON. Default: an Error body.',
  'faults[].then.respond.wait':
    'Wait that placeholders in headers and body state, such as {seconds} or {Unix seconds}. Default with `like`: 5 s.',
  'faults[].then.reset': 'Resets the connection (TCP RST).',
  'faults[].then.close': 'Closes the connection without a response.',
  'faults[].then.hang': 'Never responds.',
  'faults[].then.ban': 'Bans the key for this duration, and rejects the request. Can be combined only with delay.',
  'faults[].then.truncate': 'Sends only the start of the body, then closes the connection.',
  'faults[].then.truncate.fraction': 'Fraction of the body, from 0 to 1.',
  'faults[].then.truncate.bytes': 'Number of bytes of the body.',
  'faults[].then.drip': 'Sends the body in pieces.',
  'faults[].then.drip.bytes': 'Bytes per piece.',
  'faults[].then.drip.every': 'Pause after each piece.',
  'faults[].then.malformed': 'Sends a body with invalid JSON.',
  'faults[].then.empty': 'Sends an empty body.',
  'faults[].then.contentLength': 'Sends this Content-Length, even if it is wrong.',
  'faults[].then.contentType': 'Sends an HTML page instead of JSON.',
  'faults[].then.delay': 'Delays the response by a fixed time, or by a random time from a distribution.',
  'faults[].then.delay.fixed': 'Fixed delay.',
  'faults[].then.delay.p50': 'Median of the delays.',
  'faults[].then.delay.p99': '99th percentile of the delays.',
  'faults[].then.phase':
    'before: the operation does not run. after: the operation runs, and its response is lost or changed.',
  'faults[].then.countsQuota': 'Whether an affected request uses quota. Default: true.',
  'faults[].then.failTimes': 'Number of failures of each call; later attempts succeed.',
  words:
    'Words of a service for refusals, headers about limits, and errors: its name, or its fields. Texts may have {seconds}, {Unix seconds}, {milliseconds}, {duration}, {date}, {RFC 3339}, {limit}, {remaining}, {used}, {status}, {reason} and {message}.',
  ...under('words.', {
    like: 'Service whose words these fields change.',
    status: 'Status of a refusal. Default: 429.',
    headers: 'Headers of a refusal.',
    body: 'Body of a refusal: text, or JSON.',
    limits: 'Headers of every response with a known limit.',
    error: 'Body of every other error of the simulator, such as a 401 or 404.',
  }),
  background: 'Requests per second of other clients with the same key, by API key.',
  assumptions: 'Behavior that the interface document leaves open; see `petstore-sim assumptions`.',
  ...stateDescriptions,
  client: 'Requirements for the client, which exec and similar commands pass on in environment variables.',
  'client.key': 'API key of the client. Default: the first key of the scenario.',
  'client.operation': 'Operation that the client calls. Default: listPets.',
  'client.calls': 'Number of calls. Default: 1.',
  'client.parallel': 'Number of concurrent calls. Default: 1.',
  expect: 'Expected verdicts.',
  'expect.verdict': 'Verdict on a right client.',
  'expect.served': 'Whether the calls of a right client succeed in the end.',
  'expect.fail': 'Rules that a wrong client breaks.',
  'expect.amplification':
    'Maximum number of requests per call, of all calls together: 1.3 for a client with a retry budget.',
  'expect.refused':
    'Statuses, besides 429, with which a backend, a handler or a fault rule refuses a request by a limit: `[403]`.',
};

/** Uses the question of each setting as description, also for its second name under `limits` or `ban`. */
for (const id of Object.keys(settingValues)) {
  const { question, alsoAt } = assumptions[id];
  descriptions[`assumptions.${id}`] = question;
  for (const path of alsoAt?.split(', ') ?? []) if (/^(?:limits|ban)\.\w+$/.test(path)) descriptions[path] ??= question;
}

/** Adds the descriptions to a JSON Schema, and collects the paths that occur. */
function describe(schema, path, seen) {
  for (const branch of schema.anyOf ?? []) describe(branch, path, seen);
  if (schema.items) describe(schema.items, `${path}[]`, seen);
  if (typeof schema.additionalProperties === 'object')
    describe(schema.additionalProperties, path ? `${path}.*` : '*', seen);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const at = path ? `${path}.${name}` : name;
    seen.add(at);
    if (descriptions[at] !== undefined) field.description = descriptions[at];
    describe(field, at, seen);
  }
}

/** Reads the names of the package's scenarios, with the first sentence of each description. */
async function shippedTexts() {
  const texts = {};
  for (const name of names) {
    const { description } = await readPackageScenario(name);
    texts[name] = description.trim().split(/(?<=\.)\s/)[0];
  }
  return texts;
}

/** Converts lists of two items to draft-07, which has another keyword for them than later drafts. */
function asDraft07(part) {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(asDraft07);
  const { prefixItems, items, ...rest } = part;
  const own = prefixItems === undefined ? items : prefixItems;
  const inside = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, asDraft07(value)]));
  return { ...inside, ...(own !== undefined && { items: asDraft07(own) }) };
}

/**
 * Creates the JSON Schema of scenario files.
 * @returns JSON Schema (draft-07, which editors support best) and the paths of its fields
 */
export async function jsonSchema() {
  const schema = {
    title: 'Scenario of petstore-sim',
    description: 'Initial state and behavior of a simulator. All fields are optional.',
    ...asDraft07(toJsonSchema(fields({ ...scenarioSchema.entries, state: optional(startSchema) }))),
    $schema: 'http://json-schema.org/draft-07/schema#',
  };
  const paths = new Set();
  describe(schema, '', paths);
  addEditorRules(schema, await shippedTexts());
  return { schema, paths };
}
