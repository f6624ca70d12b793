import { start } from './server-process.mjs';
import { compare, takePair, takeSlice } from './slice.mjs';
import { requestsOf } from './works.mjs';

/**
 * Requests over 1,000 sandboxes of one server, each with a world of its own, beside as many different addresses of one
 * world: the load generator sends from a list either way.
 * @param {import('./peers.mjs').Peer} ours installed
 * @param {{ rounds: number, seconds: number }} options
 */
export async function measureSandboxes(ours, { rounds, seconds }) {
  const [list] = requestsOf(ours, 'list');
  const numbered = (path) => Array.from({ length: 1_000 }, (_, at) => ({ ...list, weight: 1, path: path(at) }));
  const one = numbered(() => list.path);
  const many = numbered((at) => `/s/world-${at}${list.path}`);
  const server = await start(ours, { port: 4610, core: 0 });
  const slice = (requests) => () => takeSlice(server, requests, { seconds });
  try {
    await takePair(slice(one), slice(many), false);
    const pairs = [];
    for (let round = 0; round < 2 * rounds; round++)
      pairs.push(await takePair(slice(many), slice(one), round % 2 === 1));
    for (const { of, to } of pairs) {
      if (of.other + to.other > 0)
        throw new Error(`sandboxes: expected every answer to be 200, got ${of.other + to.other} others`);
    }
    const yardstick = pairs.map(({ to }) => to.perSecond);
    return { found: { ofOne: compare(pairs) }, yardstick, unit: 'requests a second' };
  } finally {
    await server.stop();
  }
}
