import { spawn } from 'node:child_process';
import { median } from './median.mjs';
import { pin, start } from './server-process.mjs';
import { compare, takePair, takeSlice } from './slice.mjs';
import { requestsOf } from './works.mjs';

const firstPort = 4650;

/** Pairs of servers to compare, with the kinds of load. */
const comparisons = [
  { of: 'ours', to: 'real-work', works: ['list', 'mixed', 'varied'] },
  { of: 'ours-data', to: 'ours', works: ['list', 'mixed'] },
  { of: 'ours-record', to: 'ours', works: ['list', 'mixed'] },
];

/**
 * Measures loads of 32 connections on a quiet machine, and beside a busy loop on the core of the server and on that of
 * the load. Loads the servers of a pair one after the other, because a server with a log goes on working after its turn.
 * @param {import('./peers.mjs').Peer[]} peers installed servers; comparisons with others are skipped
 * @param {{ rounds: number, seconds: number, say: (text: string) => void }} options
 */
export async function measureBusy(peers, { rounds, seconds, say }) {
  const named = (name) => peers.find((peer) => peer.name === name);
  const wanted = comparisons.filter(({ of, to }) => named(of) && named(to));
  const rows = wanted.flatMap(({ of, to, works }) =>
    works.flatMap((work) => [false, true].map((isBusy) => ({ of, to, work, isBusy, pairs: [] }))),
  );
  const worksOf = (name) =>
    new Set(wanted.filter(({ of, to }) => of === name || to === name).flatMap(({ works }) => works));
  for (let round = 1; round <= rounds; round++) {
    const servers = new Map();
    try {
      for (const name of new Set(wanted.flatMap(({ of, to }) => [of, to])))
        servers.set(name, await start(named(name), { port: firstPort + 10 * servers.size, core: 0 }));
      const take = (name, work, forSeconds) =>
        takeSlice({ server: servers.get(name), requests: requestsOf(named(name), work) }, { seconds: forSeconds });
      // V8 has compiled the code after some seconds of load; each server gets as many, because compiling takes a third more.
      for (const name of servers.keys()) for (const work of worksOf(name)) await take(name, work, 4);
      for (const isBusy of [false, true]) {
        const loops = isBusy ? [0, 1].map(startLoop) : [];
        try {
          for (const { of, to, work, pairs } of rows.filter((row) => row.isBusy === isBusy)) {
            // A server that was idle for 15 s takes a third more processor time per request in its next second (measured).
            for (const name of [of, to]) await take(name, work, 2);
            pairs.push(
              await takePair(
                () => take(of, work, seconds),
                () => take(to, work, seconds),
              ),
            );
          }
        } finally {
          for (const loop of loops) loop.kill('SIGKILL');
        }
      }
    } finally {
      for (const server of servers.values()) await server.stop();
    }
    say(`busy: round ${round} of ${rounds}`);
  }
  return {
    found: rows.map(({ pairs, ...row }) => ({
      ...row,
      ...compare(pairs),
      requests: median(pairs.map(({ of }) => of.perSecond)),
      cpuUs: median(pairs.map(({ of }) => of.cpuUs)),
    })),
  };
}

/** Starts a process that keeps a core busy. */
function startLoop(core) {
  const [command, args] = pin(core, process.execPath, ['-e', 'for (;;);']);
  return spawn(command, args, { stdio: 'ignore' });
}
