import { getOrCreate } from './get-or-create.js';

/** Whether a value is a map as in YAML and JSON. Lists and dates are not maps. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns the value if it is a map (an object that is neither a list nor a date); otherwise an empty map. */
export const mapOf = (value: unknown): Record<string, unknown> => (isMap(value) ? value : {});

/** Merges `over` into `base`: maps field by field; lists and single values of `over` replace those in `base`. */
export function merge<Value>(base: unknown, over: Value): Value {
  if (!isMap(base) || !isMap(over)) return over === undefined ? (base as Value) : over;
  const names = new Set([...Object.keys(base), ...Object.keys(over)]);
  return Object.fromEntries([...names].map((name) => [name, merge(base[name], over[name])])) as Value;
}

const copies = new WeakMap<object, object>();

/** Copies plain data deeply and freezes the copy. Returns the same copy for the same object. */
export function frozenCopy<Value extends object>(value: Value): Value {
  return getOrCreate(copies, value, () => copyFrozen(value)) as Value;
}

/**
 * Copies and freezes nested data in one pass, anew on each call. `structuredClone`, followed by freezing in place, takes more than twice as long:
 * half a second for a scenario with 150,000 API keys.
 */
export function copyFrozen<Value>(value: Value): Value {
  if (Array.isArray(value)) return Object.freeze(value.map(copyFrozen)) as Value;
  if (value instanceof Date) return new Date(value) as Value;
  if (!isMap(value)) return value;
  // The spread creates `__proto__` as an ordinary field. Assigning to a missing `__proto__` would set the prototype.
  const copy: Record<string, unknown> = { ...value };
  for (const name of Object.keys(copy)) copy[name] = copyFrozen(copy[name]);
  return Object.freeze(copy) as Value;
}
