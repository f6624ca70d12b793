import { load } from './load.mjs';
import { ratioOf } from './ratio.mjs';
import { usageOf } from './server-process.mjs';

/**
 * Loads a server for a while.
 * @param {{ url: string, pid: number }} server
 * @param {import('./works.mjs').WorkRequest[]} requests
 * @param {{ seconds: number }} options
 * @returns {Promise<{ requests: number, perSecond: number, p50Ms: number, p99Ms: number, other: number, cpuUs?: number }>}
 * `cpuUs`: processor time of the server for each request
 */
export async function takeSlice({ url, pid }, requests, { seconds }) {
  const before = usageOf(pid);
  const sample = await load(url, requests, { seconds });
  const after = usageOf(pid);
  return { ...sample, cpuUs: before && after && ((after.cpuMs - before.cpuMs) * 1000) / sample.requests };
}

/**
 * Two slices one right after the other.
 * @template T
 * @param {() => Promise<T>} of
 * @param {() => Promise<T>} to
 * @param {boolean} isReversed `to` first. Every other pair is to be so, or one of the two would always be the later.
 * @returns {Promise<{ of: T, to: T }>}
 */
export async function takePair(of, to, isReversed) {
  if (!isReversed) return { of: await of(), to: await to() };
  const first = await to();
  return { of: await of(), to: first };
}

/**
 * What pairs of slices say of one server beside another: a share of its requests a second, the same by processor time for a
 * request, and how many times its p99.
 * @param {{ of: any, to: any }[]} pairs
 */
export const compare = (pairs) => ({
  perSecond: ratioOf(pairs.map(({ of, to }) => of.perSecond / to.perSecond)),
  cpu: ratioOf(pairs.map(({ of, to }) => to.cpuUs / of.cpuUs)),
  p99: ratioOf(pairs.map(({ of, to }) => of.p99Ms / to.p99Ms)),
});
