import { setTimeout as pause } from 'node:timers/promises';
import { load, startLoad } from './load.mjs';
import { ratioOf } from './ratio.mjs';
import { usageOf } from './server-process.mjs';

/**
 * Duration of a server's turn in milliseconds: long enough to fill the processor's caches, short enough that the
 * machine's speed stays the same.
 */
const turnMs = 60;

/**
 * @typedef {object} Run
 * @property {{ url: string, pid: number }} server
 * @property {import('./works.mjs').WorkRequest[]} requests
 */

/**
 * Loads servers one at a time, in turns of a twentieth of a second. Other activity of the machine thus affects all of
 * them equally. Load generators pause between turns, so response times are unknown.
 * @param {Run[]} runs one run per server
 * @param {{ seconds: number }} options duration of the load on each server
 * @param {typeof startLoad} begin
 * @returns {Promise<{ requests: number, perSecond: number, other: number, cpuUs?: number }[]>} in the order of the
 * runs; `perSecond` within its turns; `cpuUs`: processor time of the server per request, including work after its turns
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
 * Loads one server alone, to measure response times, or because the server works on after a turn.
 * @param {Run} run
 * @param {{ seconds: number }} options
 */
export async function takeSlice({ server, requests }, options) {
  const before = usageOf(server.pid);
  const sample = await load(server.url, requests, options);
  return { ...sample, cpuUs: cpuUsOf(before, usageOf(server.pid), sample.requests) };
}

/**
 * Loads servers at the same time, to compare their processor time per request. Other activity of the machine affects
 * all of them equally. Elapsed times mean nothing, because the servers slow each other down.
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
 * Measures two servers in the order A, B, B, A. If the machine becomes slower or faster, this affects both equally.
 * @param {() => Promise<Record<string, number | undefined>>} of
 * @param {typeof of} to
 * @returns {Promise<{ of: any, to: any }>} mean of the two measurements of each
 */
export async function takePair(of, to) {
  const slices = [await of(), await to(), await to(), await of()];
  return { of: meanOf(slices[0], slices[3]), to: meanOf(slices[1], slices[2]) };
}

const meanOf = (one, another) =>
  Object.fromEntries(Object.keys(one).map((field) => [field, one[field] && (one[field] + another[field]) / 2]));

/**
 * Compares two servers by consecutive pairs of measurements: ratios of requests per second, of processor time per
 * request, and of the 99th percentile. Each ratio uses the pairs in which it is known.
 * @param {{ of: any, to: any }[]} pairs
 */
export const compare = (pairs) => ({
  perSecond: ratioOf(pairs.map(({ of, to }) => of.perSecond / to.perSecond)),
  cpu: ratioOf(pairs.map(({ of, to }) => to.cpuUs / of.cpuUs)),
  p99: ratioOf(pairs.map(({ of, to }) => of.p99Ms / to.p99Ms)),
});
