import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createField, twinOf } from './field.mjs';
import { storePort } from './peers.mjs';
import { isThere, pin, usageOf } from './server-process.mjs';

/**
 * Measures petstore-sim with its log in Redis, relative to petstore-sim in memory, and the processor time of Redis per
 * request. bench/replicas.mjs measures several replicas.
 * @param {import('./peers.mjs').Peer[]} peers installed servers
 * @param {{ rounds: number, seconds: number, say: (text: string) => void }} options
 * @returns no result without redis-server
 */
export async function measureReplica(peers, { rounds, seconds, say }) {
  const run = peers.filter(({ name }) => name === 'ours' || name === 'ours-redis');
  if (run.length < 2 || !isThere('redis-server')) return { found: undefined };
  const field = createField({ seconds, say });
  const storeUs = { list: [], create: [] };
  const store = await startStore();
  try {
    for (const peer of run) {
      await field.start({ name: peer.name, peer });
      for (const work of ['list', 'create']) await field.warmUp(peer.name, work);
    }
    await field.start({ name: twinOf('ours'), peer: run.find(({ name }) => name === 'ours') });
    await field.warmUp(twinOf('ours'), 'list');
    for (let round = 0; round < 2 * rounds; round++) {
      for (const work of ['list', 'create']) {
        const before = usageOf(store.pid);
        const twin = work === 'list' ? [{ of: twinOf('ours'), to: 'ours' }] : [];
        const samples = await field.takeTurns([{ of: 'ours-redis', to: 'ours' }, ...twin], work, round % 2 === 1);
        const after = usageOf(store.pid);
        if (before && after)
          storeUs[work].push(((after.cpuMs - before.cpuMs) * 1000) / samples.get('ours-redis').requests);
      }
    }
  } finally {
    await field.stopAll();
    await store.stop();
  }
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const storeCpuUs = storeUs.list.length > 0 && { list: mean(storeUs.list), create: mean(storeUs.create) };
  return { found: { ...field.found(), storeCpuUs: storeCpuUs || undefined }, ...field.noise('ours', 'list') };
}

/** Starts Redis with its own folder, on the processor core of the load generator. */
async function startStore() {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-bench-'));
  const settings = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--save', '', '--dir', folder];
  const [command, args] = pin(1, 'redis-server', ['--port', `${storePort}`, '--bind', '127.0.0.1', ...settings]);
  const child = spawn(command, args, { stdio: 'ignore' });
  const exited = once(child, 'exit');
  while (!(await isListening())) {
    if (child.exitCode !== null) throw new Error(`expected redis-server to listen on ${storePort}, got an end`);
    await pause(20);
  }
  return {
    pid: child.pid,
    async stop() {
      child.kill();
      await exited;
      rmSync(folder, { recursive: true });
    },
  };
}

const isListening = () =>
  new Promise((resolve) => {
    const socket = connect(storePort, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
