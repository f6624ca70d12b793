import { expect, test } from 'vitest';
import { createControl } from '../../src/control.js';
import type { Scenario } from '../../src/index.js';
import type { Command, RequestCommand } from '../../src/persistence/command.js';
import { toJsonCommand } from '../../src/persistence/command-json.js';
import type { CommandResult, HandledRequest } from '../../src/persistence/command-result.js';
import type { LogEntry } from '../../src/persistence/log.js';
import { LogTime } from '../../src/persistence/log-time.js';
import { startMachine } from '../../src/persistence/start-machine.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { generatePets } from '../../src/seed.js';
import { coreOf } from '../../src/simulator/simulator.js';

const startMs = Date.parse('2030-01-01T00:00:00Z');
const join: Command = { kind: 'join', version: '1.0.0' };

/** A machine, and what writes entries to it: `write('a', 500, command)` half a second after the start. */
function begin(scenario: Scenario = {}) {
  const machine = startMachine(resolveScenario(scenario, generatePets), startMs, {
    service: servedPetstore,
    generatePets,
  });
  const sequences: Record<string, number> = {};
  let position = 0;
  const write = (writer: string, ms: number, command: Command, more: Partial<LogEntry> = {}) => {
    sequences[writer] = (sequences[writer] ?? 0) + 1;
    const { results } = machine.apply({
      position: ++position,
      writer,
      incarnation: 1,
      sequence: sequences[writer],
      atMs: startMs + ms,
      commands: [toJsonCommand(command)],
      ...more,
    });
    return results[0] as CommandResult;
  };
  const names = () => machine.replicas.list().map(({ name }) => name);
  return { machine, write, names };
}

const list = (connection = 1): RequestCommand => ({
  kind: 'request',
  call: {
    method: 'GET',
    path: '/pets',
    query: '',
    baseUrl: 'http://127.0.0.1:4010/v1',
    headers: { authorization: 'Bearer free-key' },
    body: undefined,
    connection,
  },
});

test('a replica without entries for ten seconds counts as gone for all, and can join again', () => {
  const { machine, write, names } = begin();
  write('a', 0, join);
  write('b', 100, join);
  for (let ms = 2_000; ms <= 10_000; ms += 2_000) write('a', ms, { kind: 'beat' });
  expect(names()).toEqual(['a', 'b']);
  write('a', 10_100, { kind: 'beat' });
  expect(names()).toEqual(['a', 'b']);
  write('a', 10_101, { kind: 'beat' });
  expect(names()).toEqual(['a']);
  expect(machine.replicas.has('b')).toBe(false);
  write('b', 10_300, join);
  expect(names()).toEqual(['a', 'b']);
});

test('no replica counts as gone for a period in which none could write', () => {
  const { write, names } = begin();
  write('a', 0, join);
  write('b', 100, join);
  write('a', 60_000, { kind: 'beat' });
  write('b', 60_500, { kind: 'beat' });
  expect(names()).toEqual(['a', 'b']);
});

test('only the delayed requests of a gone replica count as disconnected', async () => {
  const { machine, write } = begin({ faults: [{ then: { delay: '1m' } }] });
  write('a', 0, join);
  write('b', 0, join);
  const [ofA, ofB] = [write('a', 10, list()), write('b', 20, list())].map(
    (result) => (result as { value: HandledRequest }).value.answer,
  );
  for (let ms = 2_000; ms <= 14_000; ms += 2_000) write('a', ms, { kind: 'beat' });
  await expect(ofB).rejects.toBeUndefined();
  expect(machine.sim.journal.query()).toMatchObject([{ id: 2, status: 0 }]);
  for (let ms = 16_000; ms <= 62_000; ms += 2_000) write('a', ms, { kind: 'beat' });
  expect(await ofA).toMatchObject({ status: 200 });
});

test('the number of a replica that leaves is reused, and its connections stay distinct', () => {
  const { machine, write, names } = begin();
  write('a', 0, join);
  write('b', 0, join);
  write('a', 1, list(7));
  write('b', 2, list(7));
  write('a', 3, { kind: 'part' });
  expect(names()).toEqual(['b']);
  write('c', 4, join);
  write('c', 5, list(8));
  expect(machine.sim.journal.query().map(({ connection }) => connection)).toEqual([7, 10_007, 8]);
});

test('a late entry applies only commands without a waiting client', () => {
  const { machine, write } = begin();
  const result = write('a', 10, list(), { isLate: true });
  expect(result).toMatchObject({ error: { name: 'LogUnavailableError' } });
  expect(coreOf(machine.sim).state.journal.lastId).toBe(0);
  write('a', 20, list());
  write('a', 30, { kind: 'sent', answers: [[1, { isLost: true }]] }, { isLate: true });
  expect(machine.sim.journal.query()).toMatchObject([{ id: 1, isLost: true }]);
});

test('a request counts at the time of the log, and keeps its arrival time', () => {
  const { machine, write } = begin();
  write('a', 500, { kind: 'beat' });
  // Written before that by another, whose way to the store took longer.
  write('b', 300, list());
  const [entry] = machine.sim.journal.query();
  expect([entry?.arrivedAtMs, entry?.answeredAtMs]).toEqual([startMs + 300, startMs + 500]);
});

test('a shared clock ignores a small step back, and follows a large one once', () => {
  let nowMs = 100_000;
  const steps: number[] = [];
  const time = new LogTime({ readMs: () => nowMs, isShared: true, onStepBack: (ms) => steps.push(ms) });
  expect(time.liveMs()).toBe(100_000);
  for (let n = 0; n < 5; n++) {
    // The others are 3 ms ahead.
    time.at(nowMs + 3, () => {});
    expect(time.liveMs()).toBe(nowMs + 3);
    nowMs += 3;
  }
  nowMs += 100;
  expect(time.liveMs()).toBe(nowMs);
  nowMs -= 3_600_000;
  expect(time.liveMs()).toBe(nowMs + 3_600_000);
  nowMs += 10;
  expect(time.liveMs()).toBe(nowMs + 3_600_000);
  expect(steps).toEqual([3_600_000]);
});

test('a response that a stopped server did not send has status 0 in the HAR', () => {
  const { machine, write } = begin({
    keys: { 'free-key': { usage: { minute: 59 } } },
    faults: [{ when: { nth: 1 }, then: { delay: '1m' } }],
  });
  const held = list();
  write('a', 0, join);
  write('a', 10, list());
  write('a', 20, { ...held, call: { ...held.call, holdsRefusals: true } });
  write('a', 30, { ...held, call: { ...held.call, holdsRefusals: true } });
  write('a', 40, { kind: 'started' });
  write('a', 61_000, { kind: 'beat' });
  expect(machine.sim.journal.query()).toMatchObject([
    { id: 1, status: 200, isAbandoned: true },
    { id: 2, status: 429, isAbandoned: true },
    { id: 3, status: 429, isAbandoned: true },
  ]);
  const { entries } = createControl(machine.sim).exportHar().log;
  for (const { response } of entries)
    expect(response).toMatchObject({ status: 0, headers: [], bodySize: -1, _error: 'net::ERR_EMPTY_RESPONSE' });
  expect(entries.map(({ _petstoreSim: { status, abandoned } }) => [status, abandoned])).toEqual([
    [200, true],
    [429, true],
    [429, true],
  ]);
});
