import { describe, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Simulator } from '../../src/entries/index.js';
import { handlers } from '../../src/entries/msw.js';
import { listen, serve } from '../../src/entries/node.js';

/** Removes the types, as for a JavaScript program. */
const loose = (call: unknown) => call as (...values: unknown[]) => unknown;
const thrown = async (call: () => unknown) => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
};

const sim = createSimulator();

describe('an unknown option is rejected', () => {
  test.each<[string, () => unknown, string]>([
    ['createSimulator', () => loose(createSimulator)({ keys: {} }), 'expected the options scenario, scenarios,'],
    ['createSimulator', () => loose(createSimulator)('minute-wall'), 'got "minute-wall"'],
    [
      'handlers',
      () => loose(handlers)(sim, { baseURL: '/api' }),
      'expected the options baseUrl, onAnswer, got "baseURL"',
    ],
    ['handlers', () => loose(handlers)(sim, '/api'), 'got "/api"'],
    ['handlers', () => loose(handlers)(sim, null), 'got "null"'],
    ['listen', () => loose(listen)(sim, { prt: 0 }), 'got "prt"'],
    ['listen', () => loose(listen)(sim, 42572), 'got "42572"'],
    ['createControl', () => loose(createControl)('http://127.0.0.1:9', { tokn: 'x' }), 'got "tokn"'],
    ['serve', () => loose(serve)({ data: '/nowhere', dataRest: true }), 'advertise, got "dataRest"'],
    [
      'sim.journal.query',
      () => loose(sim.journal.query)({ stats: 429 }),
      'operation, method, status, key, since, text',
    ],
  ])('by %s %#', async (name, call, text) => {
    const error = await thrown(call);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toMatch(new RegExp(`^${name}: expected the options `));
    expect((error as Error).message).toContain(text);
  });

  test('unless its value is undefined', () => {
    const options = { scenario: undefined, onError: undefined, scenaro: undefined } as object;
    expect((loose(createSimulator)(options) as Simulator).name).toBe('default');
    expect(sim.journal.query({ status: undefined })).toEqual([]);
  });
});

test.each<[string, (value: unknown) => unknown]>([
  ['createControl', loose(createControl)],
  ['handlers', loose(handlers)],
  ['listen', loose(listen)],
])('%s reports that it needs a simulator', async (name, call) => {
  const cyclic: Record<string, unknown> = { big: 1n };
  cyclic.itself = cyclic;
  for (const [value, kind] of [
    [undefined, 'undefined'],
    [null, 'null'],
    [cyclic, 'object'],
    [Object.create(null), 'object'],
    [() => {}, 'function'],
    [7, 'number'],
  ] as const) {
    const error = await thrown(() => call(value));
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toBe(`${name}: expected a simulator of createSimulator, got ${kind}`);
  }
});
