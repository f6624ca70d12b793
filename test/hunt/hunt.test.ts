// @module-tag slow
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type HuntClient, hunt } from '../../src/entries/hunt.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { readScenario } from '../../src/entries/node.js';
import { createMutator, createRandomSource } from '../../src/hunt/mutate.js';
import { scenarioSchema } from '../../src/petstore/scenario-schema.js';
import type { AnySchema } from '../../src/validation/schema.js';
import { seededFraction } from '../../src/values/seeded-random.js';
import { newFolder } from '../support/new-folder.js';
import { patience } from '../support/patience.js';
import { plantedBugs } from './planted-clients.js';
import { longSleep, send } from './right-clients.js';

afterEach(() => vi.useRealTimers());

const planted = (name: string): HuntClient => (plantedBugs[name] as (typeof plantedBugs)[string]).client;

const everySecond: HuntClient = async ({ fetch, sleep, baseUrl, apiKey }) => {
  for (let attempt = 0; attempt < 4; attempt++) {
    const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
    if (response.status !== 429) return;
    await sleep(1_000);
  }
  throw new Error('gave up');
};

describe('hunt', () => {
  test('returns code, scenario, file, verdict and timeline of a bug, and the exercised rules', async () => {
    const { found, runs, seed, exercised } = await hunt(everySecond, { runs: 40, seed: 7 });
    expect({ runs, seed }).toEqual({ runs: 40, seed: 7 });
    expect(exercised).toEqual(expect.arrayContaining(['early-retry', 'ban-tripped']));
    const [find] = found;
    expect(find).toMatchObject({ code: 'early-retry', verdict: { outcome: 'fail' } });
    expect(find?.text).toContain('before Retry-After of the ban allowed, after 1.0 s.');
    expect(find?.timeline).toContain('early-retry');
    expect(find?.scenario).toEqual({ keys: { 'free-key': { bannedFor: '10s' } } });
    expect(find?.yaml).toBe(
      [
        `# early-retry: ${find?.text.split('. ')[0]}. (seed 7)`,
        '# Again: await hunt(client, { runs: 1, scenario: {"keys":{"free-key":{"bannedFor":"10s"}}} })',
        'name: hunt-early-retry',
        'keys: { free-key: { bannedFor: 10s } } # the key is banned for 10s',
        '',
      ].join('\n'),
    );
  });

  test('returns the same result for the same seed, and other scenarios for another', async () => {
    const client = planted('tries ten times');
    const [one, same] = [await hunt(client, { runs: 60 }), await hunt(client, { runs: 60 })];
    expect(one.found).not.toEqual([]);
    expect(same).toEqual(one);
    // Another seed may lead to the same finds.
    const triedWith = async (seed: number) => {
      const tried: Scenario[] = [];
      await hunt(client, { runs: 60, seed, check: ({ sim }) => void tried.push(sim.scenario) });
      return tried;
    };
    expect(await triedWith(2)).not.toEqual(await triedWith(1));
  });

  test('repeats a find from its scenario alone', async () => {
    const client = planted('reads a date as a number');
    const { found } = await hunt(client, { runs: 50 });
    expect(found.length).toBeGreaterThan(0);
    for (const { code, scenario } of found) {
      const again = await hunt(client, { runs: 1, scenario });
      expect(again.found.map((each) => each.code)).toEqual([code]);
    }
  });

  test('runs exactly the given scenario first, also for a client that does not read its operation or parallel', async () => {
    const scenario: Scenario = {
      client: { operation: 'createPet', parallel: 2 },
      keys: { 'free-key': { bannedFor: '10s' } },
    };
    const ran: Scenario[] = [];
    await hunt(everySecond, { runs: 1, scenario, check: ({ sim }) => void ran.push(sim.scenario) });
    expect(ran[0]).toEqual(createSimulator({ scenario }).scenario);
  });

  test('writes scenarios that a server and exec can load', async () => {
    const folder = newFolder();
    const client = planted('hands a timer more than it holds');
    const { found } = await hunt(client, { runs: 150 });
    expect(found).not.toEqual([]);
    for (const [number, { code, scenario, yaml }] of found.entries()) {
      const file = join(folder, `${number}.yaml`);
      writeFileSync(file, yaml);
      expect(await readScenario(file)).toEqual({ name: `hunt-${code}`, ...scenario });
    }
  });

  test('reports a failure only if it repeats', async () => {
    let runs = 0;
    const once: HuntClient = async (context) => {
      const { status } = await send(context);
      if (status === 429 && ++runs === 1) await send(context);
    };
    expect((await hunt(once, { runs: 60 })).found).toEqual([]);
    expect(runs).toBeGreaterThan(5);
  });

  test('reports a client that waits a random time once, whichever causes its waits look like', async () => {
    let draws = 0;
    const hurried: HuntClient = async ({ fetch, sleep, baseUrl, apiKey }) => {
      for (let attempt = 0; attempt < 6; attempt++) {
        const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
        const seconds = Number.parseFloat(response.headers.get('retry-after') ?? '');
        if (response.status !== 429 || !(seconds < 100_000)) return;
        await sleep(1_000 * seconds * (0.6 + 0.3 * seededFraction(7, draws++)));
      }
    };
    for (const seed of [1, 2]) {
      const { found } = await hunt(hurried, { runs: 150, seed });
      expect(found.filter(({ code }) => code === 'early-retry')).toHaveLength(1);
    }
  });

  test('removes a condition of a fault if the client then only goes on after its failure', async () => {
    const { found } = await hunt(planted('adds a pet again after a lost response'), { runs: 120 });
    expect(found.map(({ code, scenario, verdict }) => [code, scenario, verdict.counts.requests])).toEqual([
      ['duplicate-write', { faults: [{ then: { reset: true, phase: 'after' } }] }, 2],
    ]);
  });

  test("includes the caller's scenario fields", async () => {
    const scenario: Scenario = { keys: { 'my-key': { plan: 'pro' } }, client: { operation: 'createPet' } };
    const seen = new Set<string>();
    await hunt(
      async (context) => {
        seen.add(`${context.apiKey} ${context.operation}`);
        await send(context);
      },
      { runs: 60, scenario },
    );
    expect([...seen]).toEqual(['my-key createPet']);
  });

  test('varies operation, calls and parallel only for a client that reads them', async () => {
    const seen = new Set<string>();
    await hunt(
      async (context) => {
        seen.add(`${context.calls} ${context.operation}`);
        await send(context);
      },
      { runs: 200 },
    );
    expect(seen.size).toBeGreaterThan(3);
    const { found } = await hunt(everySecond, { runs: 100 });
    expect(found.every(({ scenario }) => scenario.client === undefined)).toBe(true);
  });

  test('checks a property of the caller, by false or by an exception', async () => {
    const client: HuntClient = async (context) => (await send(context)).status;
    const served = await hunt(client, { runs: 40, check: ({ result }) => result === 200 });
    expect(served.found[0]).toMatchObject({ code: 'check', text: 'The option check returned false.' });
    const thrown = await hunt(client, { runs: 40, check: ({ result }) => expect(result).not.toBe(429) });
    expect(thrown.found[0]).toMatchObject({ code: 'check', text: expect.stringContaining('429') });
    expect(thrown.found.length).toBeLessThanOrEqual(3);
    expect((await hunt(client, { runs: 40, check: () => true })).found).toEqual([]);
  });

  test('reports mistakes of the caller', async () => {
    await expect(hunt(everySecond, { run: 5 } as never)).rejects.toThrow('hunt: expected the options runs, seed');
    const scenario = { keys: { 'free-key': { plan: 'gold' } } };
    await expect(hunt(everySecond, { scenario })).rejects.toThrow('expected a plan');
  });
});

