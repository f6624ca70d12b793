import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { generatePets } from '../../src/entries/seed.js';
import type { Command } from '../../src/persistence/command.js';
import { toJsonCommand } from '../../src/persistence/command-json.js';
import { createRecording, readRecordedLog } from '../../src/persistence/node/folder/recording.js';
import { type ReplayUntil, replayLog } from '../../src/persistence/replay-log.js';
import { type MachineOptions, startMachine } from '../../src/persistence/start-machine.js';
import type { StateMachine } from '../../src/persistence/state-machine.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { toPlainCall } from '../../src/requests/plain-call.js';
import { noon } from '../support/frozen.js';
import { newFolder } from '../support/new-folder.js';
import { seed, tries } from '../support/prove.js';
import { createRandom } from '../support/random.js';
import { randomCommand, randomScenario } from './random-commands.js';

const { minute: perMinute } = documentedPlans.free;

const noonMs = Date.parse(noon);
const options: MachineOptions = { service: servedPetstore, generatePets, onError: () => {} };

/** A machine of which everything is recorded. */
function record(scenario: Scenario = {}, file = join(newFolder(), 'run.jsonl')) {
  const machine = startMachine(resolveScenario(scenario, generatePets), noonMs, options);
  const lost: Error[] = [];
  const recording = createRecording(file, {
    version: '1.0.0',
    scenario: { name: 'default', hash: '' },
    onLost: (error) => lost.push(error),
  });
  const begin: Command = { kind: 'begin', scenario: machine.sim.scenario, hash: '' };
  let answered: [number, string][] = [];
  return {
    machine,
    file,
    lost,
    text: () => readFileSync(file, 'utf8'),
    async send(atMs: number, ...commands: Command[]) {
      const all = recording.position === 0 ? [begin, ...commands] : commands;
      const entry = await recording.append({ atMs, answered, commands: all.map(toJsonCommand) });
      const { hash, results } = machine.apply(entry);
      answered = [[entry.position, hash]];
      return results;
    },
    async close() {
      await recording.append({ atMs: machine.time.lastMs, answered, commands: [] });
      await recording.close();
    },
  };
}

/** Replays a file. */
async function replay(file: string, until: ReplayUntil = {}) {
  const { entries, notice } = readRecordedLog(file);
  const { machine, ...replayed } = await replayLog({ entries }, options, until);
  if (machine === undefined) throw new Error('expected entries to replay');
  return { machine, notice, ...replayed };
}

/** Checks that a replay gives the same responses and the same journal. */
async function expectSameJournal(file: string, { sim }: StateMachine): Promise<void> {
  const { machine, difference } = await replay(file);
  expect(difference).toBeUndefined();
  expect(machine.sim.journal.query()).toEqual(sim.journal.query());
}

const request = (token: string, path = '/pets', query = 'limit=1'): Command => ({
  kind: 'request',
  call: { method: 'GET', path, query, baseUrl: 'http://x/v1', headers: { authorization: `Bearer ${token}` } } as never,
});

test('random runs of every kind replay to the same responses, verdict and journal', async () => {
  const runs = tries(12, 2_000);
  let answers = 0;
  for (let number = 0; number < runs; number++) {
    const random = createRandom(seed * 7_000_003 + number);
    const { machine, file, send, close } = record(randomScenario(random, number));
    for (let step = 0, atMs = noonMs; step < 40; step++) {
      atMs += random.pick([0, 1, 300, 2_000, 61_000]);
      await send(atMs, ...Array.from({ length: random.chance(0.2) ? 3 : 1 }, () => randomCommand(random, machine)));
    }
    await close();
    const again = await replay(file);
    expect(again.difference, `run ${number} of seed ${seed}`).toBeUndefined();
    expect(again.applied).toBe(41);
    expect(again.machine.judge()).toEqual(machine.judge());
    const shown = ({ sim }: typeof machine) =>
      sim.journal.query().map(({ token, ...rest }) => ({ ...rest, token: token?.slice(-4) }));
    expect(shown(again.machine)).toEqual(shown(machine));
    answers += machine.sim.journal.size;
  }
  expect(answers).toBeGreaterThan(runs * 5);
});

