import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { twinUnit } from './field.mjs';
import { ratioOf } from './ratio.mjs';
import { pin, start } from './server-process.mjs';
import { takeTogether } from './slice.mjs';
import { requestsOf } from './works.mjs';

const ports = [4610, 4630];

/** Observers during a load, with the path that each requests from the control API. */
const watchers = {
  'a test that waits for a request': '/journal/wait?status=418&timeout=30s',
  'a page that is open': '/updates',
  'a reader of every entry': '/events',
};

/**
 * Measures the share of the list's throughput that remains under observation, by processor time: two servers are loaded at the
 * same time, one observed and one not, with exchanged roles. Not one after another, because the machine drifts by more than the
 * effect; not in turns, because an open dashboard would catch up in the pauses.
 * @param {import('./peers.mjs').Peer} ours installed peer
 * @param {{ rounds: number, seconds: number, say: (text: string) => void }} options
 */
export async function measureWatched(ours, { rounds, seconds, say }) {
  const servers = [];
  /** Processor time per request of the unobserved server, relative to the server whose `path` is requested. */
  const shareOf = async (path, watched, alone) => {
    const stop = path && (await watch(`${watched.url}/__sim${path}`));
    const runs = [watched, alone].map((server) => ({ server, requests: requestsOf(ours, 'list') }));
    const [of, to] = await takeTogether(runs, { seconds }).finally(stop);
    return to.cpuUs / of.cpuUs;
  };
  /** Shares of both servers in each role, because one process can be a fifth faster than another for its whole life. */
  const shares = async (path, count) => {
    const [one, another] = servers;
    const taken = [];
    for (let time = 0; time <= count; time++)
      taken.push(Math.sqrt((await shareOf(path, one, another)) * (await shareOf(path, another, one))));
    // The first share includes loading and compiling the code for the observer.
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

/** Starts an observer, and waits until it has its response or has sent its request. */
async function watch(url) {
  const [command, args] = pin(1, process.execPath, [join(import.meta.dirname, 'watcher.mjs'), url]);
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  await once(child, 'message');
  return async () => {
    child.kill();
    await once(child, 'exit');
  };
}
