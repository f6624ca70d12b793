// JSON Schema of scenario files, from the schema in the code, with a description of every field for editors.

import { fileURLToPath } from 'node:url';
import { readScenarioAndFiles } from '../dist/node/scenario-files/scenario-files.js';
import { shippedScenarios } from '../dist/node/scenario-files/shipped-scenarios.js';
import { assumptions } from '../dist/petstore/assumptions.js';
import { startSchema } from '../dist/scenario/read-start.js';
import { scenarioSchema } from '../dist/scenario/scenario-schema.js';
import { toJsonSchema } from '../dist/validation/json-schema.js';
import { fields, optional } from '../dist/validation/schemas.js';
import { addEditorRules } from './editor-rules.mjs';
import { stateDescriptions } from './state-descriptions.mjs';

/**
 * Descriptions of the fields by path; `*` stands for a user-defined name, `[]` for a list item. Not in the code, to
 * keep pages small.
 */
export const descriptions = {
  $schema: 'The JSON Schema of this file, for editors.',
  name: 'Shown by the server and by `petstore-sim scenarios`. Default: the name of the file.',
  description: 'What the service does, what a right client does, and what a wrong one does.',
  group: 'Where `petstore-sim scenarios` lists it.',
  extends:
    'What to start from: the name of a shipped scenario, or a file such as ./base.yaml. Maps merge, lists and single values replace.',
  seed: 'Decides generated pets, shuffles and chances.',
  clock: 'The one clock that drives windows, bans, Date, key expiry, faults and the removal of getPet.',
  'clock.start': 'The first instant. Default: now.',
  'clock.mode': 'real runs, frozen stands still until it is moved.',
  'clock.speed': 'Simulated seconds in a real second.',
  'clock.skew': 'How far the clock is ahead of the machine’s; with a minus, behind.',
  ids: 'Identifiers of new pets.',
  'ids.start': 'The first id that a new pet gets.',
  categories: 'Categories of generated pets, and those that `unknownCategory: reject` knows.',
  pets: 'The pets: a list, a file with a list, or how many to generate.',
  'pets[].id': 'Default: the next free one.',
  'pets[].name': 'The name of the pet.',
  'pets[].categoryId': 'Identifier of its category.',
  'pets[].status': 'Default: as the assumption defaultStatus says; null: none.',
  'pets[].extra': 'Fields that NewPet does not have, as `unknownFields: echo` stores them.',
  'pets.file': 'A YAML or JSON file with a list of pets, in the folder of this file or below.',
  'pets.generate': 'How many pets of each status to generate.',
  'pets.generate.available': 'How many available ones.',
  'pets.generate.pending': 'How many pending ones.',
  'pets.generate.sold': 'How many sold ones.',
  'pets.generate.locale':
    'Whose first names the pets get: a locale of faker such as ja or pt_BR, or mixed. Default: en.',
  plans: 'Changes a plan (free, pro, business, enterprise) or adds one.',
  'plans.*.minute': 'Requests a minute.',
  'plans.*.day': 'Requests a day.',
  windows: 'How long the windows are, in whole seconds; shorter ones make a real client wait less.',
  'windows.minute': 'Length of the minute window. Default: 60s.',
  'windows.day': 'Length of the day window. Default: 1d.',
  keys: 'API keys, by their text.',
  'keys.*.plan': 'Default: free.',
  'keys.*.state': 'A revoked key is refused with 401.',
  'keys.*.expiresAt': 'From this instant the key is refused with 401.',
  'keys.*.expiresIn': 'This long after its first request the key is refused with 401.',
  'keys.*.usage': 'What is used up when the key makes its first request.',
  'keys.*.usage.minute': 'Requests used of the minute.',
  'keys.*.usage.day': 'Requests used of the day.',
  'keys.*.bannedFor': 'The key is banned for this long when it makes its first request.',
  limits: 'How requests are limited; off switches the limits off.',
  'limits.appliesTo': assumptions.limitsApply.question,
  ban: 'When a key is banned: a preset, or the fields.',
  'ban.escalation.factor': 'How much longer each further ban is.',
  'ban.after': 'How many strikes (refused requests that came too early) ban a key; 0: none ever does. Default: 3.',
  'ban.for': 'How long a ban lasts, in whole seconds. Default: 120s.',
  'ban.grace': 'How long after the first refusal a refused request is no strike. Default: 1s.',
  'ban.tolerance': 'How much too early a request may come without a strike. Default: 50ms.',
  'ban.escalation': 'Makes each further ban of a key longer. Default: false.',
  'ban.escalation.max': 'The longest ban.',
  'ban.escalation.maxSeconds': 'Earlier name of max, in seconds.',
  'ban.seconds': 'Earlier name of for, in seconds.',
  'ban.graceMs': 'Earlier name of grace, in milliseconds.',
  'ban.toleranceMs': 'Earlier name of tolerance, in milliseconds.',
  'assumptions.banEscalation.factor': 'How much longer each further ban is.',
  'assumptions.banEscalation.maxSeconds': 'The longest ban.',
  'assumptions.enterpriseLimits.minute': 'Requests a minute.',
  'assumptions.enterpriseLimits.day': 'Requests a day.',
  hostileHeaders: 'Rate-limit headers as badly written services send them.',
  'hostileHeaders.retryAfter': 'What Retry-After is on a refusal.',
  'hostileHeaders.reset': 'What X-RateLimit-Reset is.',
  'hostileHeaders.remaining': 'What X-RateLimit-Remaining is on a refusal.',
  'hostileHeaders.html': 'Refuses with an HTML page that has no rate header.',
  faults: 'Fault rules; the first that matches a request wins.',
  'faults[].name': 'What the journal and the control API call the rule.',
  'faults[].when': 'Which requests; every condition that is there must hold. Without any: all.',
  'faults[].when.operation': 'One operation or a list.',
  'faults[].when.method': 'The method of the request.',
  'faults[].when.key': 'One API key or a list.',
  'faults[].when.plan': 'Keys of this plan.',
  'faults[].when.status': 'Lists with this status filter.',
  'faults[].when.petId': 'getPet of this pet.',
  'faults[].when.nth': 'Only this one of the requests that meet the other conditions, from 1.',
  'faults[].when.every': 'Each one whose number is a multiple of this.',
  'faults[].when.first': 'Only this many at the start.',
  'faults[].when.probability': 'Each with this chance, from 0 to 1, decided by the seed.',
  'faults[].when.after': 'Not before this much time since the scenario started.',
  'faults[].when.for': 'For this long from then.',
  'faults[].when.times': 'At most this many times in all.',
  'faults[].then': 'What happens: one effect, and a delay if you like.',
  'faults[].then.respond': 'Answers this instead.',
  'faults[].then.respond.status': 'The HTTP status.',
  'faults[].then.respond.headers': 'Headers on top of the usual ones; null takes one away.',
  'faults[].then.respond.body': 'Text, or a value to send as JSON. Default: an Error body.',
  'faults[].then.reset': 'Resets the connection (TCP RST).',
  'faults[].then.close': 'Closes the connection without an answer.',
  'faults[].then.hang': 'Never answers.',
  'faults[].then.ban': 'Bans the key for this long, and refuses the request for it. Goes with delay alone.',
  'faults[].then.truncate': 'Sends only the start of the body, then closes.',
  'faults[].then.truncate.fraction': 'How much of it, from 0 to 1.',
  'faults[].then.truncate.bytes': 'How many bytes of it.',
  'faults[].then.drip': 'Sends the body in pieces.',
  'faults[].then.drip.bytes': 'Bytes in a piece.',
  'faults[].then.drip.every': 'Pause after each piece.',
  'faults[].then.malformed': 'Sends a body that is broken JSON.',
  'faults[].then.empty': 'Sends an empty body.',
  'faults[].then.contentLength': 'Sends this Content-Length, true or not.',
  'faults[].then.contentType': 'Sends an HTML page instead of JSON.',
  'faults[].then.delay': 'Answers later: after a fixed time, or one drawn from a distribution.',
  'faults[].then.delay.fixed': 'Always this long.',
  'faults[].then.delay.p50': 'Half of the delays are shorter.',
  'faults[].then.delay.p99': 'All but one in a hundred are shorter.',
  'faults[].then.phase': 'before: the operation does not run. after: it runs, and its answer is lost or changed.',
  'faults[].then.countsQuota': 'Whether such a request uses quota. Default: true.',
  'faults[].then.failTimes': 'Only this many times; then the operation recovers.',
  background: 'Someone else uses my key: requests a second, by API key.',
  assumptions: 'What to do where the interface document is silent; see `petstore-sim assumptions`.',
  ...stateDescriptions,
  client: 'Who calls: what the scenario needs of a client so that it is met. A command that runs one hands it on.',
  'client.key': 'The API key. Default: the first that the scenario names.',
  'client.operation': 'What the client calls. Default: listPets.',
  'client.calls': 'How many calls it makes. Default: 1.',
  'client.parallel': 'How many of them side by side. Default: 1.',
  expect: 'What a verdict on a client should say.',
  'expect.verdict': 'The verdict on a right client.',
  'expect.served': 'Whether a right client is served in the end.',
  'expect.fail': 'The rules that a wrong client breaks.',
};

