import { documentedPlans } from '../petstore/document.js';
import { scenarioSchema } from '../petstore/scenario-schema.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { type AnySchema, check, type SchemaIssue } from '../validation/schema.js';
import { duration, instant, int64, signedDuration, wholeSeconds } from '../validation/value-schemas.js';
import { isMap, mapOf } from '../values/plain-data.js';
import { seededFraction } from '../values/seeded-random.js';
import { documentedNames } from '../values/window-fields.js';

/** Source of the random choices of one search by `hunt`. Equal seeds give equal choices. */
export interface RandomSource {
  /** Draws a number from 0 (inclusive) to 1 (exclusive). */
  fraction(): number;
  pick<Item>(items: readonly Item[]): Item;
}

export function createRandomSource(seed: number): RandomSource {
  let drawn = 0;
  const fraction = () => seededFraction(seed, drawn++);
  return { fraction, pick: (items) => items[Math.floor(fraction() * items.length)] as never };
}

/** Describes which scenarios the bug search of `hunt` may generate. */
export interface SearchSpace {
  /** API key of the client. */
  key: string;
  /**
   * Names of the fields of `client` in a scenario, such as `calls`, that the hunt varies. A hunt searches for scenarios
   * in which a client fails.
   */
  client: readonly string[];
  /**
   * Whether the client waits in real time. If true, random durations in the scenarios, such as delays and bans, are
   * only a few seconds long.
   */
  isRealTime: boolean;
}

/**
 * Paths of scenario fields that the command `hunt` does not vary in its search for scenarios in which a client fails.
 * Examples: names, settings of the judge, and references to files.
 */
const leftOut = new Set([
  '$schema',
  'name',
  'description',
  'group',
  'extends',
  'state',
  'expect',
  'seed',
  'clock.mode',
  'clock.speed',
  'pets.file',
  'pets.generate',
  'client.key',
  // Excludes the scenario setting `cors` (access by web pages of other origins) from the search for scenarios in which
  // a client fails. The client runs in the simulator's process, where CORS has no effect.
  'assumptions.cors',
  // Excludes deprecated field names from the changes that `hunt` makes to scenarios, because `hunt` already varies the
  // fields under their current names.
  'ban.seconds',
  'ban.graceMs',
  'ban.toleranceMs',
  // A client knows where its service expects the key, and in which words it refuses.
  'keyFrom',
  'words',
  // The cost of an operation is a fact of its service.
  'cost',
  // Mean nothing without the words of the service, which only a scenario file gets by its name.
  'respond.like',
  'respond.wait',
]);

const shortDurations = ['1s', '2s', '3s', '5s', '8s'];
const allDurations = ['1s', '2s', '5s', '10s', '20s', '30s', '45s', '1m', '61s', '2m', '10m', '1h', '12h', '1d', '30d'];
const delays = ['50ms', '500ms', '1s', '3s', '10s', '40s'];
const shortDelays = ['50ms', '300ms', '1s', '3s'];
const { free } = documentedPlans;
const limits = Object.values(documentedPlans).flatMap((plan) => Object.values(plan));
const [shortest, ...longer] = documentedNames;
const smallCounts = [0, 1, 2, 3, 5, 8, 20];

const delaysOf = ({ isRealTime }: SearchSpace) => (isRealTime ? shortDelays : delays);

/**
 * Values that may reveal a bug in a client, by the name of a scenario field. Fields without an entry get random values
 * of their type.
 */
const revealingValues: Readonly<Record<string, readonly unknown[] | ((space: SearchSpace) => readonly unknown[])>> = {
  keys: ({ key }) => [key],
  key: ({ key }) => [key],
  background: ({ key }) => [key],
  plan: ['free', 'free', 'pro', 'business'],
  plans: ['free', 'pro'],
  [`usage.${shortest}`]: [free[shortest], free[shortest], free[shortest] - 1, free[shortest] - 2],
  [`plans.${shortest}`]: [1, 2, 3, 5],
  ...Object.fromEntries(
    longer.flatMap((name) => [
      [`usage.${name}`, [free[name], free[name], free[name] - 1]],
      [`plans.${name}`, [1, 3, 5, 100]],
    ]),
  ),
  'generate.available': [0, 1, 25, 150],
  headers: ['Retry-After', 'Retry-After', 'X-RateLimit-Reset', 'X-RateLimit-Remaining'],
  'headers.Retry-After': ['1', '2', '5', '30', '61', '120', '1.5', '0', 'soon', '', '-5', '2592000'],
  'headers.X-RateLimit-Remaining': ['0', '9'],
  'headers.X-RateLimit-Reset': ['37', '0'],
  'respond.status': [429, 503, 503, 500, 502, 504, 401, 403, 404, 200],
  skew: ['40s', '-40s', '1h', '-1h', '1500ms'],
  start: ['2026-01-01T12:00:00Z', '2026-01-01T12:00:00.400Z', '2030-12-05T12:00:00Z'],
  'ids.start': ['9007199254740993', '9223372036854770000', 2_147_483_648, 1_000],
  calls: [1, 2, 3, 5, 10, 20],
  parallel: [1, 2, 5, 10],
  probability: [0.1, 0.5, 1],
  failTimes: [1, 2, 3, 5, 8],
  delay: delaysOf,
  fixed: delaysOf,
  p50: delaysOf,
  p99: delaysOf,
  bytes: [0, 1, 20, 40],
  every: [1, 2, 3],
  name: ['Rex', 'Milo', ''],
  body: ['', '{"code":"oops","message":"Something went wrong.","status":500}', 'Bad Gateway'],
  extra: [{ chip: 'x-1' }],
  errorCodes: ['rate_limit_exceeded', 'key_banned', 'unauthorized'],
};

