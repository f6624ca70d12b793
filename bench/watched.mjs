import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { twinUnit } from './field.mjs';
import { ratioOf } from './ratio.mjs';
import { pin, start } from './server-process.mjs';
import { takeTogether } from './slice.mjs';
import { requestsOf } from './works.mjs';

const ports = [4610, 4630];

/** Who looks on while requests come, and what they ask the control API for. */
const watchers = {
  'a test that waits for a request': '/journal/wait?status=418&timeout=30s',
  'a page that is open': '/updates',
  'a reader of every entry': '/events',
};

/**
 * What the list keeps of its speed while somebody looks on: two servers of the same loaded at the same time, one with and one
 * without, in turn. By processor time, which is counted for each of them; not one after the other, between which the
 * machine drifts by more than is to be measured, and not in turns, in whose rests an open page would be told what it had missed.
 * @param {import('./peers.mjs').Peer} ours installed
 * @param {{ rounds: number, seconds: number, say: (text: string) => void }} options
 */
export async function measureWatched(ours, { rounds, seconds, say }) {
  const servers = [];
  /** How much of the processor time of one server the other takes for a request while `path` is asked of that one. */
  const shareOf = async (path, watched, alone) => {
    const stop = path && (await watch(`${watched.url}/__sim${path}`));
    const runs = [watched, alone].map((server) => ({ server, requests: requestsOf(ours, 'list') }));
    const [of, to] = await takeTogether(runs, { seconds }).finally(stop);
    return to.cpuUs / of.cpuUs;
  };
  /** Each is of both servers in turn, because a process can be a fifth faster than another of the same for all its life. */
  const shares = async (path, count) => {
    const [one, another] = servers;
    const taken = [];
    for (let time = 0; time <= count; time++)
      taken.push(Math.sqrt((await shareOf(path, one, another)) * (await shareOf(path, another, one))));
    // The first has loaded and compiled what the watcher asks for.
    return taken.slice(1);
  };
  try {
    for (const port of ports) servers.push(await start(ours, { port, core: 0 }));
    const found = {};
    for (const [name, path] of Object.entries(watchers)) {
      found[name] = { cpu: ratioOf(await shares(path, 2 * rounds)) };
      say(`watched: ${name}: ${found[name].cpu.median.toFixed(2)}`);
    }
    return { found, yardstick: await shares(undefined, 2 * rounds), unit: twinUnit };
  } finally {
    for (const server of servers) await server.stop();
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
