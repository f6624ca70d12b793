import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { folderOf } from './install-peer.mjs';
import { median } from './median.mjs';
import { cliFile } from './peers.mjs';
import { yardstickMs } from './yardstick.mjs';

/** Arguments of a Node client that prints the time of its first line, in milliseconds. */
const client = ['-e', 'console.log(performance.timeOrigin + performance.now())'];

/**
 * Measures the time from the start of a client's process to its first line: alone, and under `petstore-sim exec`,
 * alternately.
 * @param {import('./peers.mjs').Peer} ours installed petstore-sim
 * @param {{ times: number }} options
 */
export function measureExecStart(ours, { times }) {
  const main = join(folderOf(ours), cliFile);
  const bare = () => firstLineMs(client);
  const underExec = () => firstLineMs([main, 'exec', '--', process.execPath, ...client]);
  const samples = [];
  const yardstick = [];
  bare();
  underExec();
  for (let time = 0; time < times; time++) {
    yardstick.push(...yardstickMs());
    const [first, second] = time % 2 === 0 ? [bare, underExec] : [underExec, bare];
    const [a, b] = [first(), second()];
    samples.push(time % 2 === 0 ? { bareMs: a, execMs: b } : { bareMs: b, execMs: a });
  }
  const added = samples.map(({ bareMs, execMs }) => execMs - bareMs);
  const found = {
    bareMs: median(samples.map(({ bareMs }) => bareMs)),
    execMs: median(samples.map(({ execMs }) => execMs)),
    addedMs: { median: median(added), lowest: Math.min(...added), highest: Math.max(...added) },
  };
  return { found, yardstick, unit: 'ms' };
}

function firstLineMs(args) {
  const startedMs = performance.timeOrigin + performance.now();
  const text = execFileSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const line = text.split('\n').find((each) => /^\d+(\.\d+)?$/.test(each));
  if (line === undefined) throw new Error(`expected the client to say when it ran, got ${JSON.stringify(text)}`);
  return Number(line) - startedMs;
}
