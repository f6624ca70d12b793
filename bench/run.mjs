/**
 * `npm run bench`: measures the limit, ours and the peers, prints tables, and writes bench/results.json and
 * docs/performance.md with its picture. `--only growth,bundle` measures these parts anew and keeps the others; with
 * `--servers limit,ours` it prints alone.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, imports } from './bundle.mjs';
import { measureColdStart } from './cold-start.mjs';
import { measureHttp } from './http.mjs';
import { generator } from './load.mjs';
import { median } from './median.mjs';
import { install, peers } from './peers.mjs';
import { performancePage, picture, tables } from './report.mjs';
import { measureSandboxes } from './sandboxes.mjs';
import { pin } from './server-process.mjs';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'http,cold-start,in-process,growth,bundle,sandboxes' },
    servers: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '4' },
    times: { type: 'string', default: '10' },
  },
});
const parts = values.only.split(',');
const names = values.servers?.split(',');
const chosen = peers.filter(({ name }) => names === undefined || names.includes(name));
const [rounds, seconds, times] = [values.rounds, values.seconds, values.times].map(Number);
const say = (text) => console.error(text);

/** Runs Node with a script of this folder on one core, several times, and gives what each run printed. */
const runs = (args, count) =>
  Array.from({ length: count }, () => {
    const [command, all] = pin(0, process.execPath, args);
    const stdio = ['ignore', 'pipe', 'inherit'];
    return JSON.parse(execFileSync(command, all, { cwd: import.meta.dirname, encoding: 'utf8', stdio }));
  });

const measures = {
  http: () => measureHttp(chosen, { rounds, seconds, say }),
  'cold-start': () =>
    measureColdStart(
      chosen.filter(({ name }) => name !== 'ours-no-limits' && name !== 'ours-no-journal'),
      { times, say },
    ),
  'in-process': () => {
    const samples = runs(['in-process.mjs'], rounds);
    return samples[0].map(({ name }, at) => ({ name, us: median(samples.map((rows) => rows[at].us)) }));
  },
  growth: () =>
    ['100', '10000', '100000', '1000000'].map((size) => middle(runs(['--expose-gc', 'growth.mjs', size], rounds))),
  async bundle() {
    const sizes = {};
    for (const [name, contents] of Object.entries(imports)) sizes[name] = (await bundle(contents)).gzipBytes;
    return sizes;
  },
  async sandboxes() {
    const ours = peers.find(({ name }) => name === 'ours');
    const [memory] = runs(['--expose-gc', 'sandbox-memory.mjs'], 1);
    return { ...memory, ...(await measureSandboxes(ours, { rounds, seconds })) };
  },
};

/** Of several runs with the same fields, the medians. */
const middle = (samples) =>
  Object.fromEntries(
    Object.entries(samples[0]).map(([name, first]) => [
      name,
      typeof first === 'object' ? middle(samples.map((each) => each[name])) : median(samples.map((each) => each[name])),
    ]),
  );

const missing = {};
for (const peer of [...chosen]) {
  say(`installing ${peer.name}`);
  try {
    await install(peer);
  } catch (error) {
    if (peer.group !== 'peer') throw error;
    say(`left out: ${error.message}`);
    missing[peer.name] = error.message;
    chosen.splice(chosen.indexOf(peer), 1);
  }
}
const file = join(import.meta.dirname, 'results.json');
const before = names === undefined && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const results = {
  ...before,
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}; Node ${process.version}; ${generator}`,
  rounds,
  seconds,
  times,
  missing: { ...before.missing, ...missing },
};
for (const part of parts) {
  say(`measuring ${part}`);
  results[part] = await measures[part]();
  // At once, so that nothing is lost if a later part fails.
  if (names === undefined) writeFileSync(file, `${JSON.stringify(results, null, 1)}\n`);
}
console.log(tables(results));
if (names === undefined && Object.keys(measures).every((part) => results[part] !== undefined)) {
  const docs = join(import.meta.dirname, '../docs');
  writeFileSync(join(docs, 'performance.svg'), picture(results));
  writeFileSync(join(docs, 'performance.md'), performancePage(results, peers));
  say('written: bench/results.json, docs/performance.md and its picture; npm run generate brings the README in step');
}
