import { describe, expect, test, vi } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator } from '../../src/entries/index.js';
import { defaultScenario } from '../../src/petstore/default-scenario.js';
import { keyId } from '../../src/values/mask-key.js';
import { send } from '../support/plain-call.js';
import { outcome } from './both-controls.js';

const listed = Object.keys(defaultScenario.keys);
/** The texts of many keys, some of which have equal endings. */
const texts = (count: number) => Array.from({ length: count }, (_, n) => `client-${n}-key`);
const withKeys = (count: number) =>
  createSimulator({ scenario: { keys: Object.fromEntries(texts(count).map((text) => [text, {}])) } });

describe('the list of keys', () => {
  test('of a small simulator is complete', () => {
    const page = createControl(createSimulator()).listKeys();
    expect(page.keys.map(({ key }) => key)).toEqual(listed);
    expect(page.total).toBe(listed.length);
    expect(page).not.toHaveProperty('next');
  });

  test('has pages by `next` with each key once, also for masked keys', () => {
    const sim = createSimulator();
    for (const text of texts(250)) sim.keys.add(text);
    const control = createControl(sim);
    const seen: string[] = [];
    let after: string | undefined;
    let pages = 0;
    do {
      const page = control.listKeys({ ...(after && { after }), limit: 40 });
      expect(page.total).toBe(listed.length + 250);
      seen.push(...page.keys.map(({ id }) => id));
      after = page.next;
      pages++;
    } while (after !== undefined);
    expect(pages).toBe(7);
    expect(seen).toEqual([
      ...createSimulator()
        .keys.list()
        .map(({ id }) => id),
      ...texts(250).map(keyId),
    ]);
  });

  test('ends exactly at the last key, and is empty after it', () => {
    const control = createControl(withKeys(100 - listed.length));
    const whole = control.listKeys({ limit: 100 });
    expect(whole.keys.length).toBe(100);
    expect(whole).not.toHaveProperty('next');
    const [lastButOne, last] = whole.keys.slice(-2).map(({ key }) => key);
    expect(control.listKeys({ limit: 99 })).toMatchObject({ next: lastButOne });
    expect(control.listKeys({ after: last })).toEqual({ keys: [], total: 100 });
  });

  test('contains the keys of a restored state', () => {
    const sim = createSimulator();
    const control = createControl(sim);
    control.saveSnapshot({ name: 'before' });
    control.addKey({ key: 'added' });
    expect(control.listKeys().total).toBe(listed.length + 1);
    control.restoreSnapshot({ name: 'before' });
    expect(control.listKeys().total).toBe(listed.length);
    control.addKey({ key: 'added' });
    control.reset();
    expect(control.listKeys().total).toBe(listed.length);
  });

  test('rejects a page without a length, and a start that is not a key', async () => {
    const control = createControl(withKeys(1));
    expect(await outcome(() => control.listKeys({ limit: 0 }))).toMatchObject({ status: 400 });
    expect(await outcome(() => control.listKeys({ limit: 1_001 }))).toMatchObject({ status: 400 });
    expect(await outcome(() => control.listKeys({ after: 'none' }))).toMatchObject({ status: 404 });
  });

  test('reads only the keys of a page, of 150,000, from the start and from near the end', () => {
    const sim = withKeys(150_000);
    const control = createControl(sim);
    const get = vi.spyOn(sim.keys, 'get');
    for (const input of [{}, { after: 'client-149990-key' }, { after: keyId('client-149990-key') }]) {
      get.mockClear();
      const page = control.listKeys(input);
      expect(get, JSON.stringify(input)).toHaveBeenCalledTimes(page.keys.length);
      expect(page.total).toBe(listed.length + 150_000);
      expect(page.keys.length).toBe('after' in input ? 14 : 100);
    }
  });

  test('has different ids for 150,000 keys', () => {
    expect(new Set(texts(150_000).map(keyId)).size).toBe(150_000);
  });
});

test('a ban rejects a number of milliseconds that was probably meant in seconds', () => {
  const sim = createSimulator();
  const control = createControl(sim);
  const ban = (duration: number | string) => control.banKey({ key: 'free-key', for: duration });
  expect(() => ban(90)).toThrow('for: expected a duration such as "90s", got 90, which is 90 ms; did you mean "90s"?');
  expect(sim.keys.get('free-key')?.bannedUntil).toBeUndefined();
  expect(() => ban('90ms')).not.toThrow();
  for (const duration of [1_000, '90s']) expect(ban(duration).bannedUntil).toBeDefined();
});

describe('one of many keys', () => {
  /** Work of operations on one key, by its text and by its id: hashed characters, frozen objects, reads of all keys. */
  function work(count: number) {
    const sim = withKeys(count);
    const control = createControl(sim);
    // The first lookup of an id hashes all keys.
    control.getKey({ key: keyId('client-0-key') });
    const lists = vi.spyOn(sim.keys, 'texts', 'get');
    const frozen = vi.spyOn(Object, 'freeze');
    const hashed = vi.spyOn(String.prototype, 'charCodeAt');
    try {
      control.exhaustKey({ key: 'client-0-key' });
      control.getKey({ key: 'client-0-key' });
      const { id } = control.banKey({ key: keyId('client-0-key'), for: '90s' });
      control.unbanKey({ key: id });
      return { hashed: hashed.mock.calls.length, frozen: frozen.mock.calls.length, lists: lists.mock.calls.length };
    } finally {
      hashed.mockRestore();
      frozen.mockRestore();
    }
  }

  test('is found by text and by id with constant work', () => {
    expect(work(5_000)).toEqual({ ...work(5), lists: 0 });
  });

  test('is found by its id while it exists: added, created by a request, reset and restored', async () => {
    const sim = createSimulator({ scenario: { assumptions: { acceptAnyKey: true } } });
    const control = createControl(sim);
    const texts = ['free-key', 'added-key', 'made-up-key'];
    const found = () =>
      Promise.all(texts.map((text) => outcome(async () => control.getKey({ key: keyId(text) }).id === keyId(text))));
    sim.keys.add('added-key');
    send(sim, { key: 'made-up-key' });
    const saved = sim.snapshot();
    expect(await found()).toEqual([{ result: true }, { result: true }, { result: true }]);
    sim.reset();
    expect(await found()).toMatchObject([{ result: true }, { status: 404 }, { status: 404 }]);
    sim.restore(saved);
    expect(await found()).toEqual([{ result: true }, { result: true }, { result: true }]);
  });
});