/**
 * Looks up values of a scenario field that are likely to reveal bugs of a client, such as `soon` for the header
 * Retry-After. Uses the field's name together with an enclosing field's name, or else the field's name alone.
 */
function revealingValuesOf(path: readonly string[], space: SearchSpace): readonly unknown[] | undefined {
  const [name = ''] = path.slice(-1);
  const parent = path.findLast((step, index) => index < path.length - 1 && !/^\d+$/.test(step)) ?? '';
  const grand = path.at(-3) ?? '';
  const named = revealingValues[`${parent}.${name}`] ?? revealingValues[`${grand}.${name}`] ?? revealingValues[name];
  return typeof named === 'function' ? named(space) : named;
}

/**
 * Creates a function that changes a scenario at random within its schema. New fields of the schema are varied without
 * further code.
 * @returns a function whose result may still be invalid, because some rules concern several fields
 */
export function createMutator(space: SearchSpace, { fraction, pick }: RandomSource) {
  const isLeftOut = (path: readonly string[]) => {
    const text = path.join('.');
    if (text === 'client') return space.client.length === 0;
    const isNamed = leftOut.has(text) || leftOut.has(path.slice(-2).join('.'));
    return isNamed || (path[0] === 'client' && !space.client.includes(path[1] ?? ''));
  };

  function change(schema: AnySchema, value: unknown, path: readonly string[]): unknown {
    for (let attempt = 0; attempt < 8; attempt++) {
      const changed = changeOnce(schema, value, path);
      if (changed === undefined || isValid(schema, changed)) return changed;
    }
    return value;
  }

  function changeOnce(schema: AnySchema, value: unknown, path: readonly string[]): unknown {
    const { entries, values, names, item, items, options } = schema;
    if (entries !== undefined) return changeFields(entries, mapOf(value), path);
    if (values !== undefined && names !== undefined) {
      const map = mapOf(value);
      const present = Object.keys(map);
      const known = (revealingValuesOf(path, space) ?? []).filter((each) => isValid(names, each)) as string[];
      const name = present.length > 0 && fraction() < 0.6 ? pick(present) : pick(known.length > 0 ? known : ['other']);
      return withField(map, name, fraction() < 0.15 ? undefined : change(values, map[name], [...path, name]));
    }
    if (item !== undefined) {
      const list: unknown[] = Array.isArray(value) ? value : [];
      const index = Math.floor(fraction() * (Math.min(list.length, maximumItems - 1) + 1));
      if (index < list.length && fraction() < 0.3) return list.toSpliced(index, 1);
      return list.toSpliced(index, 1, change(item, list[index], [...path, String(index)]));
    }
    if (items !== undefined) return items.map((each, index) => change(each, undefined, [...path, String(index)]));
    if (isSimpleValue(schema)) return leafOf(schema, path);
    if (options !== undefined) {
      const accepting = options.filter((option) => value !== undefined && option.accepts(value));
      const option = accepting.length > 0 && fraction() < 0.7 ? pick(accepting) : pick(options);
      return change(option, option.accepts(value) ? value : undefined, path);
    }
    return value;
  }

  function changeFields(entries: Readonly<Record<string, AnySchema>>, map: object, path: readonly string[]): unknown {
    const names = Object.keys(entries).filter((name) => !isLeftOut([...path, name]));
    let changed: Record<string, unknown> = { ...map };
    for (const name of names) {
      if (entries[name]?.isOptional || changed[name] !== undefined) continue;
      changed[name] = change(entries[name] as AnySchema, undefined, [...path, name]);
    }
    const present = names.filter((name) => changed[name] !== undefined);
    const optionalNames = names.filter((name) => entries[name]?.isOptional);
    for (let edits = 1 + Math.floor(fraction() * 1.4); edits > 0 && names.length > 0; edits--) {
      const pool = present.length > 0 && fraction() < 0.5 ? present : optionalNames.length > 0 ? optionalNames : names;
      const name = pick(pool);
      const schema = entries[name] as AnySchema;
      const isRemoved = schema.isOptional && changed[name] !== undefined && fraction() < 0.3;
      changed = withField(changed, name, isRemoved ? undefined : change(schema, changed[name], [...path, name]));
    }
    return changed;
  }

  /** Chooses a random value for a scenario field that contains no further fields or list items. */
  function leafOf(schema: AnySchema, path: readonly string[]): unknown {
    const known = revealingValuesOf(path, space);
    // Values for the field `client` of a scenario, such as the number of calls, come only from a fixed list of values.
    // A random number could require hundreds of calls, which reveal no more bugs than twenty calls.
    const isRevealing = path[0] === 'client' || fraction() < 0.85;
    if (known !== undefined && known.length > 0 && isRevealing) {
      const fitting = known.filter((each) => isValid(schema, each));
      if (fitting.length > 0) return pick(fitting);
    }
    const json = jsonOf(schema);
    if (Array.isArray(json.enum)) return pick(json.enum);
    if ('const' in json) return json.const;
    const chain = chainOf(schema);
    if (chain.includes(wholeSeconds) || chain.includes(duration)) {
      return pick(space.isRealTime ? shortDurations : allDurations);
    }
    if (chain.includes(signedDuration)) return pick(['1s', '-1s', '40s', '-40s']);
    if (chain.includes(instant)) return pick(['2026-01-01T12:00:05Z', '2026-01-01T12:05:00Z', '2030-12-05T00:00:00Z']);
    if (chain.includes(int64)) return pick([1, 2, 7, 2_147_483_648, '9007199254740993']);
    if (schema.accepts('') && !schema.accepts(0)) return pick(['', 'Rex', 'free', space.key]);
    if (schema.accepts(true) && !schema.accepts(0)) return fraction() < 0.5;
    const { minimum = 0, maximum = Number.POSITIVE_INFINITY } = json as { minimum?: number; maximum?: number };
    const counts = [minimum, minimum + 1, ...smallCounts, ...limits, ...(maximum < 1e6 ? [maximum] : [])];
    return pick(json.type === 'integer' ? counts : [...counts, 0.1, 0.5, 0.9]);
  }

  return (scenario: Scenario, edits: number): Scenario => {
    let changed: Scenario = scenario;
    for (let edit = 0; edit < edits; edit++) {
      changed = changeFields(scenarioSchema.entries as Readonly<Record<string, AnySchema>>, changed, []) as Scenario;
    }
    return changed;
  };
}

