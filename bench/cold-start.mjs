import { execFileSync } from 'node:child_process';
import { median } from './median.mjs';
import { footprint } from './peers.mjs';
import { ratioOf } from './ratio.mjs';
import { start } from './server-process.mjs';
import { yardstickMs } from './yardstick.mjs';

/**
 * Number of measured starts of each compared server. Small, because these take ten times as long to start as
 * petstore-sim.
 */
const peerTimes = 3;

/**
 * Measures the time from the start of a server's process to its first 200, and the size of its installation. The
 * servers are started in rotation. petstore-sim starts by `serve` without a scenario file.
 * @param {import('./peers.mjs').Peer[]} peers installed servers
 * @param {{ times: number, say: (text: string) => void }} options
 */
export async function measureColdStart(peers, { times, say }) {
  const named = (name) => peers.filter((peer) => peer.name === name);
  const samples = new Map([['node -e 0', []], ...peers.map(({ name }) => [name, []])]);
  const yardstick = [];
  const startOne = async (peer) => {
    const server = await start(peer, { port: 4610, plain: true });
    samples.get(peer.name).push(server.startMs);
    await server.stop();
  };
  for (let time = 0; time < times; time++) {
    yardstick.push(...yardstickMs());
    const startedMs = performance.now();
    execFileSync(process.execPath, ['-e', '0']);
    samples.get('node -e 0').push(performance.now() - startedMs);
    const pair = [...named('limit'), ...named('ours')];
    for (const peer of time % 2 === 0 ? pair : pair.toReversed()) await startOne(peer);
    for (const peer of time < peerTimes ? peers.filter(({ group }) => group === 'peer') : []) await startOne(peer);
    say(`cold start: ${time + 1} of ${times}`);
  }
  const rows = [];
  for (const [name, startMs] of samples) {
    if (startMs.length === 0) continue;
    const peer = peers.find((each) => each.name === name);
    const size = peer && (await footprint(peer));
    rows.push({
      name,
      group: peer?.group ?? 'limit',
      on: (peer?.node ?? process.versions.node).split('.')[0],
      startMs: median(startMs),
      lowest: Math.min(...startMs),
      highest: Math.max(...startMs),
      ...(size && { packages: size.packages, bytes: size.bytes }),
    });
  }
  const [ours, limit] = ['ours', 'limit'].map((name) => samples.get(name) ?? []);
  const overLimitMs = ratioOf(ours.map((ms, at) => ms - limit[at]));
  return { found: { rows, overLimitMs }, yardstick, unit: 'ms' };
}
