import { median } from './median.mjs';
import { check } from './peers.mjs';
import { start, usageOf } from './server-process.mjs';
import { compare, takePair, takeSlice, takeTogether, takeTurns } from './slice.mjs';
import { requestsOf } from './works.mjs';

/** Name of a second process of the same server. Its deviation from the first shows the noise of shares. */
export const twinOf = (name) => `${name}, again`;
export const twinUnit = 'of its twin';

/** Kinds of load, in this order: the list before the number of pets grows. */
export const workNames = ['list', 'mix', 'create'];
const firstPort = 4610;
/** Warm-up by requests, until the code is compiled, or at most by seconds. */
const warmUp = { requests: 40_000, seconds: 3 };

/**
 * Creates a group of servers on one core, of which one at a time is loaded, with the samples of each.
 * @param {{ seconds: number, say: (text: string) => void }} options `seconds` of a slice
 */
export function createField({ seconds, say }) {
  const running = new Map();
  const rows = new Map();
  const pairs = new Map();
  const checked = new Set();

  return {
    /**
     * Starts a server, and checks every kind of request at the first start.
     * @param {{ name: string, peer: import('./peers.mjs').Peer, node?: string }} run
     */
    async start({ name, peer, node }) {
      const taken = new Set([...running.values()].map(({ port }) => port));
      let port = firstPort;
      while (taken.has(port)) port += 10;
      const server = await start(peer, { port, core: 0, node });
      running.set(name, { ...server, peer, port });
      if (!rows.has(name)) rows.set(name, { name, peer, node: node ?? peer.node, samples: new Map(), rssMiB: [] });
      if (!checked.has(name)) await mustAnswer(peer, server.url);
      checked.add(name);
    },

    /** Loads a server until its code is compiled. */
    async warmUp(name, work) {
      let sent = 0;
      for (let second = 0; second < warmUp.seconds && sent < warmUp.requests; second++)
        sent += (await takeSlice(runOf(name, work), { seconds: 1 })).requests;
    },

    /**
     * Loads the servers of some comparisons in rotation, and records their samples.
     * @param {{ of: string, to: string }[]} comparisons
     * @returns {Promise<Map<string, any>>} samples by name of the server
     */
    async takeTurns(comparisons, work, isReversed) {
      const names = [...new Set(comparisons.flatMap(({ of, to }) => [of, to]))];
      if (isReversed) names.reverse();
      const samples = await takeTurns(
        names.map((name) => runOf(name, work)),
        { seconds },
      );
      const byName = new Map(names.map((name, at) => [name, samples[at]]));
      for (const [name, sample] of byName) note(name, work, sample);
      for (const { of, to } of comparisons) notePair({ of, to }, work, { of: byName.get(of), to: byName.get(to) });
      return byName;
    },

    /**
     * Loads two servers at the same time, for their shares by processor time, if their work exceeds a turn. The throughput of one
     * server alone is a separate measurement.
     * @param by twin that is loaded instead of `to`
     */
    async takeTogether({ of, to }, work, by = to) {
      const samples = await takeTogether([runOf(of, work), runOf(by, work)], { seconds });
      for (const [at, name] of [of, by].entries()) mustBeRight(name, work, samples[at]);
      notePair({ of, to }, work, { of: samples[0], to: samples[1] });
    },

    /** Loads a server alone, and records its sample. */
    async takeAlone(name, work) {
      note(name, work, await takeSlice(runOf(name, work), { seconds }));
    },

    /** Records the latencies of two servers whose shares are measured in turns. */
    async takeLatencies({ of, to }, work) {
      const slice = async (name) => {
        const { requests, other, p50Ms, p99Ms } = await takeSlice(runOf(name, work), { seconds });
        return { requests, other, p50Ms, p99Ms };
      };
      const pair = await takePair(
        () => slice(of),
        () => slice(to),
      );
      note(of, work, pair.of);
      note(to, work, pair.to);
      notePair({ of, to }, work, pair);
    },

    async stop(name) {
      const { pid, stop } = running.get(name);
      rows.get(name).rssMiB.push(usageOf(pid)?.rssMiB);
      running.delete(name);
      await stop();
    },

    async stopAll() {
      for (const name of [...running.keys()]) await this.stop(name);
    },

    /** Samples of all servers, and all pairs. */
    found() {
      return {
        servers: [...rows.values()]
          .filter(({ name }) => !isTwin(name))
          .map(({ name, peer, node, samples, rssMiB }) => ({
            name,
            group: peer.group,
            on: node ? node.split('.')[0] : process.versions.node.split('.')[0],
            works: Object.fromEntries([...samples].map(([work, each]) => [work, inShort(each)])),
            rssMiB: median(rssMiB),
          })),
        ratios: [...pairs]
          .map(([key, each]) => ({ ...JSON.parse(key), ...compare(each) }))
          .filter(({ of }) => !isTwin(of)),
      };
    },

    /**
     * Noise of the shares of the list: results of a server relative to its twin, one for each joint measurement.
     * @returns {{ yardstick: number[], unit: string }}
     */
    noise(name) {
      const twins = pairs.get(JSON.stringify({ of: twinOf(name), to: name, work: 'list' }));
      const shareOf = ({ of, to }) => (of.perSecond ? of.perSecond / to.perSecond : to.cpuUs / of.cpuUs);
      return { yardstick: twins.map(shareOf), unit: twinUnit };
    },
  };

  function runOf(name, work) {
    const server = running.get(name);
    return { server, requests: requestsOf(server.peer, work) };
  }

  function note(name, work, sample) {
    mustBeRight(name, work, sample);
    const { samples } = rows.get(name);
    samples.set(work, [...(samples.get(work) ?? []), sample]);
  }

  function notePair({ of, to }, work, pair) {
    const key = JSON.stringify({ of, to, work });
    pairs.set(key, [...(pairs.get(key) ?? []), pair]);
    const byCpu = pair.of.cpuUs !== undefined;
    const share = byCpu ? pair.to.cpuUs / pair.of.cpuUs : pair.of.p99Ms / pair.to.p99Ms;
    say(`${work}: ${of} ${share.toFixed(2)} of ${to} by ${byCpu ? 'processor time' : 'p99'}`);
  }
}

const isTwin = (name) => name.endsWith(twinOf(''));

const isKnown = (value) => value !== undefined;

function inShort(samples) {
  const of = (field) => samples.map((sample) => sample[field]).filter(isKnown);
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

/** Checks that only the intended requests were rejected. */
function mustBeRight(name, work, { requests, other }) {
  const expected = work === 'mix' ? requests / 10 : 0;
  // On each connection, a slice ends within a group of ten requests.
  if (requests === 0 || Math.abs(other - expected) > requests / 100 + 32)
    throw new Error(`${name}, ${work}: expected ${expected} of ${requests} answers to be refusals, got ${other}`);
}
