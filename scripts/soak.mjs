/**
 * Runs a server for ten minutes under mixed traffic. Reports how much its memory grew after the first minute, and the
 * pauses of its event loop, and notes the result in test/proof.json. Expected: growth up to 20 MB, no pause of 100 ms.
 *
 * node scripts/soak.mjs --minutes 10 --node 20 --rate 300
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { nodeBinary } from './fetched-package.mjs';
import { noteProof, root } from './repository.mjs';
import { scenario, startLoad } from './soak-load.mjs';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    node: { type: 'string', default: process.versions.node },
    rate: { type: 'string', default: '300' },
  },
});
const [minutes, rate] = [values.minutes, values.rate].map(Number);
const mostGrowthMb = 20;
const mostPauseMs = 100;
const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-soak-'));

const probed = (binary, args) =>
  spawn(binary, ['--expose-gc', '--import', join(import.meta.dirname, 'soak-probe.mjs'), ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
const measure = async (child) => {
  child.send('measure');
  const [answer] = await once(child, 'message');
  return answer;
};

const binary = await nodeBinary(values.node);
const file = join(folder, 'soak.json');
writeFileSync(file, JSON.stringify(scenario));
const server = probed(binary, [
  join(root, 'dist/cli/main.cjs'),
  ...['serve', '--port', '0', '--log', 'json', '--scenario', file],
]);
// Idle process for comparison. Its pauses come from the machine, not from the simulator.
const bystander = probed(binary, ['-e', 'setInterval(() => {}, 1000)']);
bystander.stdout.resume();

const port = await new Promise((resolve) => {
  let text = '';
  server.stdout.on('data', (chunk) => {
    if (text.length > 10_000) return;
    text += chunk;
    const found = /127\.0\.0\.1:(\d+)/.exec(text);
    if (found !== null) resolve(Number(found[1]));
  });
});
const load = startLoad({ baseUrl: `http://127.0.0.1:${port}`, rate });
const readings = [];
for (let minute = 0; minute < minutes; minute++) {
  await sleep(60_000);
  const [own, machine] = await Promise.all([measure(server), measure(bystander)]);
  readings.push({ minute: minute + 1, ...own, machinePauseMs: machine.longestPauseMs, load: loadavg()[0] });
  console.error(JSON.stringify(readings.at(-1)));
}
load.stop();
const health = await fetch(`http://127.0.0.1:${port}/__sim/health`);
const isAlive = health.ok && server.exitCode === null;
for (const child of [server, bystander]) {
  child.kill('SIGTERM');
  await once(child, 'exit');
}
rmSync(folder, { recursive: true, force: true });

const [first, last] = [readings[0], readings.at(-1)];
const held = ({ heapMb, externalMb }) => heapMb + externalMb;
// Skips the first minute, in which V8 compiles the code and the first control request loads Express.
const pauses = readings.slice(1).flatMap((reading) => reading.pauses);
const result = {
  date: new Date().toISOString().slice(0, 10),
  minutes,
  requestsPerSecond: rate,
  processors: cpus().length,
  loadAverage: Math.round(Math.max(...readings.map((reading) => reading.load)) * 10) / 10,
  heldMbAfterFirstMinute: Math.round(held(first)),
  heldMbAtEnd: Math.round(held(last)),
  rssMb: [first.rssMb, last.rssMb].map(Math.round),
  longestPauseMs: Math.max(0, ...readings.slice(1).map((reading) => reading.longestPauseMs)),
  // Processor time, which excludes the time of other processes.
  longestWorkMs: Math.max(0, ...pauses.map(({ cpuMs }) => cpuMs)),
  longestPauseInFirstMinuteMs: first.longestPauseMs,
  longestPauseOfIdleProcessMs: Math.max(...readings.map((reading) => reading.machinePauseMs)),
  answers: load.counts,
};
console.log(JSON.stringify(result, null, 2));
noteProof(`scripts/soak.mjs on Node ${values.node.split('.')[0]}`, result);

const growthMb = held(last) - held(first);
const bad = Object.keys(load.counts).filter((name) => /^(?:api|control) 5(?!03)/.test(name));
if (!isAlive || bad.length > 0) throw new Error(`expected the server to continue without 5xx, got ${bad.join(', ')}`);
if (growthMb > mostGrowthMb) throw new Error(`expected at most ${mostGrowthMb} MB more, got ${Math.round(growthMb)}`);
if (result.longestWorkMs >= mostPauseMs) {
  throw new Error(`expected no pause of ${mostPauseMs} ms, got ${result.longestWorkMs}`);
}
