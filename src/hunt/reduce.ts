import type { Scenario } from '../scenario/scenario-schema.js';
import { durationText, parseDuration } from '../values/duration.js';
import { isMap } from '../values/plain-data.js';
import type { Trial } from './trial.js';

type Path = readonly string[];

/** Values to which the bug search tries to simplify a scenario's durations and counts, simplest first. */
const plainDurations = ['10s', '1m', '5s', '2s', '1s', '30s', '2m', '10m', '1h', '1d'];
const plainCounts = [1, 2, 3, 5, 10];

/**
 * Generates simplified copies of a scenario, of which the bug search `hunt` keeps those that still break the client.
 * The first copies each lack one field; the others each have a simpler value in one field.
 * @param isFixedField returns whether the field at a path must not change
 * @param isRealTime whether runs take real time; if so, no duration becomes longer
 */
export function* simplerForms(
  scenario: Scenario,
  isFixedField: (path: Path) => boolean,
  isRealTime: boolean,
): Generator<Scenario> {
  yield* withoutOneField(scenario, isFixedField);
  const paths = pathsIn(scenario).filter((path) => !isFixedField(path));
  for (const path of paths) {
    for (const value of plainerThan(valueAt(scenario, path), isRealTime)) yield edited(scenario, path, value);
  }
}

/** Generates copies of a scenario that each lack one field, short paths first. */
export function* withoutOneField(scenario: Scenario, isFixedField: (path: Path) => boolean): Generator<Scenario> {
  for (const path of pathsIn(scenario)) if (!isFixedField(path)) yield edited(scenario, path, undefined);
}

/** Lists the paths of all fields and items in plain data, short paths first. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (!isMap(value) && !Array.isArray(value)) return [];
  const own = Object.keys(value).map((name) => [...path, name]);
  return [...own, ...own.flatMap((each) => pathsIn(valueAt(value, each.slice(path.length)), each))];
}

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], value);

/**
 * Copies plain data with another value at a path. `undefined` removes the value, and every object or list that becomes
 * empty.
 */
function edited<Value>(value: Value, [name = '', ...rest]: Path, replacement: unknown): Value {
  const inner = (value as Record<string, unknown>)[name];
  const changed = rest.length === 0 ? replacement : edited(inner, rest, replacement);
  const isGone = changed === undefined || (replacement === undefined && isEmpty(changed));
  if (Array.isArray(value))
    return (isGone ? value.toSpliced(Number(name), 1) : value.with(Number(name), changed)) as Value;
  const { [name]: _, ...others } = value as Record<string, unknown>;
  // A changed field keeps its position in the object. The first field of `keys` is the client's default API key, so
  // that another order would change the scenario.
  if (isGone) return others as Value;
  return { ...(value as object), [name]: changed } as Value;
}

const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0;

function plainerThan(value: unknown, isRealTime: boolean): readonly unknown[] {
  const before = (list: readonly unknown[]) => (list.includes(value) ? list.slice(0, list.indexOf(value)) : list);
  if (typeof value === 'number') return before(plainCounts).filter((each) => (each as number) < value);
  if (isDuration(value)) {
    const longestMs = isRealTime ? lengthOf(value) : Number.POSITIVE_INFINITY;
    return before(plainDurations).filter((each) => lengthOf(String(each)) <= longestMs);
  }
  return [];
}

const isDuration = (value: unknown): value is string =>
  typeof value === 'string' && durationText.test(value.replace(/^-/, ''));

const lengthOf = (duration: string) => parseDuration(duration.replace(/^-/, ''));

/**
 * Rates how difficult a failed run of a client is to understand, by numbers to compare in order. The numbers are: count
 * of requests, longest wait, count of scenario fields, and unusualness of the fields' values.
 */
export function complexityOf({ scenario, entries }: Trial): number[] {
  const longestMs = entries.reduce(
    (most, { arrivedAtMs }, index) => Math.max(most, arrivedAtMs - (entries[index - 1]?.answeredAtMs ?? arrivedAtMs)),
    0,
  );
  const { expect: _, ...fields } = scenario;
  const leaves = pathsIn(fields)
    .map((path) => valueAt(fields, path))
    .filter((value) => typeof value !== 'object' || value === null || isEmpty(value));
  const oddness = leaves.reduce<number>((sum, value) => sum + oddnessOf(value), 0);
  return [entries.length, durationClass(longestMs), leaves.length, oddness];
}

const fewRequests = 4;
const fewValues = 8;

/** Whether a failed run is small enough for a reader: few requests and few scenario values. */
export function isSmall(trial: Trial): boolean {
  const [requests = 0, , values = 0] = complexityOf(trial);
  return requests <= fewRequests && values <= fewValues;
}

/**
 * Rates the longest wait in a failing run, because a run with short waits is easier to understand. Returns 0 for at
 * most 61 s, 1 for at most 10 min, 2 for at most 24 h, 3 for more.
 */
const durationClass = (ms: number) => [61_000, 600_000, 86_400_000].filter((limit) => ms > limit).length;

function oddnessOf(value: unknown): number {
  const place = (list: readonly unknown[]) => (list.includes(value) ? list.indexOf(value) : list.length);
  if (isDuration(value)) return place(plainDurations) + (lengthOf(value) > 86_400_000 ? 1 : 0);
  if (typeof value === 'number') return place(plainCounts);
  return 0;
}

export function isSimpler(complexity: readonly number[], other: readonly number[]): boolean {
  const at = complexity.findIndex((value, index) => value !== other[index]);
  return at >= 0 && (complexity[at] as number) < (other[at] as number);
}
