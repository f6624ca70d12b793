import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { type ServedData, type ServeOptions, serve } from '../../src/entries/node.js';
import { openFileLog } from '../../src/persistence/node/folder/file-log.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { noon } from '../support/frozen.js';
import { newFolder } from '../support/new-folder.js';

const { minute: perMinute } = documentedPlans.free;

const open = new Set<ServedData>();
afterEach(async () => {
  for (const server of open) await server.close({ graceMs: 0 });
  open.clear();
});

async function start(data: string, options: Partial<ServeOptions> = {}): Promise<ServedData> {
  const server = await serve({ data, port: 0, ...options });
  open.add(server);
  return server;
}

async function stop(server: ServedData): Promise<void> {
  open.delete(server);
  await server.close({ graceMs: 0 });
}

/** Writes the entries of a log as another version would have, from a position on with other answers. */
async function copyLog(
  file: string,
  folder: string,
  { version, wrongFrom = Number.POSITIVE_INFINITY }: { version: string; wrongFrom?: number | undefined },
): Promise<void> {
  const [header, ...entries] = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const { log, entries: none } = await openFileLog(folder, { version, scenario: header.birth.scenario });
  for await (const entry of none) throw new Error(`expected a new log, got ${entry.position}`);
  for (const { atMs, commands, answered = [] } of entries) {
    const told = (answered as [number, string][]).map(
      ([position, hash]) => [position, position >= wrongFrom ? 'another' : hash] as const,
    );
    await log.append({ atMs, commands, answered: told });
  }
  await log.close();
}

