import { seededFraction } from '../../src/values/seeded-random.js';
import { type Json, resolved } from './described.js';

/** One control request, as a tool would make it that knows only the description. */
export interface RandomCall {
  operationId: string;
  method: string;
  path: string;
  body: string | undefined;
}

const words = [
  ...['free-key', 'pro-key', 'added-key', 'a', '', 'box', 'other', 'default', 'tiny', 'before', 'fault-1', 'outage'],
  ...['61s', '0ms', '1d', '10000d', '1.5s', '-1s', '2026-01-01T12:00:00Z', '2026-02-31T00:00:00Z'],
  ...['9999-12-31T23:59:59Z'],
  ...['__proto__', 'constructor', '../..', '%00', '\u0000', '\ud800', '🐶', 'x'.repeat(2_000), 'listPets', 'minute'],
  ...['off'],
];
const numbers = [0, 1, -1, 2, 59, 60, 61, 1.5, 1e3, 1e9, 2 ** 53, 9.3e18, -1e300, 1e300, 4_294_967_296];
const junk: unknown[] = [null, true, false, [], {}, [[]], { a: 1 }, ...words, ...numbers];

/** Numbers from 0 to below 1, the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let count = 0;
  return () => seededFraction(seed, count++);
}

/** Random calls of every described operation: most inputs follow their schema, the others break it in one place or all. */
export function createRandomCalls(description: Json, seed: number) {
  const random = randomNumbers(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const operations = Object.entries(description.paths as Json).flatMap(([path, methods]) =>
    Object.entries(methods as Json).map(([method, operation]) => ({ path, method, operation: operation as Json })),
  );

  function randomValue(schema: Json, depth = 0): unknown {
    if (random() < 0.04) return pick(junk);
    const { type, anyOf, properties, items, prefixItems, minimum, maximum, ...rest } = resolved(description, schema);
    const { enum: values } = rest;
    if ('const' in rest) return rest.const;
    if (values !== undefined) return pick(values);
    if (anyOf !== undefined) return randomValue(pick(anyOf), depth);
    switch (Array.isArray(type) ? pick(type) : type) {
      case 'object': {
        const { required = [], additionalProperties } = rest;
        const wanted = Object.keys(properties ?? {}).filter(
          (name) => required.includes(name) || (depth < 4 && random() < 0.25),
        );
        const entries = wanted.map((name) => [name, randomValue(properties[name], depth + 1)]);
        if (typeof additionalProperties === 'object' && depth < 4 && random() < 0.7) {
          entries.push([pick(words), randomValue(additionalProperties, depth + 1)]);
        }
        return Object.fromEntries(entries);
      }
      case 'array':
        if (prefixItems !== undefined) return prefixItems.map((item: Json) => randomValue(item, depth + 1));
        return Array.from({ length: Math.floor(random() * 3) }, () => randomValue(items, depth + 1));
      case 'integer':
      case 'number': {
        const least = minimum ?? 0;
        if (random() < 0.3) return pick(numbers);
        return least + Math.floor(random() * Math.min(100, (maximum ?? least + 100) - least + 1));
      }
      case 'boolean':
        return random() < 0.5;
      default:
        return pick(words);
    }
  }

  /** @param state an exported state, from which imports are made */
  return function next(state: () => Json): RandomCall {
    const { path, method, operation } = pick(operations);
    const { operationId, parameters = [], requestBody } = operation;
    const query = new URLSearchParams();
    let target = path;
    for (const { name, in: place, required, schema, example } of parameters) {
      const value = random() < 0.5 && example !== undefined ? example : randomValue(schema);
      if (place === 'path') target = target.replace(`{${name}}`, encodeURIComponent(textOf(value) || 'x'));
      else if (required || random() < 0.4) query.append(name, textOf(value));
    }
    // A wait must end before the test does.
    if (operationId === 'waitForRequests') query.set('timeout', '1ms');
    let body: unknown;
    if (operationId === 'importState' && random() < 0.7) body = changed(state());
    else if (requestBody !== undefined) {
      const [{ schema, example }] = Object.values(requestBody.content) as [Json];
      body = random() < 0.3 && example !== undefined ? example : randomValue(schema);
    }
    const text =
      method === 'get' ? undefined : random() < 0.02 ? pick(['{', '[]', '"x"', '', '{"a":1e999}']) : toJson(body ?? {});
    return {
      operationId,
      method: method.toUpperCase(),
      path: target + (query.size > 0 ? `?${query}` : ''),
      body: text,
    };
  };

  /** A copy with one value at a random place replaced. */
  function changed(value: Json): unknown {
    if (random() < 0.2) return value;
    const copy = JSON.parse(toJson(value));
    let at = copy;
    for (;;) {
      const names = Object.keys(at);
      if (names.length === 0) return copy;
      const name = pick(names);
      if (typeof at[name] === 'object' && at[name] !== null && random() < 0.85) at = at[name];
      else {
        at[name] = pick(junk);
        return copy;
      }
    }
  }
}

const textOf = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed();

const toJson = (value: unknown) =>
  JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? Number(part) : part)) ?? '{}';
