/** Parts of `npm run bench`, by the names that `--only` accepts. */
import { execFileSync } from 'node:child_process';
import { bundle, imports } from './bundle.mjs';
import { measureBusy } from './busy.mjs';
import { measureColdStart } from './cold-start.mjs';
import { measureExecStart } from './exec-start.mjs';
import { measureHttp, measurePeers } from './http.mjs';
import { median } from './median.mjs';
import { footprint } from './peers.mjs';
import { ratioOf } from './ratio.mjs';
import { measureReplica } from './replica.mjs';
import { measureSandboxes } from './sandboxes.mjs';
import { pin, usageOf } from './server-process.mjs';
import { measureWaits } from './waits.mjs';
import { measureWatched } from './watched.mjs';
import { yardstickMs } from './yardstick.mjs';

/**
 * @typedef {object} Options
 * @property {import('./peers.mjs').Peer[]} peers installed servers
 * @property {Record<string, string>} missing servers that cannot be installed, with reasons
 * @property {import('./peers.mjs').Peer} ours petstore-sim, one of `peers`
 * @property {number} rounds number of measurements
 * @property {number} seconds duration of one load on a server
 * @property {number} times number of starts of a process
 * @property {(text: string) => void} say
 */

/**
 * @typedef {object} Measured
 * @property {any} found results for bench/report.mjs and bench/figures.mjs; `undefined` if not measurable here
 * @property {number[]} [yardstick] measurements of the machine's speed during the part; absent for a part without times
 * @property {string} [unit] unit of the speed
 */

/**
 * Runs a script of this folder with Node on one processor core.
 * @returns its output, parsed as JSON
 */
function run(...args) {
  const [command, all] = pin(0, process.execPath, args);
  const stdio = ['ignore', 'pipe', 'inherit'];
  return JSON.parse(execFileSync(command, all, { cwd: import.meta.dirname, encoding: 'utf8', stdio }));
}

/**
 * Runs several scripts in rotation. Before each, measures the machine's speed.
 * @returns the outputs of each
 */
function runInTurn(scripts, { rounds, say }) {
  const yardstick = [];
  const outputs = scripts.map(() => []);
  for (let round = 1; round <= rounds; round++) {
    for (const [at, script] of scripts.entries()) {
      yardstick.push(...yardstickMs());
      outputs[at].push(run(...script));
      say(`${script.join(' ')}: ${round} of ${rounds}`);
    }
  }
  return { outputs, yardstick, unit: 'ms' };
}

/** Returns the medians of several outputs with the same fields. */
const middle = (samples) =>
  Object.fromEntries(
    Object.entries(samples[0]).map(([name, first]) => [
      name,
      typeof first === 'object' ? middle(samples.map((each) => each[name])) : median(samples.map((each) => each[name])),
    ]),
  );

/** Skips a measurement that needs processor times, on systems that do not provide them. */
const ifTimed = (measure) => (usageOf(process.pid) ? measure() : { found: undefined });

const sizes = ['100', '10000', '100000', '1000000'];

/** @type {Record<string, (options: Options) => Measured | Promise<Measured>>} */
export const parts = {
  http: ({ peers, ...options }) => measureHttp(peers, options),

  peers: ({ peers, ...options }) => ifTimed(() => measurePeers(peers, options)),

  busy: ({ peers, ...options }) => ifTimed(() => measureBusy(peers, options)),

  watched: ({ ours, ...options }) => ifTimed(() => measureWatched(ours, options)),

  replica: ({ peers, ...options }) => measureReplica(peers, options),

  'cold-start': ({ peers, ...options }) => measureColdStart(peers, options),

  'exec-start': ({ ours, ...options }) => measureExecStart(ours, options),

  waits: ({ ours, ...options }) => measureWaits(ours, options),

  'in-process'(options) {
    const { outputs, ...yardstick } = runInTurn([['in-process.mjs']], options);
    const [samples] = outputs;
    return {
      found: samples[0].map(({ name }, at) => ({ name, us: median(samples.map((rows) => rows[at].us)) })),
      ...yardstick,
    };
  },

  growth(options) {
    const scripts = sizes.map((size) => ['--expose-gc', 'growth.mjs', size]);
    const { outputs, ...yardstick } = runInTurn(scripts, options);
    const large = outputs.at(-1);
    const beside = (work) => ratioOf(outputs[0].map((small, round) => large[round].us[work] / small.us[work]));
    const growth = { list: beside('list'), lookUp: beside('look-up') };
    return { found: { rows: outputs.map(middle), ...growth }, ...yardstick };
  },

  verdict(options) {
    const { outputs, ...yardstick } = runInTurn([['judge.mjs']], options);
    const [samples] = outputs;
    return {
      found: Object.keys(samples[0]).map((kind) => ({ kind, ...middle(samples.map((each) => each[kind])) })),
      ...yardstick,
    };
  },

  async sandboxes({ ours, ...options }) {
    const memory = run('--expose-gc', 'sandbox-memory.mjs');
    const { found, ...rest } = await measureSandboxes(ours, options);
    return { found: { ...memory, ...found }, ...rest };
  },

  async bundle() {
    const found = {};
    for (const [name, contents] of Object.entries(imports)) found[name] = (await bundle(contents)).gzipBytes;
    return { found };
  },

  install: async ({ ours }) => ({ found: await footprint(ours) }),
};
