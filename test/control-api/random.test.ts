// @module-tag slow
import { expect, test, vi } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { generatePets } from '../../src/entries/seed.js';
import { openServer } from '../support/open-server.js';
import { isProof, seed, tries } from '../support/prove.js';
import { tinyScenario } from './both-controls.js';
import { createAnswerCheck, type Json } from './described.js';
import { createRandomCalls, randomNumbers } from './random-calls.js';

test('random control calls end in described responses: no crash, no 5xx, no pause', { timeout: 600_000 }, async () => {
  const calls = tries(600, 20_000);
  const errors: unknown[] = [];
  const printed = vi.spyOn(console, 'error').mockImplementation((...args) => void errors.push(args));
  const sim = createSimulator({
    scenarios: { tiny: tinyScenario },
    generatePets,
    onError: (error) => errors.push(error),
  });
  const server = await openServer(sim);
  const random = randomNumbers(seed + 1);
  const statuses: Record<string, number> = {};
  let slowest = { ms: 0, what: '' };
  try {
    const description = (await (await fetch(`${server.controlUrl}/openapi.json`)).json()) as Json;
    const check = createAnswerCheck(description);
    const next = createRandomCalls(description, seed);
    let state = (await (await fetch(`${server.controlUrl}/state`)).json()) as Json;
    for (let n = 0; n < calls; n++) {
      const { operationId, method, path, body } = next(() => state);
      const isInBox = random() < 0.2;
      if (isInBox && server.sandboxes.find('box') === undefined) server.sandboxes.create('box');
      const base = isInBox ? `${server.controlUrl}/sandboxes/box` : server.controlUrl;
      const what = `seed ${seed}, call ${n}: ${method} ${path} ${body?.slice(0, 300)}`;
      const isStream = operationId.startsWith('watch');
      const leave = new AbortController();
      const startMs = performance.now();
      const response = await fetch(`${base}${path}`, {
        method,
        signal: leave.signal,
        ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body }),
      });
      const { status } = response;
      statuses[status] = (statuses[status] ?? 0) + 1;
      expect(status, what).toBeLessThan(500);
      if (isStream && status === 200) {
        leave.abort();
        continue;
      }
      const text = await response.text();
      const ms = Math.round(performance.now() - startMs);
      if (ms > slowest.ms) slowest = { ms, what };
      const type = response.headers.get('content-type') ?? '';
      // A sandbox has no sandboxes, and shows itself where the server shows its links.
      const isDescribed = !(isInBox && /^\/(sandboxes|$)/.test(path)) && !(isInBox && status === 404);
      if (isDescribed && type.startsWith('application/json')) check.body(operationId, status, JSON.parse(text));
      if (operationId === 'exportState' && status === 200 && text.length < 200_000) state = JSON.parse(text);
      // The changed simulator still responds.
      if (n % 10 === 0) await request(sim, random, what);
      if (n % 500 === 0) for (const { name } of server.sandboxes.list()) server.sandboxes.remove(name);
      if (sim.pets.size > 2_000) await fetch(`${server.controlUrl}/scenario`, load('tiny'));
    }
    expect(errors.map(String)).toEqual([]);
    expect((await fetch(`${server.controlUrl}/health`)).status).toBe(200);
    // Both kinds of answers, or the calls test nothing.
    expect(statuses[200]).toBeGreaterThan(calls / 10);
    expect(statuses[400]).toBeGreaterThan(calls / 20);
    if (isProof) console.log(JSON.stringify({ calls, seed, statuses, slowest }));
  } finally {
    printed.mockRestore();
  }
});

const load = (scenario: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ scenario, reseed: true }),
});

/** Sends a request to the API. Any answer but a 500 is valid, or none after a fault. */
async function request(sim: ReturnType<typeof createSimulator>, random: () => number, what: string) {
  const keys = [...sim.keys.texts, 'unknown'];
  const key = keys[Math.floor(random() * keys.length)] as string;
  const path = random() < 0.5 ? '/pets?limit=2' : '/pets/1';
  const headers = { authorization: `Bearer ${/^[\x21-\x7e]+$/.test(key) ? key : 'x'}` };
  const signal = AbortSignal.timeout(200);
  const answer = await sim.fetch(`http://petstore.test/v1${path}`, { headers, signal }).catch(() => undefined);
  if (answer === undefined) return;
  const body = await answer.text().catch(() => '');
  expect(body, what).not.toContain('internal_error');
  const remaining = answer.headers.get('x-ratelimit-remaining');
  const isHonest = sim.scenario.hostileHeaders === undefined && sim.faults.list().length === 0;
  if (isHonest && remaining !== null) expect(remaining, what).toMatch(/^\d+$/);
}
