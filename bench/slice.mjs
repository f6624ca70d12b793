import { setTimeout as pause } from 'node:timers/promises';
import { load, startLoad } from './load.mjs';
import { ratioOf } from './ratio.mjs';
import { usageOf } from './server-process.mjs';

/** Long beside what a processor takes to fill its caches, short beside what else goes on in the machine. */
const turnMs = 60;

/**
 * @typedef {object} Run
 * @property {{ url: string, pid: number }} server
 * @property {import('./works.mjs').WorkRequest[]} requests
 */

/**
 * Loads servers in turn, one at a time, for a twentieth of a second each, again and again: what else the machine does meets
 * all of them alike. Each has a load generator of its own, which stands still meanwhile; so latencies are not known.
 * @param {Run[]} runs each of another server
 * @param {{ seconds: number }} options how long each is loaded
 * @param {typeof startLoad} begin
 * @returns {Promise<{ requests: number, perSecond: number, other: number, cpuUs?: number }[]>} in the order of the runs;
 * `perSecond` of its turns; `cpuUs`: processor time of the server for each request, with what it does after its turns
 */
export async function takeTurns(runs, { seconds }, begin = startLoad) {
  const usage = () => runs.map(({ server }) => usageOf(server.pid));
  const before = usage();
  const loads = await Promise.all(
    runs.map(({ server, requests }) => begin(server.url, requests, { seconds: seconds * runs.length })),
  );
  const activeMs = runs.map(() => 0);
  const results = [];
  try {
    for (const { child } of loads) child.kill('SIGSTOP');
    while (results.filter(Boolean).length < loads.length) {
      for (const [at, { child, result }] of loads.entries()) {
        if (results[at]) continue;
        const startedMs = performance.now();
        child.kill('SIGCONT');
        results[at] = await Promise.race([pause(turnMs), result]);
        child.kill('SIGSTOP');
        activeMs[at] += performance.now() - startedMs;
      }
    }
  } finally {
    for (const { child } of loads) child.kill('SIGKILL');
  }
  const after = usage();
  return results.map(({ requests, other }, at) => ({
    requests,
    other,
    perSecond: (requests / activeMs[at]) * 1000,
    cpuUs: cpuUsOf(before[at], after[at], requests),
  }));
}

const cpuUsOf = (before, after, requests) => before && after && ((after.cpuMs - before.cpuMs) * 1000) / requests;

/**
 * Loads a server alone, for its latencies, or where it does some of its work later.
 * @param {Run} run
 * @param {{ seconds: number }} options
 */
export async function takeSlice({ server, requests }, options) {
  const before = usageOf(server.pid);
  const sample = await load(server.url, requests, options);
  return { ...sample, cpuUs: cpuUsOf(before, usageOf(server.pid), sample.requests) };
}

/**
 * Loads servers at the same time, for the processor time that each takes for a request: what else the machine does meets all
 * of them alike, and none rests meanwhile, as in turns. What else is known of them goes with the time they leave each other.
 * @param {Run[]} runs
 * @param {{ seconds: number }} options
 * @returns {Promise<{ requests: number, other: number, cpuUs?: number }[]>} in the order of the runs
 */
export const takeTogether = (runs, options) =>
  Promise.all(
    runs.map(async (run) => {
      const { requests, other, cpuUs } = await takeSlice(run, options);
      return { requests, other, cpuUs };
    }),
  );

/**
 * Slices one right after the other, in the order of one, the other, the other, the one: a machine that grows faster or slower
 * meanwhile does so for both.
 * @param {() => Promise<Record<string, number | undefined>>} of
 * @param {typeof of} to
 * @returns {Promise<{ of: any, to: any }>} of each the mean of its two
 */
export async function takePair(of, to) {
  const slices = [await of(), await to(), await to(), await of()];
  return { of: meanOf(slices[0], slices[3]), to: meanOf(slices[1], slices[2]) };
}

const meanOf = (one, another) =>
  Object.fromEntries(Object.keys(one).map((field) => [field, one[field] && (one[field] + another[field]) / 2]));

/**
 * What pairs of neighbours in time say of one server beside another: a share of its requests a second, the same by processor
 * time for a request, and how many times its p99. Of each, the pairs count in which it is known.
 * @param {{ of: any, to: any }[]} pairs
 */
export const compare = (pairs) => ({
  perSecond: ratioOf(pairs.map(({ of, to }) => of.perSecond / to.perSecond)),
  cpu: ratioOf(pairs.map(({ of, to }) => to.cpuUs / of.cpuUs)),
  p99: ratioOf(pairs.map(({ of, to }) => of.p99Ms / to.p99Ms)),
});
