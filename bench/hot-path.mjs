/**
 * Compares the processor time of a request with that of another checkout: node bench/hot-path.mjs FOLDER [--rounds 400].
 * Requires `npm run build` in both. Both servers run in one process, and serve connections in memory in short rounds that
 * alternate, because the speed of a machine drifts by more than the difference. The kernel's work, as much again, is left
 * out. Two copies of one checkout differ by up to 1 %.
 */
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { join, resolve } from 'node:path';
import { Duplex } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './median.mjs';
import { ourScenario } from './peer-files.mjs';
import { requestsOf } from './works.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '400' } },
});
const [other] = positionals;
if (other === undefined) throw new Error('expected the folder of another checkout');
const rounds = Number(values.rounds);
const requestsInRound = 1_024;
const connections = 32;

/** Connection in memory, which has the methods of a socket that Node's HTTP server calls. */
class Connection extends Duplex {
  #received = '';
  onResponse = () => {};

  _read() {}

  _write(chunk, _encoding, callback) {
    this.#receive(chunk.toString('latin1'));
    callback();
  }

  _writev(chunks, callback) {
    this.#receive(chunks.map(({ chunk }) => chunk.toString('latin1')).join(''));
    callback();
  }

  #receive(text) {
    this.#received += text;
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.#received)?.[1]);
    if (this.#received.length < end + 4 + length) return;
    this.#received = '';
    this.onResponse();
  }
}
for (const name of ['setTimeout', 'setNoDelay', 'setKeepAlive', 'ref', 'unref'])
  Connection.prototype[name] = function () {
    return this;
  };

const servers = [];
const { createServer } = http;
http.createServer = (...args) => {
  const server = createServer(...args);
  servers.push(server);
  return server;
};
syncBuiltinESMExports();

/** Starts the server of a checkout, and connects to it. */
async function open(folder) {
  const load = (file) => import(pathToFileURL(join(folder, 'dist', file)).href);
  const [{ createSimulator }, { listen }] = [await load('index.js'), await load('node.js')];
  const before = servers.length;
  await listen(createSimulator({ scenario: JSON.parse(ourScenario()) }), { port: 0 });
  return Array.from({ length: connections }, () => {
    const connection = new Connection();
    servers[before].emit('connection', connection);
    return connection;
  });
}

const bytesOf = ({ method, path, headers, body = '' }) =>
  Buffer.from(
    `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}${body && `Content-Length: ${Buffer.byteLength(body)}\r\n`}\r\n${body}`,
  );

/** Sends the requests of a round over all connections, each the next one after a response. Returns its processor time. */
function microsecondsOf(side, requests) {
  const start = process.cpuUsage();
  let [sent, received] = [0, 0];
  return new Promise((resolve) => {
    for (const connection of side) {
      const send = () => sent < requestsInRound && connection.push(requests[sent++ % requests.length]);
      connection.onResponse = () => {
        if (++received < requestsInRound) return setImmediate(send);
        const { user, system } = process.cpuUsage(start);
        resolve((user + system) / requestsInRound);
      };
      send();
    }
  });
}

const sides = [await open(resolve(other)), await open(join(import.meta.dirname, '..'))];
for (const work of ['list', 'mixed', 'varied', 'create']) {
  const requests = requestsOf({}, work).map(bytesOf);
  for (let round = 0; round < 20; round++) for (const side of sides) await microsecondsOf(side, requests);
  const pairs = [];
  for (let round = 0; round < rounds; round++) {
    const us = [0, 0];
    for (const at of round % 2 ? [1, 0] : [0, 1]) us[at] = await microsecondsOf(sides[at], requests);
    pairs.push(us);
  }
  const [there, here] = [0, 1].map((at) => median(pairs.map((us) => us[at])).toFixed(2));
  const ratio = median(pairs.map(([before, after]) => after / before)).toFixed(3);
  console.log(`${work}: ${here} µs here, ${there} µs there, median ratio of neighbouring rounds ${ratio}`);
}
process.exit();
