/**
 * `npm run bench`: measures petstore-sim, other mock servers and the fastest possible server. Prints tables, and writes
 * bench/results.json and docs/performance.md with its picture. Results from a noisy machine are reported, but not
 * written.
 * `--only growth,bundle` measures these parts again and keeps the others; `--rounds 2` is faster and less precise;
 * `--tries 3` repeats a noisy part up to three times; `--out FOLDER` writes there instead, including noisy parts;
 * `--servers limit,ours` only prints.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { generator } from './load.mjs';
import { noiseOf, tooNoisy } from './noise.mjs';
import { parts } from './parts.mjs';
import { install, peers } from './peers.mjs';
import { performancePage, picture, tables } from './report.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(parts).join(',') },
    servers: { type: 'string' },
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '1' },
    times: { type: 'string', default: '12' },
    tries: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
});
const wanted = values.only.split(',');
const unknown = wanted.filter((part) => !(part in parts));
if (unknown.length > 0)
  throw new Error(`Failed to measure ${unknown}: expected --only to name some of ${Object.keys(parts)}`);
const say = (text) => console.error(text);
const startedMs = performance.now();

const names = values.servers?.split(',');
const withPeers = wanted.some((part) => ['peers', 'cold-start'].includes(part));
// Parts that need no installed package, because they measure the build.
const withOurs = wanted.some((part) => !['in-process', 'growth', 'verdict', 'bundle'].includes(part));
const isWanted = ({ name, group }) => names?.includes(name) ?? (group === 'peer' ? withPeers : withOurs);
/** Servers that cannot be installed, with reasons. */
const missing = {};
const installed = [];
for (const peer of peers.filter(isWanted)) {
  say(`installing ${peer.name}`);
  try {
    await install(peer);
    installed.push(peer);
  } catch (error) {
    if (peer.group !== 'peer') throw error;
    say(`left out: ${error.message}`);
    missing[peer.name] = error.message;
  }
}
const options = {
  peers: installed,
  missing,
  ours: peers.find(({ name }) => name === 'ours'),
  ...{ rounds: Number(values.rounds), seconds: Number(values.seconds), times: Number(values.times) },
  say,
};

const isKept = names === undefined;
const own = join(import.meta.dirname, 'results.json');
const file = values.out ? join(values.out, 'results.json') : own;
if (values.out) mkdirSync(values.out, { recursive: true });
const before = isKept && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { parts: {} };
const results = before;
const machine = `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}; Node ${process.version}; ${generator}`;

/**
 * Measures a part.
 * @returns the result and its conditions, or nothing if it cannot be measured here
 */
async function measure(part) {
  const load = loadavg()[0];
  const partMs = performance.now();
  say(`measuring ${part}`);
  const { found, yardstick, unit } = await parts[part](options);
  if (found === undefined) return undefined;
  const { rounds, seconds, times } = options;
  return {
    date: new Date().toISOString().slice(0, 10),
    machine,
    ...{ rounds, seconds, times, load },
    noise: yardstick && { unit, ...noiseOf(yardstick) },
    minutes: (performance.now() - partMs) / 60_000,
    found,
  };
}

const refusals = [];
for (const part of wanted) {
  let measured = await measure(part);
  for (let left = Number(values.tries) - 1; left > 0 && tooNoisy(part, measured?.noise); left--) {
    say(tooNoisy(part, measured.noise));
    measured = await measure(part);
  }
  if (measured === undefined) {
    say(`${part}: cannot be measured here`);
    continue;
  }
  const refusal = tooNoisy(part, measured.noise);
  if (refusal) refusals.push(refusal);
  if (refusal === undefined || values.out || !isKept) results.parts[part] = measured;
  // Writes the results after each part, so that a later failure loses nothing.
  if (isKept) writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
}
console.log(tables(results));
if (isKept) {
  const docs = values.out ?? join(import.meta.dirname, '../docs');
  writeFileSync(join(docs, 'performance.svg'), picture(results));
  writeFileSync(join(docs, 'performance.md'), performancePage(results));
  say(`written: ${file} and performance.md with its picture; npm run generate brings the README in step`);
}
say(`${((performance.now() - startedMs) / 60_000).toFixed(1)} minutes`);
for (const refusal of refusals) say(refusal);
if (refusals.length > 0) process.exitCode = 1;
