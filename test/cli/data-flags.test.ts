import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { listeningLines } from '../../src/cli/listening-lines.js';
import { createControl } from '../../src/entries/control.js';
import { createSimulator } from '../../src/entries/index.js';
import { serve } from '../../src/entries/node.js';
import { runCommandLine } from '../support/command-here.js';
import { startServer } from '../support/command-line.js';
import { listenLocally } from '../support/listen-locally.js';
import { newFolder } from '../support/new-folder.js';

const folder = newFolder();

test.each([
  [['--data', 'valkey://127.0.0.1:6379'], 'redis://127.0.0.1:6379/0?name=staging, for Valkey as well), got "valkey://'],
  [['--data-reset'], 'expected --data FOLDER or --data URL with --data-reset, got no --data'],
  [['--fsync'], 'expected --data FOLDER with --fsync, got no --data'],
  [['--advertise', '10.0.0.7:4010'], 'expected --data redis://... with --advertise'],
  [['--data', join(folder, 'never'), '--advertise', '10.0.0.7:4010'], 'expected --data redis://... with --advertise'],
  [['--data', 'redis://127.0.0.1:1', '--advertise', '10.0.0.7'], 'to advertise, such as 10.0.0.7:4010, got "10.0.0.7"'],
  [['--data', 'redis://127.0.0.1:1', '--advertise', '::1:4010'], 'such as 10.0.0.7:4010, got "::1:4010"'],
  [['--data', 'redis://127.0.0.1:1', '--advertise', 'host:0'], 'such as 10.0.0.7:4010, got "host:0"'],
  [['--data', 'redis://127.0.0.1:1', '--fsync'], 'expected --fsync with a folder, got a store'],
  [['--data', join(folder, 'never'), '--handlers', 'mine.mjs'], 'expected --handlers to be a file, found none at'],
])('serve %s is rejected with advice', async (args, message) => {
  const { code, err } = await runCommandLine(['serve', ...args]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  expect(existsSync(join(folder, 'never'))).toBe(false);
});

test('serve --data continues after SIGTERM, rejects another scenario, and starts anew with --data-reset', async () => {
  const data = join(folder, 'data');
  const first = await startServer(['--data', data, '--fsync']);
  const control = createControl(first.baseUrl.replace('/v1', '/__sim'));
  await control.banKey({ key: 'free-key', for: '10d' });
  expect(await first.stop()).toBe(0);

  const second = await startServer(['--data', data]);
  expect([first.listening.resumedFrom, second.listening.resumedFrom]).toEqual([undefined, data]);
  expect(second.listening.keys).toContainEqual({ key: 'free-key', plan: 'free', state: 'banned' });
  expect(await second.stop()).toBe(0);

  const refused = await runCommandLine(['serve', '--data', data, '--scenario', 'minute-wall', '--port', '0']);
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('start a new log with --data-reset')]);

  const third = await startServer(['--data', data, '--data-reset', '--scenario', 'minute-wall']);
  expect(third.listening.keys).not.toContainEqual(expect.objectContaining({ state: 'banned' }));
  expect(await third.stop()).toBe(0);
});

test('the first line reports that a server continues from a folder, with its content', () => {
  const sim = createSimulator();
  const addresses = { baseUrl: 'http://127.0.0.1:4010/v1', controlUrl: 'http://127.0.0.1:4010/__sim' };
  const firstLine = (from?: string) =>
    stripVTControlCharacters(listeningLines('pretty', sim, addresses, false, from)[0] ?? '');
  expect(firstLine()).toBe('petstore-sim  scenario default');
  expect(firstLine('./state')).toBe('petstore-sim  scenario default, resumed from ./state: 40 pets, 0 requests');
});

test('serve --data --watch loads a saved scenario into the stored state', async () => {
  const file = join(folder, 'mine.yaml');
  writeFileSync(file, 'name: mine\nassumptions: { defaultStatus: pending }\n');
  const args = ['--data', join(folder, 'watched'), '--scenario', file];
  const server = await startServer([...args, '--watch']);
  writeFileSync(file, 'name: mine\nassumptions: { defaultStatus: sold }\n');
  expect(await server.nextEvent()).toMatchObject({ event: 'reloaded', changes: ['assumptions.defaultStatus'] });
  expect(await server.stop()).toBe(0);
  const again = await startServer(args);
  // Loaded already, so no message is printed; standard error is complete when the server has ended.
  expect(await again.stop()).toBe(0);
  expect(again.errors()).toBe('');
});

test('an occupied port leaves no recording and no lock of a folder', async () => {
  const { port } = await listenLocally(createServer());
  const [file, data] = [join(folder, 'untaken.jsonl'), join(folder, 'untaken')];
  for (const flags of [
    ['--record', file],
    ['--data', data],
  ]) {
    const { code, err } = await runCommandLine(['serve', '--port', String(port), ...flags]);
    expect([code, err]).toEqual([2, expect.stringContaining(`port ${port} is in use; stop the process that uses it`)]);
  }
  expect(existsSync(file)).toBe(false);
  const server = await startServer(['--data', data]);
  expect(server.listening.resumedFrom).toBe(data);
  expect(await server.stop()).toBe(0);
  expect(server.errors()).toBe('');
});

test('serve of petstore-sim/node closes the folder if the port is occupied', async () => {
  const { port } = await listenLocally(createServer());
  const data = join(folder, 'in-process');
  await expect(serve({ data, port })).rejects.toThrow('EADDRINUSE');
  const server = await serve({ data, port: 0 });
  await server.close({ graceMs: 0 });
});

test.each([
  [{ data: 'redis://127.0.0.1:1', fsync: true }, 'expected fsync with a folder'],
  [{ data: join(folder, 'never'), advertise: '10.0.0.7:4010' }, 'expected advertise with the address of a store'],
  [{ data: 'redis://127.0.0.1:1', advertise: 'nowhere' }, 'expected an address of this server to advertise'],
])('serve(%o) of Node is rejected with advice', async (options, message) => {
  await expect(serve(options)).rejects.toThrow(message);
});
