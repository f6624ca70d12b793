import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { type HuntClient, type HuntOptions, hunt } from '../../src/entries/hunt.js';
import type { Scenario } from '../../src/entries/index.js';
import { seed, tries } from '../support/prove.js';
import { needsOf, rightClients, withoutGate } from './right-clients.js';

const names = Object.keys(rightClients);

/** Hunts with a right client. @returns what was found, to be read in the message of a failure */
async function finds(name: string, options: HuntOptions): Promise<string[]> {
  const client = rightClients[name] as (typeof rightClients)[string];
  const { found, runs, exercised } = await hunt(client, { scenario: needsOf[name] ?? {}, ...options });
  expect(runs).toBe(options.runs);
  expect(exercised.length).toBeGreaterThan(5);
  return found.map(({ yaml, timeline }) => `${yaml}${timeline}`);
}

test('the list has ten right clients', () => {
  expect(names).toHaveLength(10);
});

describe('hunt finds nothing in a right client:', () => {
  test.each(['patient', 'gate'])('%s', async (name) => {
    expect(await finds(name, { runs: 150 })).toEqual([]);
  });

  test.each(['legacy', 'structured-rt', 'structured-aw'] as const)(
    'patient, with only the RateLimit fields of the form %s',
    async (rateLimitFields) => {
      const scenario: Scenario = {
        hostileHeaders: { reset: 'missing', retryAfter: 'missing' },
        assumptions: { rateLimitFields },
        keys: { 'free-key': { bannedFor: '10s' } },
      };
      expect((await hunt(rightClients.patient as HuntClient, { runs: 1, scenario })).found).toEqual([]);
    },
  );

  test.each(names)('%s, in many runs', { tags: 'extended', timeout: 1_800_000 }, async (name) => {
    expect(await finds(name, { runs: tries(500, 10_000), seed: seed + 10 })).toEqual([]);
  });
});

/** Rules that do not fail a client by themselves, so that hunt finds them only if the scenario names them. */
const mildRules = ['no-delay', 'retried-4xx', 'retried-permanent', 'changed-request', 'changed-key'] as const;

describe('rules that only warn or inform say nothing of a right client:', () => {
  const find = async (name: string, runs: number) => {
    const scenario = { ...needsOf[name], expect: { fail: [...mildRules] } };
    const { found } = await hunt(rightClients[name] as (typeof rightClients)[string], { scenario, runs, seed });
    // To continue with another key is what this client is about.
    const blamed = mildRules.filter((code) => code !== 'changed-key' || name !== 'several keys');
    return found.filter(({ code }) => blamed.some((each) => each === code)).map(({ yaml }) => yaml);
  };

  test.each(names)('%s', async (name) => {
    expect(await find(name, 20)).toEqual([]);
  });

  test.each(names)('%s, in many runs', { tags: 'extended', timeout: 1_800_000 }, async (name) => {
    expect(await find(name, tries(500, 1_000))).toEqual([]);
  });
});

for (const [runs, tags] of [
  [100, []],
  [600, ['extended']],
] as const) {
  const name = `in ${runs} runs, hunt blames no caller for the wait of another, if their calls are equal`;
  test(name, { tags: [...tags] }, async () => {
    const { found, exercised } = await hunt(withoutGate, { runs, seed: 3 });
    expect(exercised).toContain('no-shared-gate');
    expect(found.filter(({ code }) => code === 'early-retry').map(({ yaml }) => yaml)).toEqual([]);
  });
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('memory does not grow with the number of runs', { tags: 'extended', timeout: 900_000 }, async () => {
  const client = rightClients.patient as (typeof rightClients)[string];
  const heapBytes = async (runs: number) => {
    await hunt(client, { runs });
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const before = await heapBytes(500);
  // Less than 6 kB a run: a run that is kept has more in its journal alone.
  expect((await heapBytes(3_000)) - before).toBeLessThan(15e6);
});