describe('time', () => {
  test("passes during the context's sleep like setTimeout, and is read by now", async () => {
    const waits: number[] = [];
    await hunt(
      async ({ sleep, now }) => {
        for (const ms of [1_500, 0, -5, Number.NaN, 2 ** 31]) {
          const before = now();
          await sleep(ms);
          waits.push(now() - before);
        }
      },
      { runs: 1 },
    );
    expect(waits.slice(0, 5)).toEqual([1_500, 1, 1, 1, 1]);
  });

  test('passes by fake timers, together with the client’s clock', async () => {
    vi.useFakeTimers();
    const patient: HuntClient = async ({ fetch, baseUrl, apiKey }) => {
      for (let attempt = 0; attempt < 3; attempt++) {
        const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
        if (response.status !== 429) return;
        const ms = Number(response.headers.get('x-ratelimit-reset')) * 1_000 - Date.now();
        await new Promise((resolve) => setTimeout(resolve, ms));
      }
      throw new Error('gave up');
    };
    const { found } = await hunt(patient, { runs: 1, scenario: { keys: { 'free-key': { usage: { minute: 60 } } } } });
    expect(found).toEqual([]);
    const hasty: HuntClient = async ({ fetch, baseUrl, apiKey }) => {
      for (let attempt = 0; attempt < 3; attempt++) {
        const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${apiKey}` } });
        if (response.status !== 429) return;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    };
    const wrong = await hunt(hasty, { runs: 20 });
    expect(wrong.found[0]).toMatchObject({ code: 'early-retry' });
  });

  test('advances with automatic fake timers, and stops afterwards', async () => {
    vi.useFakeTimers({ now: 5_000 }).setTimerTickMode('nextTimerAsync');
    const client: HuntClient = async (context) => {
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      await send(context);
    };
    expect((await hunt(client, { runs: 5 })).found).toEqual([]);
    expect(Date.now()).toBe(5_000);
    let isOver = false;
    setTimeout(() => {
      isOver = true;
    });
    await vi.waitUntil(() => isOver, patience);
  });

  test('does not pass for a client that waits by real timers, which is an error', async () => {
    const client: HuntClient = async (context) => {
      const { status } = await send(context);
      if (status === 429) await new Promise((resolve) => setTimeout(resolve, 3_000));
    };
    await expect(hunt(client, { runs: 20 })).rejects.toThrow(
      /started a real timer after the 429 of GET \/pets\. Use sleep of its context, hunt\(async \(\{ fetch, sleep \}\)/,
    );
  });

  test('ends for an endless client: without requests, with too many, or with an endless wait', async () => {
    const endless = /expected the client to end in a scenario without faults/;
    await expect(hunt(() => new Promise(() => {}), { runs: 5 })).rejects.toThrow(endless);
    const polls: HuntClient = async (context) => {
      for (;;) await send(context);
    };
    await expect(hunt(polls, { runs: 5 })).rejects.toThrow('it had not ended after 200 requests');
    const sleeps: HuntClient = async (context) => longSleep(context, 1e15);
    await expect(hunt(sleeps, { runs: 5 })).rejects.toThrow(endless);
  });

  test('does not pass without a response: the run ends without a find', async () => {
    const client: HuntClient = (context) => send(context);
    expect((await hunt(client, { runs: 1, scenario: { faults: [{ then: { hang: true } }] } })).found).toEqual([]);
  });
});

describe('the search space', () => {
  const space = { key: 'free-key', client: ['operation', 'calls', 'parallel'], isRealTime: false };

  /** The fields of a schema, by their paths; maps with free names and lists have `*`. */
  const fieldsOf = ({ entries, values, item, options = [] }: AnySchema, path: string): string[] => [
    ...Object.entries(entries ?? {}).flatMap(([name, schema]) => [
      `${path}${name}`,
      ...fieldsOf(schema, `${path}${name}.`),
    ]),
    ...[values, item].flatMap((schema) => (schema === undefined ? [] : fieldsOf(schema, `${path}*.`))),
    ...options.flatMap((option) => fieldsOf(option, path)),
  ];

  /** The same of a scenario, with its schema. */
  const pathsIn = (schema: AnySchema, value: unknown, path: string): string[] => {
    if (typeof value !== 'object' || value === null) return [];
    const { entries, values, item, options } = schema;
    if (options !== undefined)
      return options.flatMap((option) => (option.accepts(value) ? pathsIn(option, value, path) : []));
    if (entries !== undefined) {
      return Object.entries(value).flatMap(([name, inner]) => {
        const field = entries[name];
        return field === undefined ? [] : [`${path}${name}`, ...pathsIn(field, inner, `${path}${name}.`)];
      });
    }
    const inner = values ?? item;
    return inner === undefined ? [] : Object.values(value).flatMap((each) => pathsIn(inner, each, `${path}*.`));
  };

  test('has every field of a scenario that affects the service', () => {
    const without = [
      ['$schema', 'name', 'description', 'group', 'extends', 'seed', 'state'],
      [
        'cost',
        'keyFrom',
        'words',
        'words.body',
        'words.error',
        'words.headers',
        'words.like',
        'words.limits',
        'words.status',
      ],
      ['expect', 'expect.verdict', 'expect.served', 'expect.fail', 'expect.refused', 'expect.amplification'],
      ['faults.*.then.respond.like', 'faults.*.then.respond.wait'],
      ['clock.mode', 'clock.speed', 'client.key', 'assumptions.cors', 'pets.file'],
      ['pets.generate', 'pets.generate.available', 'pets.generate.pending', 'pets.generate.sold'],
      ['pets.generate.locale', 'ban.seconds', 'ban.graceMs', 'ban.toleranceMs', 'ban.escalation.maxSeconds'],
    ].flat();
    const missing = new Set(fieldsOf(scenarioSchema, ''));
    const mutate = createMutator(space, createRandomSource(1));
    let scenario: Scenario = {};
    for (let step = 0; step < 30_000 && missing.size > without.length; step++) {
      scenario = step % 40 === 0 ? {} : mutate(scenario, 1);
      for (const path of pathsIn(scenarioSchema, scenario, '')) missing.delete(path);
    }
    expect([...missing].sort()).toEqual(without.sort());
  });
});
