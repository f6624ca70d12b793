import { expect } from 'vitest';
import { showEntries } from '../../src/control-api/entry-view.js';
import { toHar } from '../../src/control-api/har.js';
import { createSimulator, type Scenario, type Simulator } from '../../src/entries/index.js';
import type { RecordedFile } from '../../src/traffic-files/read-recording.js';
import { frozen } from '../support/frozen.js';
import { createDraw } from './hidden-worlds.js';

/** A file with this text, which is read in pieces of this size. */
export const fileOf = (text: string, size: number, name = 'recording'): RecordedFile => ({
  name,
  pieces: pieces(text, size),
});

function* pieces(text: string, size: number): Generator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** HAR of a simulator's requests. */
export const harOf = (sim: Simulator, keep: (id: number) => boolean = () => true): string =>
  JSON.stringify(toHar(showEntries(sim, ({ id }) => keep(id))));

export const journalOf = (sim: Simulator): string =>
  [...showEntries(sim, () => true)].map((entry) => `${JSON.stringify(entry)}\n`).join('');

/** Simulator after a client whose POST was lost and then refused, and which found its pet in the list a minute later. */
export async function checkAfterLostWrite(key: string): Promise<Simulator> {
  const sim = frozen({
    keys: { [key]: { plan: 'free', usage: { minute: 59 } } },
    faults: [{ when: { operation: 'createPet', nth: 1 }, then: { phase: 'after', reset: true } }],
  });
  const send = (init: RequestInit = {}) =>
    sim.fetch('http://petstore.test/v1/pets?limit=100', {
      ...init,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
  const zorro = { method: 'POST', body: '{"name":"Zorro","categoryId":1}' };
  await expect(send(zorro)).rejects.toThrow('Failed to fetch');
  expect((await send(zorro)).status).toBe(429);
  sim.clock.advance(60_000);
  expect(await (await send()).text()).toContain('Zorro');
  return sim;
}

/**
 * Traffic of a client that uses every feature, and waits correctly. @param options.types the sent Content-Types, which
 * our own recordings omit @param options.unseen share of requests by another client with the same key, which the
 * recording misses
 */
export async function recordTraffic(
  scenario: Scenario,
  {
    seed,
    count,
    key,
    unseen = 0,
    types = ['application/json', 'application/json', 'text/plain'],
  }: { seed: number; count: number; key: string; unseen?: number; types?: readonly string[] },
): Promise<{ sim: Simulator; har: string }> {
  const { below, pick, chance } = createDraw(seed);
  const sim = createSimulator({ scenario: { ...scenario, clock: { mode: 'frozen', ...scenario.clock } } });
  const hidden = new Set<number>();
  let recorded = 0;
  while (recorded < count) {
    const [method, target, body] = pick<[string, string, string?]>([
      ['GET', '/pets'],
      ['GET', '/pets?limit=5'],
      ['GET', '/pets?limit=1'],
      ['GET', '/pets?status=sold'],
      ['GET', `/pets/${below(50)}`],
      ['GET', '/pets/none'],
      ['GET', `/pets?limit=${pick([0, 101, 500, 'x'])}`],
      ['GET', '/pets?status=lost'],
      ['GET', '/pets?sort=name'],
      ['POST', '/pets', `{"name":"Pet ${recorded}","categoryId":${pick([1, 2, 77])}}`],
      ['POST', '/pets', `{"name":"","categoryId":1,"status":"sold"}`],
      ['POST', '/pets', `{"name":"Rex","categoryId":1,"status":"sold","colour":"red"}`],
      ['POST', '/pets', '{"name":"Rex"}'],
      ['PUT', '/pets', '{}'],
    ]);
    const isHidden = chance(unseen);
    const authorization = chance(0.03) ? {} : { authorization: `Bearer ${key}` };
    const response = await sim.fetch(`https://api.example/v1${target}`, {
      method,
      headers: {
        ...authorization,
        ...(body !== undefined && { 'content-type': pick(types) }),
      },
      ...(body !== undefined && { body: new TextEncoder().encode(body) }),
    });
    if (isHidden) hidden.add(sim.journal.query().at(-1)?.id ?? 0);
    else recorded++;
    const reset = Number(response.headers.get('x-ratelimit-reset')) * 1000;
    if (response.status === 429) sim.clock.set(Math.max(sim.clock.now(), reset + 100));
    else if (chance(0.6)) sim.clock.advance(below(chance(0.1) ? 40_000 : 3_000));
  }
  return { sim, har: harOf(sim, (id) => !hidden.has(id)) };
}
