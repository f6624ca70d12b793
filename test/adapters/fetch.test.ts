import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createSimulator, type Simulator } from '../../src/entries/index.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { frozen } from '../support/frozen.js';
import { patience } from '../support/patience.js';

const { minute: perMinute } = documentedPlans.free;

const pets = 'http://petstore.test/v1/pets';
const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };
let sim: Simulator;
beforeEach(() => {
  sim = createSimulator({ scenario: { pets: [] } });
});
const remaining = () => sim.keys.get('free-key').minute.remaining;
const send = (body: ReadableStream, signal?: AbortSignal) =>
  sim.fetch(pets, { method: 'POST', headers, body, duplex: 'half', ...(signal && { signal }) } as RequestInit);

describe('sim.fetch', () => {
  test('takes an address as text, as a URL or in a Request', async () => {
    for (const input of [pets, new URL(pets), new Request(pets, { headers })]) {
      expect((await sim.fetch(input, input instanceof Request ? {} : { headers })).status).toBe(200);
    }
  });

  test('takes a path, as a client in a page sends it, of which Request alone makes nothing in Node', async () => {
    expect(() => new Request('/v1/pets')).toThrow(TypeError);
    const response = await sim.fetch('/v1/pets?limit=2', { headers });
    expect([response.status, await response.text()]).toEqual([200, '[]']);
  });

  test('reads a body that comes in pieces', async () => {
    const pieces = ['{"name":', '"Ž', 'ofie","cate', 'goryId":1}'].map((text) => new TextEncoder().encode(text));
    const body = new ReadableStream({
      pull(stream) {
        const piece = pieces.shift();
        if (piece === undefined) stream.close();
        else stream.enqueue(piece);
      },
    });
    expect(await (await send(body)).json()).toMatchObject({ name: 'Žofie', categoryId: 1 });
  });

  test('reads a body that never ends no further than it takes to refuse it', async () => {
    let sent = 0;
    const body = new ReadableStream({
      pull(stream) {
        sent += 16_384;
        stream.enqueue(new Uint8Array(16_384));
      },
    });
    expect((await send(body)).status).toBe(413);
    expect(sent).toBeLessThan(2 ** 18);
  });

  test('rejects a call whose signal was aborted before, with the reason, and does not count it', async () => {
    const reason = new Error('no longer wanted');
    await expect(sim.fetch(pets, { headers, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(remaining()).toBe(perMinute);
  });

  test('rejects a call that is aborted while the body is on its way, and does not count it', async () => {
    const abort = new AbortController();
    const body = new ReadableStream({ pull: () => abort.abort() });
    await expect(send(body, abort.signal)).rejects.toThrow(/abort/i);
    expect([remaining(), sim.pets.size]).toEqual([perMinute, 0]);
  });

  test('rejects a call whose body breaks off, and does not count it', async () => {
    const body = new ReadableStream({ pull: (stream) => stream.error(new Error('the disk is gone')) });
    await expect(send(body)).rejects.toThrow('the disk is gone');
    expect([remaining(), sim.pets.size]).toEqual([perMinute, 0]);
  });

  test("responds outside /v1 with an Error body that names the API's URL", async () => {
    const response = await sim.fetch('http://petstore.test/pets', { headers });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({
      code: 'not_found',
      message: 'There is nothing at this address; the API is under /v1.',
      status: 404,
    });
  });
});

test('a cancelled slow body ends its wait, and the response counts as abandoned', async () => {
  const sim = frozen({ faults: [{ then: { drip: { bytes: 10, every: '1s' } } }] });
  const response = await sim.fetch('/v1/pets', { headers: { authorization: 'Bearer free-key' } });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  const { clock } = coreOf(sim).state;
  await vi.waitUntil(() => clock.sleepers === 1, patience);
  await reader.cancel();
  await vi.waitUntil(() => clock.sleepers === 0, patience);
  expect(sim.journal.query()).toMatchObject([{ isAbandoned: true }]);
});
