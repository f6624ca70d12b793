import { load } from './load.mjs';
import { median } from './median.mjs';
import { start } from './server-process.mjs';
import { requestsOf } from './works.mjs';

/**
 * Requests a second over 1,000 sandboxes of one server, each with a world of its own, beside as many different addresses
 * of one world: the load generator sends from a list either way.
 * @param {import('./peers.mjs').Peer} ours installed
 * @param {{ rounds: number, seconds: number }} options
 */
export async function measureSandboxes(ours, { rounds, seconds }) {
  const [list] = requestsOf(ours, 'list');
  const numbered = (path) => Array.from({ length: 1_000 }, (_, at) => ({ ...list, weight: 1, path: path(at) }));
  const one = numbered(() => list.path);
  const many = numbered((at) => `/s/world-${at}${list.path}`);
  const server = await start(ours, { port: 4610, core: 0 });
  try {
    const samples = { one: [], many: [] };
    await load(server.url, one, { seconds });
    await load(server.url, many, { seconds });
    for (let round = 0; round < rounds; round++) {
      samples.one.push(await load(server.url, one, { seconds }));
      samples.many.push(await load(server.url, many, { seconds }));
    }
    for (const { other } of [...samples.one, ...samples.many]) {
      if (other > 0) throw new Error(`sandboxes: expected every answer to be 200, got ${other} others`);
    }
    const perSecond = (runs) => median(runs.map((run) => run.perSecond));
    return { onePerSecond: perSecond(samples.one), manyPerSecond: perSecond(samples.many) };
  } finally {
    await server.stop();
  }
}