test('tokens that are not in the scenario have stable pseudonyms, with the same state', async () => {
  const { send, close, text, file, machine } = record({ assumptions: { acceptAnyKey: true } as never });
  await send(noonMs, request('free-key'), request('live_0123456789abcdef'), request('live_fedcba9876543210'));
  await send(noonMs + 1, request('live_0123456789abcdef', '/pets/live_0123456789abcdef', 'key=live_0123456789abcdef'));
  await send(noonMs + 2, { kind: 'control', operation: 'addKey', input: { key: 'sk_secret_of_mine' } });
  await send(noonMs + 3, request('sk_secret_of_mine'));
  await close();
  for (const secret of ['live_0123456789', 'live_fedcba987', 'sk_secret_of']) expect(text()).not.toContain(secret);
  expect(text()).toContain('Bearer free-key');
  const used = [...text().matchAll(/Bearer (\S+?)"/g)].map(([, token]) => token);
  expect(used[1]).toMatch(/^[0-9A-Za-z]{12}~[0-9a-z]{4}cdef$/);
  expect(used[3]).toBe(used[1]);
  expect(used[2]).not.toBe(used[1]);
  expect(text()).toContain(`key=${used[1]}`);
  const again = await replay(file);
  expect(again.difference).toBeUndefined();
  expect(again.machine.sim.keys.unlisted).toHaveLength(machine.sim.keys.unlisted.length);
});

test('secrets in the query are masked, and the journal of a replay is the same', async () => {
  const { send, close, text, file, machine } = record();
  const query = 'limit=2&client_secret=my-secret-1234567';
  const headers: Record<string, string> = { authorization: 'Bearer free-key' };
  const call = { method: 'GET', path: '/pets', query, baseUrl: 'http://x/v1', headers, body: undefined };
  await send(noonMs, { kind: 'request', call: toPlainCall({ ...call, header: (name) => headers[name] }) });
  await close();
  expect(text()).not.toContain('my-secret');
  expect(machine.sim.journal.query()[0]?.query).toMatch(/^limit=2&client_secret=…4567~/);
  await expectSameJournal(file, machine);
});

test('keys of a scenario that is loaded later stay as they are', async () => {
  const { send, close, text, machine, file } = record();
  const scenario = { keys: { 'key-of-another-scenario': { plan: 'pro' } } };
  await send(noonMs, { kind: 'control', operation: 'loadScenario', sandbox: undefined, input: { scenario } });
  const [result] = await send(noonMs + 1_000, request('key-of-another-scenario'));
  expect(result).toMatchObject({ value: { answer: { status: 200 } } });
  await close();
  expect(text()).toContain('Bearer key-of-another-scenario');
  await expectSameJournal(file, machine);
});

test('the key of the client and of a fault rule stay as they are, although no plan lists them', async () => {
  const { send, close, text, machine, file } = record({
    assumptions: { acceptAnyKey: true },
    client: { key: 'key-of-the-client' },
    faults: [{ when: { key: 'key-of-a-fault-rule' }, then: { respond: { status: 503 } } }],
  });
  const results = await send(noonMs, request('key-of-the-client'), request('key-of-a-fault-rule'));
  expect(results.slice(1)).toMatchObject([200, 503].map((status) => ({ value: { answer: { status } } })));
  await close();
  expect([...text().matchAll(/Bearer ([^"]+)"/g)].map(([, key]) => key)).toEqual([
    'key-of-the-client',
    'key-of-a-fault-rule',
  ]);
  await expectSameJournal(file, machine);
});

test('only its owner can read a new recording, and a notice mentions the bodies in it', async () => {
  const { file, text, close } = record();
  await close();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(text().split('\n')[0] as string)).toMatchObject({
    file: 'petstore-sim recording',
    version: '1.0.0',
    warning: 'API keys of the scenario and request bodies are stored unchanged; other keys are replaced.',
  });
});

test('a recording preserves the mode of an empty file and of a device', async () => {
  const empty = join(newFolder(), 'run.jsonl');
  writeFileSync(empty, '');
  chmodSync(empty, 0o644);
  await record({}, empty).close();
  expect(statSync(empty).mode & 0o777).toBe(0o644);

  // The terminal end of a pseudo-terminal: a device that belongs to the user of this test.
  const pty = spawn('script', ['-qfc', 'tty; exec cat', '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] });
  onTestFinished(async () => {
    pty.kill('SIGKILL');
    await once(pty, 'close');
  });
  const [first] = await once(pty.stdout, 'data');
  const device = String(first).trim();
  chmodSync(device, 0o622);
  await record({}, device).close();
  expect(statSync(device).mode & 0o777).toBe(0o622);
});

test('a replay stops at an entry or at a time', async () => {
  const { send, close, file } = record();
  for (let number = 1; number <= 5; number++) await send(noonMs + number * 1000, request('free-key'));
  await close();
  const used = async (until: object) => {
    const { machine, applied } = await replay(file, until);
    return [applied, perMinute - machine.sim.keys.get('free-key').minute.remaining];
  };
  expect(await used({})).toEqual([6, 5]);
  expect(await used({ position: 3 })).toEqual([3, 3]);
  expect(await used({ atMs: noonMs + 2000 })).toEqual([2, 2]);
  expect(await used({ atMs: noonMs + 1999 })).toEqual([1, 1]);
});

test('a replay ends at the first different response', async () => {
  const { send, close, file } = record({ clock: { start: noon, mode: 'frozen' } });
  for (let number = 1; number <= 4; number++) await send(noonMs, request('free-key', '/pets', `limit=${number}`));
  await close();
  const { entries } = readRecordedLog(file);
  const other = entries.map((entry) =>
    entry.position === 3 ? { ...entry, commands: [toJsonCommand(request('free-key', '/pets', 'limit=9'))] } : entry,
  );
  const { difference, applied } = await replayLog({ entries: other }, options);
  expect(difference?.entry.position).toBe(3);
  expect(applied).toBe(3);
});

test('a truncated recording replays up to the damage and reports it', async () => {
  const { send, close, file } = record();
  for (let number = 1; number <= 4; number++) await send(noonMs, request('free-key'));
  await close();
  truncateSync(file, statSync(file).size - 400);
  const { applied, notice, difference } = await replay(file);
  expect(notice).toBe(
    `The recording is readable up to entry ${applied}: expected the line at byte ${readFileSync(file).lastIndexOf(10) + 1} as it was written, got an incomplete one; 1 entry is ignored.`,
  );
  expect(applied).toBeGreaterThan(1);
  expect(difference).toBeUndefined();
});

test('a file that is not a recording is rejected', () => {
  const file = join(newFolder(), 'notes.txt');
  writeFileSync(file, 'my notes\n');
  expect(() => readRecordedLog(file)).toThrow(
    `expected a file from --record, got ${file}, whose first line is damaged or from another kind of file`,
  );
});
