import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pin, start } from './server-process.mjs';
import { compare, takePair, takeSlice } from './slice.mjs';
import { requestsOf } from './works.mjs';

/** Who looks on while requests come, and what they ask the control API for. */
const watchers = {
  'a test that waits for a request': '/journal/wait?status=418&timeout=30s',
  'a page that is open': '/updates',
  'a reader of every entry': '/events',
};

/**
 * What the list keeps of its speed while somebody looks on: a slice with, beside a slice without. By processor time, because
 * the reader takes some of the core of the load; not in turns, in whose rests an open page would be told what it had missed.
 * @param {import('./peers.mjs').Peer} ours installed
 * @param {{ rounds: number, seconds: number, say: (text: string) => void }} options
 */
export async function measureWatched(ours, { rounds, seconds, say }) {
  const server = await start(ours, { port: 4610, core: 0 });
  const slice = () => takeSlice({ server, requests: requestsOf(ours, 'list') }, { seconds });
  const found = {};
  const yardstick = [];
  try {
    for (let time = 0; time < 2; time++) await slice();
    for (const [name, path] of Object.entries(watchers)) {
      const watchedSlice = async () => {
        const stop = await watch(`${server.url}/__sim${path}`);
        return slice().finally(stop);
      };
      const pairs = [];
      for (let round = 0; round < 2 * rounds; round++) pairs.push(await takePair(watchedSlice, slice, round % 2 === 1));
      found[name] = compare(pairs);
      yardstick.push(...pairs.map(({ to }) => to.perSecond));
      say(`watched: ${name}: ${found[name].cpu?.median.toFixed(2)}`);
    }
    return { found, yardstick, unit: 'requests a second' };
  } finally {
    await server.stop();
  }
}

/** Starts a process that looks on; it has been answered, or has sent its request, when this ends. */
async function watch(url) {
  const [command, args] = pin(1, process.execPath, [join(import.meta.dirname, 'watcher.mjs'), url]);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  return async () => {
    child.kill();
    await once(child, 'exit');
  };
}
