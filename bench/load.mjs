import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { folderOf, install } from './install-peer.mjs';
import { isThere, pin } from './server-process.mjs';

const usualConnections = 32;

/** Program that generates load: wrk, or autocannon if wrk is missing. */
export const generator = isThere('wrk') ? 'wrk' : 'autocannon';

/**
 * @typedef {object} Load a running load generator
 * @property {import('node:child_process').ChildProcess} child
 * @property {Promise<{ requests: number, perSecond: number, p50Ms: number, p99Ms: number, other: number }>} result resolves at
 * the end; `other`: number of responses below 200 or from 400 on
 */

/**
 * Starts to send requests for a time. Each connection sends its next request after the previous response.
 * @param {string} url URL of the server
 * @param {import('./works.mjs').WorkRequest[]} requests requests, sent in rotation
 * @param {{ seconds: number, core?: number, connections?: number }} options `connections`: default 32
 * @returns {Promise<Load>}
 */
export function startLoad(url, requests, { seconds, core = 1, connections = usualConnections }) {
  const options = { seconds, core, connections };
  return generator === 'wrk' ? startWrk(url, requests, options) : startAutocannon(url, requests, options);
}

/** Sends requests like `startLoad`, and waits for the result. */
export const load = async (...args) => (await startLoad(...args)).result;

/** Starts a load generator on a processor core. Parses its output at the end. */
function startGenerator(core, command, args, read) {
  const [pinned, pinnedArgs] = pin(core, command, args);
  const child = spawn(pinned, pinnedArgs, { stdio: ['ignore', 'pipe', 'inherit'] });
  return { child, result: text(child.stdout).then(read) };
}

async function startWrk(url, requests, { seconds, core, connections }) {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-bench-'));
  const script = join(folder, 'requests.lua');
  writeFileSync(script, luaOf(requests));
  return startGenerator(core, 'wrk', ['-t1', `-c${connections}`, `-d${seconds}s`, '-s', script, url], (output) => {
    rmSync(folder, { recursive: true });
    const found = /RESULT (\d+) (\d+) (\d+) (\d+) (\d+)/.exec(output);
    if (found === null) throw new Error(`expected a result of wrk, got ${JSON.stringify(output)}`);
    const [, count, us, p50, p99, other] = found.map(Number);
    return { requests: count, perSecond: (count / us) * 1e6, p50Ms: p50 / 1000, p99Ms: p99 / 1000, other };
  });
}

/**
 * Creates the Lua script that makes wrk send several kinds of requests. Serializes them in advance, so that sending
 * takes little time.
 */
function luaOf(requests) {
  const headers = (of) =>
    `{${Object.entries(of)
      .map(([name, value]) => `[${JSON.stringify(name)}]=${JSON.stringify(value)}`)
      .join(',')}}`;
  const luaText = (text) => (text === undefined ? 'nil' : JSON.stringify(text));
  const [{ method, path, headers: fields, body }] = requests;
  const send =
    requests.length === 1
      ? `wrk.method=${luaText(method)} wrk.path=${luaText(path)} wrk.headers=${headers(fields)} wrk.body=${luaText(body)}`
      : `local turns, at = {}, 0
init = function()
${requests.map((each) => `  turns[#turns + 1] = wrk.format(${luaText(each.method)}, ${luaText(each.path)}, ${headers(each.headers)}, ${luaText(each.body)})`).join('\n')}
end
request = function()
  at = at % #turns + 1
  return turns[at]
end`;
  return `${send}
done = function(summary, latency)
  io.write(string.format("RESULT %d %d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), summary.errors.status))
end
`;
}

const autocannonPackage = { name: 'autocannon', packages: { autocannon: '9.0.0' } };

async function startAutocannon(url, requests, { seconds, core, connections }) {
  await install(autocannonPackage);
  const turns = requests.map(({ method, path, headers, body }) => ({ method, path, headers, body }));
  const options = { url, connections, duration: seconds, requests: turns };
  // The file is in the package's folder, so that Node finds autocannon.
  const file = join(folderOf(autocannonPackage), `load-${new URL(url).port}.mjs`);
  writeFileSync(
    file,
    `import autocannon from 'autocannon';\nconsole.log(JSON.stringify(await autocannon(${JSON.stringify(options)})));\n`,
  );
  return startGenerator(core, process.execPath, [file], (output) => {
    const { requests: sent, latency, duration, non2xx } = JSON.parse(output);
    return {
      requests: sent.total,
      perSecond: sent.total / duration,
      p50Ms: latency.p50,
      p99Ms: latency.p99,
      other: non2xx,
    };
  });
}