const call = (url: string, path: string, key = 'free-key', body?: unknown) =>
  fetch(`${url}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
const rex = { name: 'Rex', categoryId: 1 };
const statusOf = async (...of: Parameters<typeof call>) => (await call(...of)).status;

describe('server with --data', () => {
  test('restores pets, ids, windows, strikes, bans, faults, sandboxes, snapshots, journal and verdict', async () => {
    const data = newFolder();
    const scenario = {
      keys: { 'free-key': { usage: { minute: perMinute - 2 } } },
      clock: { start: noon, mode: 'frozen' as const },
    };
    const first = await start(data, { scenario });
    expect(await statusOf(first.baseUrl, '/pets', 'free-key', rex)).toBe(201);
    expect(await statusOf(first.baseUrl, '/pets')).toBe(200);
    // Refused, and then three times too early: banned.
    for (let n = 0; n < 4; n++) {
      expect(await statusOf(first.baseUrl, '/pets')).toBe(429);
      await first.control.changeClock({ advance: '1100ms' });
    }
    await first.control.addFault({ name: 'own', when: { operation: 'createPet' }, then: { respond: { status: 503 } } });
    await first.control.createSandbox({ name: 'box', scenario: { pets: [], clock: scenario.clock } });
    await first.control.saveSnapshot({ name: 'before' });
    await first.control.reportOutcome({ call: 'a', result: 'failed' });
    const seen = async ({ control }: ServedData) => [
      await control.exportState(),
      await control.queryJournal({ limit: 100 }),
      await control.getVerdict(),
      await control.listKeys(),
      await control.listFaults(),
      await control.listSnapshots(),
      (await control.listSandboxes()).map(({ name, scenario }) => [name, scenario]),
      await control.sandbox('box').exportState(),
    ];
    const before = await seen(first);
    await stop(first);

    const second = await start(data, { scenario });
    expect(second.notices).toEqual([]);
    expect(await seen(second)).toEqual(before);
    expect(await statusOf(second.baseUrl, '/pets')).toBe(429);
    expect(await statusOf(second.baseUrl, '/pets', 'pro-key', rex)).toBe(503);
    await second.control.removeFault({ name: 'own' });
    expect(await (await call(second.baseUrl, '/pets', 'pro-key', rex)).json()).toMatchObject({ id: 42 });
    await second.control.reset();
    expect((await second.control.exportState()).pets).toHaveLength(40);
    await stop(second);
    // A reset is logged like every change.
    const third = await start(data, { scenario });
    expect((await third.control.exportState()).pets).toHaveLength(40);
  });

  // The folder was written by commit 1ea4de5a, with snapshots from 8 kB on, and killed during a delayed request.
  // A changed response that sets entries aside here does so for users, and belongs in the changelog.
  test.each([
    ['its snapshot and later entries', false],
    ['its entries alone', true],
  ])('continues the folder of an earlier version from %s', async (_from, isWithoutSnapshot) => {
    const data = newFolder();
    cpSync(join(import.meta.dirname, 'former-folder'), data, { recursive: true });
    if (isWithoutSnapshot) rmSync(join(data, 'snapshot-000000000025.jsonl'));
    const { baseUrl, control, notices } = await start(data, {
      scenario: {
        name: 'former',
        clock: { start: noon, mode: 'frozen' },
        pets: [
          { name: 'Rex', categoryId: 1 },
          { name: 'Zoë', categoryId: 2 },
        ],
        windows: { quarter: '15m' },
        plans: {
          free: { minute: 3, quarter: 5 },
          pro: { minute: 4 },
          business: { minute: 10 },
          enterprise: { minute: 20 },
        },
      },
    });
    expect(notices).toEqual([]);
    const { keys } = await control.listKeys();
    const used = (window?: { limit: number; remaining: number }) => window && window.limit - window.remaining;
    expect(keys.map(({ state, minute, windows }) => [state, used(minute), used(windows?.quarter)])).toEqual([
      ['banned', 3, 3],
      ['revoked', 0, undefined],
      ['active', 2, undefined],
      ['active', 1, undefined],
      ['revoked', 0, 0],
      ['active', 1, 4],
    ]);
    expect(keys[0]).toMatchObject({ strikes: 3, bannedUntil: '2026-01-01T12:02:03.000Z' });
    expect((await control.getClock()).now).toBe('2026-01-01T12:00:05.500Z');
    expect((await control.listFaults()).map(({ name, seen, applied }) => [name, seen, applied])).toEqual([
      ['busy', 2, 1],
      ['late', 1, 1],
    ]);
    const { entries } = await control.queryJournal({ limit: 50 });
    expect(entries.map(({ status }) => status)).toEqual([201, 200, 200, 429, 429, 429, 429, 429, 200, 503, 401]);
    const { findings } = await control.getVerdict();
    expect(findings.map(({ code, requests }) => [code, requests])).toEqual([
      ['early-retry', [5, 6, 7]],
      ['ban-tripped', [5, 6, 7]],
      ['ban-hammered', [8]],
    ]);
    expect((await control.sandbox('box').getKey({ key: 'free-key' })).minute?.remaining).toBe(0);

    const names = async () => (await control.listStoredPets()).pets.map(({ id, name }) => `${id} ${name}`);
    expect(await names()).toEqual(['3 Milo', '1 Max']);
    await control.changeClock({ advance: '1h' });
    expect(await names()).toEqual(['4 Luna', '3 Milo', '1 Max']);
    expect([
      await statusOf(baseUrl, '/pets', 'business-key'),
      await statusOf(baseUrl, '/pets', 'business-key'),
    ]).toEqual([200, 503]);
    await control.restoreSnapshot({ name: 'before' });
    expect(await names()).toEqual(['3 Milo', '2 Zoë', '1 Rex']);
  });

  test('shows its position and the notices of the start', async () => {
    const data = newFolder();
    const first = await start(data);
    const before = await first.control.getHealth();
    expect(before).toEqual({
      status: 'ok',
      scenario: 'default',
      log: { position: 1, snapshotPosition: 0, notices: [] },
    });
    await call(first.baseUrl, '/pets', 'free-key', rex);
    expect((await first.control.getHealth()).log?.position).toBe(2);
    await stop(first);
    const file = join(data, readdirSync(data).find((name) => name.startsWith('log-')) as string);
    writeFileSync(file, '{"crc":"0', { flag: 'a' });
    const second = await start(data);
    expect(second.notices).toEqual([expect.stringContaining('was interrupted')]);
    expect((await second.control.getHealth()).log?.notices).toEqual(second.notices);
    expect(await statusOf(second.baseUrl, '/pets/41')).toBe(200);
  });

  test('rejects the state of another scenario, unless a new start is requested', async () => {
    const data = newFolder();
    const first = await start(data, { scenario: 'minute-wall' });
    await stop(first);
    await expect(start(data)).rejects.toThrow(
      `expected ${data} to contain the scenario default, got minute-wall; start with minute-wall, use another folder, or start a new log with --data-reset`,
    );
    const anew = await start(data, { dataReset: true });
    expect((await anew.control.getHealth()).scenario).toBe('default');
  });

  test('loads a changed scenario file once, like --watch, and reports it', async () => {
    const data = newFolder();
    const file = join(newFolder(), 'mine.yaml');
    writeFileSync(file, 'name: mine\nassumptions: { defaultStatus: pending }\n');
    const first = await start(data, { scenario: file });
    await call(first.baseUrl, '/pets', 'free-key', rex);
    await stop(first);
    writeFileSync(file, 'name: mine\nassumptions: { defaultStatus: sold }\n');
    const second = await start(data, { scenario: file });
    expect(second.notices).toEqual([
      'The scenario mine.yaml has changed since the last start; the new version is loaded, and the pets stay.',
    ]);
    const pets = [await call(second.baseUrl, '/pets', 'free-key', rex), await call(second.baseUrl, '/pets/41')];
    expect(await Promise.all(pets.map((pet) => pet.json()))).toMatchObject([
      { id: 42, status: 'sold' },
      { id: 41, status: 'pending' },
    ]);
    await stop(second);
    expect((await start(data, { scenario: file })).notices).toEqual([]);
  });

  test('advances only a clock at real speed during its downtime', async () => {
    for (const [clock, passes] of [
      [{}, true],
      [{ speed: 60 }, false],
      [{ start: noon, mode: 'frozen' as const }, false],
    ] as const) {
      const data = newFolder();
      const realNow = Date.now;
      const first = await start(data, { scenario: { clock } });
      const beforeMs = Date.parse((await first.control.getClock()).now);
      await stop(first);
      vi.spyOn(Date, 'now').mockImplementation(() => realNow() + 3_600_000);
      const second = await start(data, { scenario: { clock } });
      const passedMs = Date.parse((await second.control.getClock()).now) - beforeMs;
      if (passes) expect(passedMs).toBeGreaterThanOrEqual(3_600_000);
      // At sixty times the speed, the seconds of the test itself are minutes.
      else expect(passedMs).toBeLessThan(1_800_000);
      await stop(second);
      vi.restoreAllMocks();
    }
  });

  test("continues if the machine's time was set back during the downtime", async () => {
    const data = newFolder();
    const realNow = Date.now;
    const first = await start(data);
    const beforeMs = Date.parse((await first.control.getClock()).now);
    await stop(first);
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() - 3_600_000);
    const second = await start(data);
    await call(second.baseUrl, '/pets');
    expect(printed.mock.calls).toEqual([[expect.stringMatching(/set back by 3[56]\d\d s/)]]);
    // From the last entry on, which may be a moment before the clock was read.
    expect(Date.parse((await second.control.getClock()).now)).toBeGreaterThan(beforeMs - 60_000);
    await stop(second);
    vi.restoreAllMocks();
  });

  test('restores a hundred thousand generated pets and another one', async () => {
    const data = newFolder();
    const scenario = { pets: { generate: { available: 100_000 } } };
    const first = await start(data, { scenario });
    const { id } = (await (await call(first.baseUrl, '/pets', 'free-key', rex)).json()) as { id: number };
    await stop(first);
    const second = await start(data, { scenario });
    expect(id).toBe(100_001);
    expect(await (await call(second.baseUrl, `/pets/${id}`)).json()).toMatchObject({ id, name: 'Rex' });
  });

  test('restores a scenario that is too large for one command', async () => {
    const data = newFolder();
    const pets = Array.from({ length: 10_000 }, (_, index) => ({ id: index + 1, name: `pet ${index}`, categoryId: 1 }));
    const first = await start(data, { scenario: { pets } });
    await call(first.baseUrl, '/pets', 'free-key', rex);
    await stop(first);
    const second = await start(data, { scenario: { pets } });
    expect(second.notices).toEqual([]);
    expect(await statusOf(second.baseUrl, '/pets/10001')).toBe(200);
    await second.control.reset();
    expect(await statusOf(second.baseUrl, '/pets/10001')).toBe(404);
    expect(await statusOf(second.baseUrl, '/pets/10000')).toBe(200);
  });

  test.each([
    ['another version, whose answers differ from one on', '0.0.9', '2 entries'],
    ['another version, whose answers are the same', '0.0.9', undefined],
  ])('does the entries of %s again as far as they agree', async (_what, version, aside) => {
    const data = newFolder();
    const first = await start(data);
    for (let n = 0; n < 3; n++) await call(first.baseUrl, '/pets', 'free-key', rex);
    await stop(first);
    const file = join(data, readdirSync(data).find((name) => name.startsWith('log-')) as string);
    const old = newFolder();
    await copyLog(file, old, { version, wrongFrom: aside === undefined ? undefined : 3 });
    const second = await start(old);
    const { pets } = await second.control.exportState();
    if (aside === undefined) {
      expect(second.notices).toEqual([expect.stringContaining('was written by petstore-sim 0.0.9')]);
      expect(pets).toHaveLength(43);
      return;
    }
    expect(second.notices.join(' ')).toMatch(
      /set aside.*because petstore-sim \S+ responds to entry 3 differently than 0\.0\.9, which wrote it/,
    );
    expect(pets).toHaveLength(41);
    expect(readdirSync(old).some((name) => name.includes('aside'))).toBe(true);
    // And so it stays.
    await stop(second);
    expect((await (await start(old)).control.exportState()).pets).toHaveLength(41);
  });

  test('rejects a second server', async () => {
    const data = newFolder();
    await start(data);
    await expect(start(data)).rejects.toThrow('expected a folder that no other process uses');
  });

  test('limits its sandboxes as the options say', async () => {
    const { control } = await start(newFolder(), { sandboxes: { limit: 1 } });
    await control.createSandbox({ name: 'one' });
    await expect(control.createSandbox({ name: 'two' })).rejects.toThrow(
      'The server has 1 sandboxes, which is the limit',
    );
  });

  test('starts a new log in an emptied folder', async () => {
    const data = newFolder();
    const first = await start(data);
    await stop(first);
    for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true });
    expect((await start(data)).notices).toEqual([]);
  });
});