/** Maximum length of a list in a generated scenario. */
const maximumItems = 2;

/** Copies an object with a changed field. The field is removed if the value is `undefined` or an empty object. */
function withField(map: object, name: string, value: unknown): Record<string, unknown> {
  const { [name]: _, ...rest } = map as Record<string, unknown>;
  const isEmpty = value === undefined || (isMap(value) && Object.keys(value).length === 0);
  return isEmpty ? rest : { ...rest, [name]: value };
}

export function isValid(schema: AnySchema, value: unknown): boolean {
  const issues: SchemaIssue[] = [];
  check(schema, value, issues);
  return issues.length === 0;
}

/** Lists a schema and the schemas that it refines or transforms, from the outermost to the innermost. */
function chainOf(schema: AnySchema): AnySchema[] {
  return schema.of === undefined ? [schema] : [schema, ...chainOf(schema.of)];
}

const jsonOf = (schema: AnySchema): Readonly<Record<string, unknown>> => schema.json ?? {};

const leaves: readonly AnySchema[] = [duration, wholeSeconds, signedDuration, instant, int64];

/** Whether a schema that is no map or list describes one simple value, such as a duration. */
const isSimpleValue = (schema: AnySchema) =>
  schema.options === undefined || chainOf(schema).some((each) => leaves.includes(each)) || isOfOneKind(schema);

/**
 * Whether every alternative of a schema is a simple value, as in `either(string, number)`, not a list, a map or a fixed
 * value.
 */
const isOfOneKind = ({ options = [] }: AnySchema): boolean =>
  options.every(
    ({ entries, values, item, options: inner, json = {} }) =>
      [entries, values, item, inner].every((part) => part === undefined) && !('enum' in json) && !('const' in json),
  );
