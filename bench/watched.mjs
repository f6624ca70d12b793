import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createField } from './field.mjs';
import { pin } from './server-process.mjs';

/** Who looks on while requests come, and what they ask the control API for. */
const watchers = {
  'a test that waits for a request': '/journal/wait?status=418&timeout=30s',
  'a page that is open': '/updates',
  'a reader of every entry': '/events',
};
const unwatched = 'nobody';

/**
 * What the list keeps of its speed while somebody looks on: a server for each of them and one for nobody, in turn. By
 * processor time, because the reader takes some of the core of the load. Fresh processes in each round.
 * @param {import('./peers.mjs').Peer} ours installed
 * @param {{ rounds: number, seconds: number, say: (text: string) => void }} options
 */
export async function measureWatched(ours, { rounds, seconds, say }) {
  const field = createField({ seconds, say });
  const comparisons = Object.keys(watchers).map((of) => ({ of, to: unwatched }));
  for (let round = 1; round <= rounds; round++) {
    const stops = [];
    try {
      for (const name of [unwatched, ...Object.keys(watchers)]) {
        const { url } = await field.start({ name, peer: ours });
        if (name in watchers) stops.push(await watch(`${url}/__sim${watchers[name]}`));
        await field.warmUp(name, 'list');
      }
      for (const isReversed of [false, true]) await field.takeTurns(comparisons, 'list', isReversed);
    } finally {
      for (const stop of stops) await stop();
      await field.stopAll();
    }
    say(`watched: round ${round} of ${rounds}`);
  }
  const found = Object.fromEntries(field.found().ratios.map(({ of, ...ratio }) => [of, ratio]));
  return { found, yardstick: field.perSecond(unwatched, 'list'), unit: 'requests a second' };
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
