import { load } from './load.mjs';
import { median } from './median.mjs';
import { check } from './peers.mjs';
import { start, usageOf } from './server-process.mjs';
import { requestsOf } from './works.mjs';

/** Every server that is measured under load, and on which Node: a peer that needs Node 24 is held against ours on 24. */
const loaded = (peers) => {
  const node = peers.find((peer) => peer.node)?.node;
  const runs = peers.map((peer) => ({ peer, name: peer.name, node: peer.node, on: peer.node ? '24' : '20' }));
  if (node === undefined) return runs;
  const again = peers.filter(({ name }) => name === 'limit' || name === 'ours');
  return [...runs, ...again.map((peer) => ({ peer, name: `${peer.name} on Node 24`, node, on: '24' }))];
};

/**
 * Requests a second of each server for each of its works: the servers in turn, round after round, each time a fresh
 * process; medians of the rounds.
 * @param {import('./peers.mjs').Peer[]} peers installed
 * @param {{ rounds: number, seconds: number, say: (text: string) => void }} options
 */
export async function measureHttp(peers, { rounds, seconds, say }) {
  const results = loaded(peers).map((run) => ({ ...run, works: {}, rssMiB: [] }));
  for (let round = 1; round <= rounds; round++) {
    for (const result of results.filter(({ failed }) => failed === undefined)) {
      try {
        await measureRound(result, { isFirst: round === 1, seconds, say: (text) => say(`round ${round}: ${text}`) });
      } catch (error) {
        if (result.peer.group !== 'peer') throw error;
        say(`left out: ${error.message}`);
        result.failed = error.message;
      }
    }
  }
  return results.map(({ peer, name, on, works, rssMiB, failed }) => ({
    name,
    failed,
    group: peer.group,
    on,
    works: failed ? {} : Object.fromEntries(Object.entries(works).map(([work, samples]) => [work, summary(samples)])),
    rssMiB: median(rssMiB),
  }));
}

async function measureRound({ peer, name, node, works, rssMiB }, { isFirst, seconds, say }) {
  const server = await start(peer, { port: 4610, core: 0, node });
  try {
    if (isFirst) await mustAnswer(peer, server.url);
    await load(server.url, requestsOf(peer, 'list'), { seconds: 2 });
    for (const work of ['list', 'mix', 'create'].filter((each) => peer.works.includes(each))) {
      const before = usageOf(server.pid);
      const sample = await load(server.url, requestsOf(peer, work), { seconds });
      const after = usageOf(server.pid);
      const cpuUs = before && after && ((after.cpuMs - before.cpuMs) * 1000) / sample.requests;
      mustBeRight(peer, work, sample);
      works[work] ??= [];
      works[work].push({ ...sample, cpuUs });
      say(`${name}, ${work}: ${Math.round(sample.perSecond)} requests a second`);
    }
    rssMiB.push(usageOf(server.pid)?.rssMiB);
  } finally {
    await server.stop();
  }
}

function summary(samples) {
  const of = (field) => samples.map((sample) => sample[field]);
  return {
    perSecond: median(of('perSecond')),
    lowest: Math.min(...of('perSecond')),
    highest: Math.max(...of('perSecond')),
    p50Ms: median(of('p50Ms')),
    p99Ms: median(of('p99Ms')),
    cpuUs: median(of('cpuUs')),
  };
}

async function mustAnswer(peer, url) {
  const issues = (await check(peer, url)).filter(({ issue }) => issue);
  if (issues.length > 0)
    throw new Error(`${peer.name} answers wrongly: ${issues.map((each) => each.issue).join('; ')}`);
}

/** Nothing but what was to be refused may have been. */
function mustBeRight(peer, work, { requests, other }) {
  const expected = work === 'mix' ? requests / 10 : 0;
  if (Math.abs(other - expected) > requests / 100)
    throw new Error(`${peer.name}, ${work}: expected ${expected} of ${requests} answers to be refusals, got ${other}`);
}
