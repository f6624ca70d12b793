/**
 * Measures replicas over Redis relative to one process in memory: node bench/replicas.mjs [--rounds 5] [--seconds 4]. Requires
 * `npm run build`, redis-server and wrk. Writes bench/replicas.json; npm run generate updates docs/many-replicas.md. Not part
 * of npm run bench. With `--dry` it writes nothing.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { load } from './load.mjs';
import { median } from './median.mjs';
import { ourScenario } from './peer-files.mjs';
import { replicasTable } from './replicas-report.mjs';
import { pin, usageOf } from './server-process.mjs';
import { requestsOf } from './works.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    dry: { type: 'boolean', default: false },
  },
});
const [rounds, seconds] = [values.rounds, values.seconds].map(Number);
const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-replicas-'));
const scenario = join(folder, 'scenario.json');
writeFileSync(scenario, ourScenario());
const cli = join(import.meta.dirname, '../dist/cli/main.cjs');
const storePort = 4640;

const [list] = requestsOf({}, 'list');
const [create] = requestsOf({}, 'create');
/** Requests to 100 sandboxes, a tenth of their maximum number. */
const boxes = Array.from({ length: 100 }, (_, at) => ({ ...list, path: `/s/box-${at}${list.path}` }));
const works = { list: [list], create: [create], sandboxes: boxes };

/**
 * Number of replicas of each measurement, and numbers of those under load. The first replica is the active one. Servers
 * share processor core 0, so only their processor times are comparable, not their requests per second.
 */
const setups = {
  memory: { replicas: 0, loaded: [0] },
  active: { replicas: 1, loaded: [0] },
  standby: { replicas: 2, loaded: [1] },
  both: { replicas: 2, loaded: [0, 1] },
};

const statusOf = (url, headers) =>
  new Promise((resolve) => {
    get(url, { headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', () => resolve(undefined));
  });

async function until(what, isSo) {
  const endMs = performance.now() + 60_000;
  while (!(await isSo())) {
    if (performance.now() > endMs) throw new Error(`expected ${what} within a minute`);
    await pause(10);
  }
}

function launch(core, command, args) {
  const [pinned, all] = pin(core, command, args);
  const child = spawn(pinned, all, { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  return {
    pid: child.pid,
    async stop() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function startStore(name) {
  const dir = join(folder, name);
  execFileSync('mkdir', ['-p', dir]);
  const settings = ['--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--save', '', '--dir', dir];
  const store = launch(1, 'redis-server', ['--port', `${storePort}`, '--bind', '127.0.0.1', ...settings]);
  await until('the store to answer', () => {
    try {
      return execFileSync('redis-cli', ['-p', `${storePort}`, 'PING'], { encoding: 'utf8', stdio: 'pipe' }).startsWith(
        'PONG',
      );
    } catch {
      return false;
    }
  });
  return {
    ...store,
    async stop() {
      await store.stop();
      rmSync(dir, { recursive: true });
    },
  };
}

async function startServer(port, args) {
  const serve = [cli, 'serve', '--port', `${port}`, '--log', 'silent', '--scenario', scenario, ...args];
  const server = launch(0, process.execPath, serve);
  const url = `http://127.0.0.1:${port}`;
  await until(`${url} to answer`, async () => (await statusOf(url + list.path, list.headers)) === 200);
  return { ...server, url };
}

/**
 * Measures one kind of load with new processes: requests per second, and the processor time of each process per
 * request, in microseconds.
 */
async function measure(name, { replicas, loaded }, work) {
  const store = replicas === 0 ? undefined : await startStore(name.replaceAll(' ', '-'));
  const servers = [];
  try {
    const args = store ? ['--data', `redis://127.0.0.1:${storePort}/0?name=bench`] : [];
    for (let at = 0; at < Math.max(1, replicas); at++) servers.push(await startServer(4641 + at, args));
    const busy = loaded.map((at) => servers[at]);
    const run = (connections, forSeconds) =>
      Promise.all(
        busy.map(({ url }) =>
          load(url, works[work], { seconds: forSeconds, connections: connections / loaded.length }),
        ),
      );
    // Warms up the processes first, because V8 has not compiled their code yet.
    await run(32, 5);
    const processes = [...servers, ...(store ? [store] : [])];
    const before = processes.map(({ pid }) => usageOf(pid).cpuMs);
    const samples = await run(32, seconds);
    const requests = samples.reduce((sum, each) => sum + each.requests, 0);
    // Waits, so that the result includes the time to write and apply the last entries.
    await pause(500);
    const us = processes.map(({ pid }, at) => ((usageOf(pid).cpuMs - before[at]) * 1000) / requests);
    const other = samples.reduce((sum, each) => sum + each.other, 0);
    if (other > 0) throw new Error(`${name}, ${work}: expected every request to be served, got ${other} others`);
    const [alone] = loaded.length === 1 ? await run(1, Math.ceil(seconds / 2)) : [];
    return {
      perSecond: samples.reduce((sum, each) => sum + each.perSecond, 0),
      p50Ms: median(samples.map(({ p50Ms }) => p50Ms)),
      aloneP50Ms: alone?.p50Ms,
      serverUs: us[0],
      standbyUs: replicas === 2 ? us[1] : undefined,
      storeUs: store && us.at(-1),
    };
  } finally {
    for (const server of servers) await server.stop();
    await store?.stop();
  }
}

const samples = {};
const loadBefore = loadavg()[0];
try {
  for (let round = 1; round <= rounds; round++) {
    for (const work of Object.keys(works)) {
      for (const [name, setup] of Object.entries(setups)) {
        const sample = await measure(name, setup, work);
        samples[work] ??= {};
        samples[work][name] ??= [];
        samples[work][name].push(sample);
        console.error(`round ${round}: ${work}, ${name}: ${Math.round(sample.perSecond)} requests a second`);
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const medians = (of) =>
  Object.fromEntries(Object.keys(of[0]).map((field) => [field, median(of.map((sample) => sample[field]))]));
const results = {
  date: new Date().toISOString().slice(0, 10),
  machine: `${cpus().length} cores, ${cpus()[0]?.model ?? 'unknown'}; Node ${process.version}`,
  store: execFileSync('redis-server', ['--version'], { encoding: 'utf8' }).match(/v=([\d.]+)/)[1],
  loadBefore,
  rounds,
  seconds,
  works: Object.fromEntries(
    Object.entries(samples).map(([work, bySetup]) => [
      work,
      Object.fromEntries(Object.entries(bySetup).map(([name, of]) => [name, medians(of)])),
    ]),
  ),
};
console.log(replicasTable(results));
if (!values.dry) {
  writeFileSync(join(import.meta.dirname, 'replicas.json'), `${JSON.stringify(results, null, 1)}\n`);
  console.error('written: bench/replicas.json; npm run generate brings docs/many-replicas.md in step');
}
