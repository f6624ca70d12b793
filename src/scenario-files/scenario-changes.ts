import { isDeepStrictEqual } from 'node:util';
import type { Scenario } from '../scenario/scenario-schema.js';
import { isMap } from '../values/plain-data.js';

/**
 * Lists the fields that differ between two scenarios: `limits.algorithm`, `keys.free-key.usage`, `faults (1 added)`.
 */
export function scenarioChanges(before: Scenario, after: Scenario): string[] {
  return changedFields(before, after, []);
}

function changedFields(before: Fields, after: Fields, path: readonly string[]): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) => {
    const [was, is] = [before[name], after[name]];
    if (isDeepStrictEqual(was, is)) return [];
    const here = [...path, name];
    // Names each changed field of an API key, such as `keys.free-key.usage`, because a key has many fields.
    const isDeepEnough = here.length > (here[0] === 'keys' ? 2 : 1);
    if (!isDeepEnough && isMap(was) && isMap(is)) return changedFields(was, is, here);
    if (Array.isArray(was) || Array.isArray(is)) return [`${here.join('.')}${countChanges(was, is)}`];
    return [here.join('.')];
  });
}

type Fields = Readonly<Record<string, unknown>>;

/** Counts the added, removed and changed items of a list. Items belong together by name, id or position. */
function countChanges(before: unknown, after: unknown): string {
  const [was, is] = [byName(before), byName(after)];
  const added = [...is.keys()].filter((name) => !was.has(name)).length;
  const removed = [...was.keys()].filter((name) => !is.has(name)).length;
  const changed = [...is].filter(([name, item]) => was.has(name) && !isDeepStrictEqual(was.get(name), item)).length;
  const counts = Object.entries({ added, removed, changed }).filter(([, count]) => count > 0);
  return counts.length === 0 ? ' (order)' : ` (${counts.map(([word, count]) => `${count} ${word}`).join(', ')})`;
}

function byName(list: unknown): Map<unknown, unknown> {
  const items = Array.isArray(list) ? list : [];
  return new Map(
    items.map((item, index) => {
      const { name, id } = isMap(item) ? item : {};
      return [id === undefined ? (name ?? (isMap(item) ? index : item)) : `id ${id}`, item];
    }),
  );
}