/** Describes an assumption by its question, under `assumptions` and at its other path. */
for (const [id, { question, alsoAt }] of Object.entries(assumptions)) {
  descriptions[`assumptions.${id}`] = question;
  for (const path of alsoAt?.split(', ') ?? []) if (/^(?:limits|ban)\.\w+$/.test(path)) descriptions[path] ??= question;
}

/** Adds descriptions to the fields of a JSON Schema, and collects all paths. */
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

/** Names of the shipped scenarios, each with the first sentence of its description. */
async function shippedTexts() {
  const shipped = shippedScenarios(fileURLToPath(new URL('../scenarios/', import.meta.url)), '.yaml');
  const texts = {};
  for (const name of shipped.names) {
    const { scenario } = await readScenarioAndFiles(`${shipped.folder}${name}${shipped.ending}`, { shipped });
    texts[name] = scenario.description.trim().split(/(?<=\.)\s/)[0];
  }
  return texts;
}

/** Converts a list of two items to draft-07, which uses another keyword than later drafts. */
function asDraft07(part) {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(asDraft07);
  const { prefixItems, items, ...rest } = part;
  const own = prefixItems === undefined ? items : prefixItems;
  const inside = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, asDraft07(value)]));
  return { ...inside, ...(own !== undefined && { items: asDraft07(own) }) };
}

/** @returns JSON Schema (draft-07, which editors support best) and the paths of its fields */
export async function jsonSchema() {
  const schema = {
    title: 'Scenario of petstore-sim',
    description: 'What a simulator starts with and does. Everything is optional.',
    ...asDraft07(toJsonSchema(fields({ ...scenarioSchema.entries, state: optional(startSchema) }))),
    $schema: 'http://json-schema.org/draft-07/schema#',
  };
  const paths = new Set();
  describe(schema, '', paths);
  addEditorRules(schema, await shippedTexts());
  return { schema, paths };
}
