import { median } from './median.mjs';
import { check } from './peers.mjs';
import { start, usageOf } from './server-process.mjs';
import { compare, takePair, takeSlice, takeTogether, takeTurns } from './slice.mjs';
import { othersOf, requestsOf } from './works.mjs';

/**
 * Name of a twin: a second process of the same server. The difference between both shows the noise of the measurement.
 */
export const twinOf = (name) => `${name}, again`;
export const twinUnit = 'of its twin';

/** Kinds of load, in this order: the list before the number of pets grows. */
export const workNames = ['list', 'mixed', 'varied', 'create'];
const firstPort = 4610;
/**
 * Load before the measurement, so that V8 has compiled the code: a number of requests, or at most a time in seconds.
 */
const warmUp = { requests: 40_000, seconds: 3 };

/**
 * Creates a set of servers on one processor core, which are loaded and measured.
 * @param {{ seconds: number, say: (text: string) => void }} options `seconds`: duration of one measurement
 */
export function createField({ seconds, say }) {
  const running = new Map();
  const rows = new Map();
  const pairs = new Map();
  const checked = new Set();

  return {
    /**
     * Starts a server. At its first start, checks its responses to every kind of request.
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

    /** Loads a server until V8 has compiled its code. */
    async warmUp(name, work) {
      let sent = 0;
      for (let second = 0; second < warmUp.seconds && sent < warmUp.requests; second++)
        sent += (await takeSlice(runOf(name, work), { seconds: 1 })).requests;
    },

    /**
     * Loads the compared servers in rotation and records the measurements.
     * @param {{ of: string, to: string }[]} comparisons
     * @returns {Promise<Map<string, any>>} measurements by server
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
     * Loads two servers at the same time and compares their processor time per request. Used for servers that cannot be
     * loaded in rotation. Throughput is measured separately.
     * @param by twin to load instead of `to`
     */
    async takeTogether({ of, to }, work, by = to) {
      const samples = await takeTogether([runOf(of, work), runOf(by, work)], { seconds });
      for (const [at, name] of [of, by].entries()) mustBeRight(name, work, samples[at]);
      notePair({ of, to }, work, { of: samples[0], to: samples[1] });
    },

    /** Loads one server alone and records its throughput. */
    async takeAlone(name, work) {
      note(name, work, await takeSlice(runOf(name, work), { seconds }));
    },

    /** Measures the response times of two servers, each loaded alone. */
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

    /** Returns the measurements of all servers, and all comparisons. */
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
     * Noise of the shares of a load: results of a server relative to its twin, one for each joint measurement.
     * @returns {{ yardstick: number[], unit: string }}
     */
    noise(name, work) {
      const twins = pairs.get(JSON.stringify({ of: twinOf(name), to: name, work }));
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

/** Checks that a server rejected only the requests of a key without remaining limit. */
function mustBeRight(name, work, { requests, other }) {
  const expected = requests * othersOf(work);
  // A slice ends within a group of a hundred requests, with 32 responses under way.
  if (requests === 0 || Math.abs(other - expected) > requests / 100 + 64)
    throw new Error(
      `${name}, ${work}: expected about ${expected} of ${requests} responses to have an error status, got ${other}`,
    );
}
