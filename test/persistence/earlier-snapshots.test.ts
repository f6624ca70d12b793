import { expect, test, vi } from 'vitest';
import { captureMachine } from '../../src/persistence/capture-machine.js';
import type { Piece } from '../../src/persistence/piece.js';
import { restoreMachine, startMachine } from '../../src/persistence/start-machine.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import type { Scenario } from '../../src/scenario/scenario-schema.js';
import type { Snapshot } from '../../src/simulator/simulator.js';
import { judge } from '../../src/verdict.js';
import { patience } from '../support/patience.js';
import { send } from '../support/plain-call.js';

const lostAnswer: Scenario = {
  faults: [{ when: { operation: 'createPet', nth: 1 }, then: { empty: true as const, phase: 'after' } }],
};
const options = { service: servedPetstore, readMs: () => Date.now() };

test('a snapshot of a version without isWrite is judged as before', async () => {
  const machine = startMachine(resolveScenario(lostAnswer), Date.now(), options);
  const write = { body: '{"name":"Rex","categoryId":1}' };
  send(machine.sim, write);
  send(machine.sim, write);
  const { outcome, findings } = judge(machine.sim, { isOver: true });
  expect(findings.map(({ code }) => code)).toContain('duplicate-write');
  const pieces = JSON.parse(JSON.stringify([...captureMachine(machine)])) as Piece[];
  const entries = pieces.flatMap((piece) => (piece.kind === 'entries' ? piece.entries : []));
  expect(entries.map(({ isWrite }) => isWrite)).toEqual([true, true]);
  for (const entry of entries as { isWrite?: boolean }[]) delete entry.isWrite;
  const restored = await restoreMachine(pieces, options);
  expect(judge(restored.sim, { isOver: true })).toMatchObject({ outcome, findings });
});

test('a delayed request of a version with routes runs its operation', async () => {
  const slow: Scenario = { clock: { mode: 'frozen' }, faults: [{ then: { delay: '5s' } }] };
  const machine = startMachine(resolveScenario(slow), Date.now(), { ...options, onWarning: () => {} });
  const left = machine.sim.fetch('http://petstore.test/v1/pets/2', { headers: { authorization: 'Bearer free-key' } });
  await vi.waitFor(() => expect(machine.sim.journal.pending).toBe(1), patience);
  const pieces = JSON.parse(JSON.stringify([...captureMachine(machine)])) as Piece[];
  const [request] = pieces.flatMap((piece) => (piece.kind === 'delayed' ? piece.requests : []));
  const exchange = request?.exchange as unknown as Record<string, unknown>;
  expect(exchange).toMatchObject({ service: 'petstore', match: { operation: 'getPet', params: { petId: '2' } } });
  delete exchange.match;
  delete exchange.service;
  exchange.route = { operation: 'getPet', petId: '2' };
  const restored = await restoreMachine(pieces, { ...options, onWarning: () => {} });
  await restored.sim.clock.advance('5s');
  await machine.sim.clock.advance('5s');
  expect(restored.sim.journal.query({})).toMatchObject([
    { operation: 'getPet', status: 200, responseBody: await (await left).text() },
  ]);
});

test('the pets of a version with pieces of pets are restored, in the simulator and in a named snapshot', async () => {
  const machine = startMachine(resolveScenario({}), Date.now(), options);
  const write = { body: '{"name":"Rex","categoryId":1}' };
  send(machine.sim, write);
  machine.sim.snapshots.set('one', machine.sim.snapshot());
  send(machine.sim, write);
  const earlier: Record<string, unknown>[] = [];
  for (const piece of JSON.parse(JSON.stringify([...captureMachine(machine)])) as Piece[]) {
    if (piece.kind !== 'data') earlier.push({ ...piece });
    else {
      const [nextId, ...pets] = piece.values;
      Object.assign(earlier.at(-1) as object, { nextId });
      earlier.push({ kind: 'pets', pets });
    }
  }
  expect(earlier.filter(({ kind }) => kind === 'pets')).toHaveLength(2);
  const { sim } = await restoreMachine(earlier, options);
  expect(sim.pets.list()).toEqual(machine.sim.pets.list());
  expect(send(sim, write).body).toBe(send(machine.sim, write).body);
  sim.restore(sim.snapshots.get('one') as Snapshot);
  expect(sim.pets.size).toBe(41);
});

test.each<[string, (piece: Record<string, unknown>) => unknown, string]>([
  [
    'keys without strikes',
    ({ keys }) => ({ keys: (keys as object[] | undefined)?.map((key) => ({ ...key, strikes: undefined })) }),
    'snapshot, keys[0] at strikes: expected',
  ],
  [
    'keys whose window is text',
    ({ keys }) => ({ keys: (keys as object[] | undefined)?.map((key) => ({ ...key, day: '1' })) }),
    'snapshot, keys[0] at day: expected',
  ],
  [
    'a next id that is text',
    ({ values }) => ({ values: values && ['seven', ...(values as unknown[]).slice(1)] }),
    'got seven',
  ],
])('a snapshot with %s is refused', async (_, change, message) => {
  const machine = startMachine(resolveScenario({}), Date.now(), options);
  send(machine.sim, { body: '{"name":"Rex","categoryId":1}' });
  const pieces = JSON.parse(JSON.stringify([...captureMachine(machine)])) as Record<string, unknown>[];
  const changed = pieces.map((piece) =>
    piece.kind === 'keys' || piece.kind === 'data' ? { ...piece, ...(change(piece) as object) } : piece,
  );
  await expect(restoreMachine(pieces, options)).resolves.toBeDefined();
  await expect(restoreMachine(changed, options)).rejects.toThrow(message);
});
