import { twinUnit } from './field.mjs';
import { start } from './server-process.mjs';
import { compare, takeSlice, takeTurns } from './slice.mjs';
import { requestsOf } from './works.mjs';

const firstPort = 4610;

/**
 * Measures requests to 1,000 sandboxes of one server, relative to as many URLs of one simulator on another server. Each
 * round has new processes.
 * @param {import('./peers.mjs').Peer} ours installed petstore-sim
 * @param {{ rounds: number, seconds: number, say: (text: string) => void }} options
 */
export async function measureSandboxes(ours, { rounds, seconds, say }) {
  const [list] = requestsOf(ours, 'list');
  const numbered = (path) => Array.from({ length: 1_000 }, (_, at) => ({ ...list, path: path(at) }));
  const own = numbered(() => list.path);
  const ways = [numbered((at) => `/s/world-${at}${list.path}`), own, own];
  const pairs = [];
  const yardstick = [];
  for (let round = 1; round <= rounds; round++) {
    const runs = [];
    try {
      for (const [at, requests] of ways.entries())
        runs.push({ server: await start(ours, { port: firstPort + 10 * at, core: 0 }), requests });
      for (const run of runs) await takeSlice(run, { seconds: 3 });
      for (let time = 0; time < 2; time++) {
        const samples = await takeTurns(runs, { seconds });
        const others = samples.reduce((sum, { other }) => sum + other, 0);
        if (others > 0) throw new Error(`sandboxes: expected every answer to be 200, got ${others} others`);
        const [of, to, twin] = samples;
        pairs.push({ of, to });
        yardstick.push(twin.perSecond / to.perSecond);
      }
    } finally {
      for (const { server } of runs) await server.stop();
    }
    say(`sandboxes: round ${round} of ${rounds}: ${(pairs.at(-1).to.cpuUs / pairs.at(-1).of.cpuUs).toFixed(2)}`);
  }
  return { found: { ofOne: compare(pairs) }, yardstick, unit: twinUnit };
}
