import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { version } from '../../src/control/har.js';
import { startCommandLine } from '../support/command-line.js';
import { root } from '../support/markdown.js';
import { isProof } from '../support/prove.js';
import { call } from './calls.js';
import { expectHonest, expectKept, type Load, startLoad } from './load.js';
import { patience, type Replica, sameOnAll, startReplica, startReplicas } from './replicas.js';
import { startStore } from './store.js';

/** Waits until so many more pets are stored. */
async function more({ stored }: Load, count: number): Promise<void> {
  const { size } = stored;
  await vi.waitUntil(() => stored.size >= size + count, patience);
}

const stateOf = async ({ control }: Replica) => {
  const { pets, keys } = (await control.exportState()) as { pets: unknown; keys: unknown };
  return { pets, keys, counted: await control.countRequests() };
};

test('a replica that joins under load has everything that was before it, and serves right from its first answer', async () => {
  const store = await startStore();
  const before = await startReplicas(2, store.url());
  const load = startLoad(before, 'load');
  await more(load, 200);
  const joined = await startReplica(store.url());
  await vi.waitUntil(async () => (await joined.health()).httpStatus === 200, patience);
  const known = [...load.stored];
  const first = await call(`${joined.origin}/v1/pets/${(await joined.control.exportState()).pets.at(-1)?.id}`);
  expect(first.status).toBe(200);
  const names = new Set((await joined.control.exportState()).pets.map(({ name }) => name));
  expect(known.filter((name) => !names.has(name))).toEqual([]);
  const later = startLoad([joined], 'load-later');
  await more(later, 50);
  await more(load, 50);
  await Promise.all([load.stop(), later.stop()]);
  for (const replica of [...before, joined]) await expectKept(replica, [load, later]);
  for (const each of [load, later]) expectHonest(each);
  await sameOnAll([...before, joined], stateOf);
});

test('a replica that was stopped for a while catches up, and says nothing of the time before', async () => {
  const store = await startStore();
  const replicas = (await startReplicas(3, store.url())) as [Replica, Replica, Replica];
  const [one, two, stopped] = replicas;
  const load = startLoad([one, two], 'load');
  const own = startLoad([stopped], 'load-stopped');
  await more(own, 20);
  stopped.pause();
  await more(load, 200);
  if (isProof) await new Promise((resolve) => setTimeout(resolve, 30_000));
  const known = [...load.stored];
  stopped.resume();
  // Its first answer knows everything that was answered before it was asked.
  const names = new Set((await stopped.control.exportState()).pets.map(({ name }) => name));
  expect(known.filter((name) => !names.has(name))).toEqual([]);
  await more(own, 20);
  await Promise.all([load.stop(), own.stop()]);
  for (const replica of replicas) await expectKept(replica, [load, own]);
  for (const each of [load, own]) expectHonest(each);
  await sameOnAll(replicas, stateOf);
});

test('a replica that is asked to end answers what it has taken, and the others go on', async () => {
  const store = await startStore();
  const replicas = (await startReplicas(2, store.url())) as [Replica, Replica];
  const [one, two] = replicas;
  const load = startLoad([two], 'load');
  await more(load, 20);
  expect(await two.stop()).toBe(0);
  await load.stop();
  await expectKept(one, [load]);
  const stillThere = startLoad([one], 'load-after');
  await more(stillThere, 20);
  await stillThere.stop();
});

test('replicas of two versions do not share a log', async () => {
  const store = await startStore();
  await startReplica(store.url());
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-version-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ['dist', 'scenarios']) cpSync(join(root, name), join(folder, name), { recursive: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const chunks = join(folder, 'dist/cli');
  for (const name of readdirSync(chunks).filter((name) => name.endsWith('.js'))) {
    const text = readFileSync(join(chunks, name), 'utf8');
    if (text.includes(`"${version}"`)) writeFileSync(join(chunks, name), text.replaceAll(`"${version}"`, '"99.0.0"'));
  }
  const other = startCommandLine(['serve', '--port', '0', '--data', store.url()], { main: join(chunks, 'main.js') });
  await vi.waitUntil(() => other.child.exitCode !== null, patience);
  expect(other.child.exitCode).not.toBe(0);
  expect(other.errors()).toContain(version);
  expect(other.errors()).toContain('99.0.0');
});
