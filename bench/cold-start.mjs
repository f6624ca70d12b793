import { execFileSync } from 'node:child_process';
import { median } from './median.mjs';
import { footprint } from './peers.mjs';
import { start } from './server-process.mjs';

/**
 * From spawn to the first 200, on any core, the servers in turn; and what each takes on the disk. Ours starts as `serve`
 * does, without a scenario file.
 * @param {import('./peers.mjs').Peer[]} peers installed
 * @param {{ times: number, say: (text: string) => void }} options
 */
export async function measureColdStart(peers, { times, say }) {
  const samples = new Map([['node -e 0', []], ...peers.map(({ name }) => [name, []])]);
  for (let time = 1; time <= times; time++) {
    const startedMs = performance.now();
    execFileSync(process.execPath, ['-e', '0']);
    samples.get('node -e 0').push(performance.now() - startedMs);
    for (const peer of peers) {
      const server = await start(peer, { port: 4610, plain: true });
      samples.get(peer.name).push(server.startMs);
      await server.stop();
    }
    say(`cold start: ${time} of ${times}`);
  }
  const rows = [];
  for (const [name, startMs] of samples) {
    const peer = peers.find((each) => each.name === name);
    const size = peer && (await footprint(peer));
    rows.push({
      name,
      group: peer?.group ?? 'limit',
      on: peer?.node ? '24' : '20',
      startMs: median(startMs),
      lowest: Math.min(...startMs),
      highest: Math.max(...startMs),
      ...(size && { packages: size.packages, installedMiB: size.bytes / 2 ** 20 }),
    });
  }
  return rows;
}
