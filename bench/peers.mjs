/**
 * Servers of the benchmark: the fastest possible one (`limit`), petstore-sim (`ours`), and other mock servers at fixed
 * versions.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  jsonServerDatabase,
  jsonServerMiddleware,
  mockoonEnvironment,
  mockserverExpectations,
  mountebankImposters,
  openapi,
  ourScenario,
  stubbyStubs,
  stubsFile,
  wiremockMappings,
} from './peer-files.mjs';
import { usualPath } from './works.mjs';

export { check } from './check-peer.mjs';
export { footprint, install, prepare } from './install-peer.mjs';

/**
 * @typedef {object} Launch
 * @property {string} command
 * @property {string[]} args
 * @property {Record<string, string>} [env] additional environment variables
 */

/**
 * @typedef {object} Peer
 * @property {string} name name of the server and of its folder in bench/peers
 * @property {'limit' | 'ours' | 'peer'} group hand-written server, petstore-sim, or other mock server
 * @property {Record<string, string>} packages packages to install, with exact versions
 * @property {boolean} [packed] whether to install this repository too, from `npm pack`
 * @property {string} [node] exact version of Node; default: the running one
 * @property {boolean} [java] whether the server requires Java 17
 * @property {boolean} [piped] whether standard output is a pipe with a reader; otherwise it is discarded
 * @property {readonly ('list' | 'mixed' | 'varied' | 'create')[]} works supported kinds of load
 * @property {(target: import('./works.mjs').Target) => string} [pathOf] paths, if they differ from the service's
 * @property {boolean} rateHeaders whether the peer sends X-RateLimit headers
 * @property {(body: any) => unknown} [petsOf] extracts the list from the response body, if the body is not the list
 * @property {(options: { port: number }) => Record<string, string>} files input files, rewritten before each start
 * @property {(options: { port: number, node: string, plain: boolean }) => Launch} command start command, run in the
 * server's folder
 * @property {string} differs difference between the work of this server and that of petstore-sim
 */

const nodeForEngines = '24.21.0';
/** Port of Redis, for petstore-sim with its log in Redis. */
export const storePort = 4790;
const production = { NODE_ENV: 'production' };
const everything = /** @type {const} */ (['list', 'mixed', 'create']);
/** Loads of petstore-sim and of the servers that show what its speed means. */
const allLoads = /** @type {const} */ (['list', 'mixed', 'varied', 'create']);

const server = (name) => readFileSync(join(import.meta.dirname, 'servers', name), 'utf8');
const withService = (name) => () => ({
  [name]: server(name),
  'pets-service.mjs': server('pets-service.mjs'),
  'pets-data.mjs': server('pets-data.mjs'),
});
const script =
  (path, ...args) =>
  ({ node, port }) => ({
    command: node,
    args: [path, ...args.map((arg) => arg.replace('PORT', port))],
    env: production,
  });

const ours = {
  group: 'ours',
  packages: {},
  packed: true,
  works: allLoads,
  rateHeaders: true,
  files: () => ({ 'scenario.json': ourScenario() }),
};
/** Path of the installed command line, relative to the folder of the installation. */
export const cliFile = 'node_modules/petstore-sim/dist/cli/main.cjs';
const cli =
  (...options) =>
  ({ plain, ...launch }) =>
    script(
      ...[cliFile, 'serve', '--port', 'PORT', ...options],
      ...(plain ? [] : ['--scenario', 'scenario.json']),
    )(launch);
const silent = ['--log', 'silent'];

/** @type {readonly Peer[]} */
export const peers = [
  {
    name: 'limit',
    group: 'limit',
    packages: {},
    works: allLoads,
    rateHeaders: true,
    files: () => ({ 'limit.mjs': server('limit.mjs'), 'stubs.json': stubsFile() }),
    command: script('limit.mjs', 'PORT'),
    differs:
      'Sends constant bytes and headers for each URL; looks at nothing else but the method and, for the refusals, the raw headers.',
  },
  {
    name: 'real-work',
    group: 'limit',
    packages: {},
    works: allLoads,
    rateHeaders: true,
    files: withService('real-work.mjs'),
    command: script('real-work.mjs', 'PORT'),
    differs:
      'The same work, handwritten on node:http: keys, two counters, pets by id and by status, JSON. No bans, faults, journal, clock.',
  },
  {
    ...ours,
    name: 'ours',
    command: cli(...silent),
    differs: 'Keys, limits counted in both windows, bans, journal; `--log silent`.',
  },
  {
    ...ours,
    name: 'ours-data',
    works: everything,
    command: cli(...silent, '--data', 'data', '--data-reset'),
    differs: 'Ours with --data: each request is written to a file before its response.',
  },
  {
    ...ours,
    name: 'ours-fsync',
    works: everything,
    command: cli(...silent, '--data', 'data-fsync', '--data-reset', '--fsync'),
    differs: 'Ours with --data and --fsync: each request is on the disk before its response.',
  },
  {
    ...ours,
    name: 'ours-record',
    works: everything,
    // --record takes an empty file, which each start writes anew.
    files: () => ({ ...ours.files(), 'run.jsonl': '' }),
    command: cli(...silent, '--record', 'run.jsonl'),
    differs: 'Ours with --record: each request is written to a recording before its response.',
  },
  {
    ...ours,
    name: 'ours-pretty',
    works: ['mixed'],
    piped: true,
    command: cli(),
    differs: 'Ours with its default log, to a pipe with a reader.',
  },
  {
    ...ours,
    name: 'ours-redis',
    packages: { ioredis: '6.0.0' },
    works: ['list', 'create'],
    command: cli(...silent, '--data', `redis://127.0.0.1:${storePort}/0?name=bench`),
    differs: 'Ours with --data redis://, one replica; Redis has appendonly on, and shares the core of the load.',
  },
  {
    ...ours,
    name: 'ours-no-journal',
    works: ['mixed', 'create'],
    files: () => ({ ...ours.files(), 'no-journal.mjs': server('no-journal.mjs') }),
    command: script('no-journal.mjs', 'PORT'),
    differs: 'Ours with an empty journal, to measure the cost of the journal.',
  },
  {
    name: 'express',
    group: 'peer',
    packages: { express: '5.3.0' },
    works: everything,
    rateHeaders: true,
    files: withService('express.mjs'),
    command: script('express.mjs', 'PORT'),
    differs: 'The work of real-work.mjs in Express, with NODE_ENV=production and without ETag and X-Powered-By.',
  },
  {
    name: 'express-msw',
    group: 'peer',
    packages: { express: '5.3.0', '@mswjs/http-middleware': '0.10.3', msw: '2.15.0' },
    works: everything,
    rateHeaders: true,
    files: withService('express-msw.mjs'),
    command: script('express-msw.mjs', 'PORT'),
    differs: 'The work of real-work.mjs in three msw handlers behind Express, with NODE_ENV=production.',
  },
  {
    name: 'json-server-0.17',
    group: 'peer',
    packages: { 'json-server': '0.17.4' },
    works: everything,
    pathOf: (target) => usualPath(target).replace('/v1', '').replace('limit=', '_limit='),
    rateHeaders: true,
    files: () => ({ 'db.json': jsonServerDatabase(), 'rate-headers.cjs': jsonServerMiddleware() }),
    command: script(
      'node_modules/json-server/lib/cli/bin.js',
      ...['db.json', '--port', 'PORT', '--host', '127.0.0.1', '--quiet', '--no-cors', '--no-gzip'],
      ...['--middlewares', 'rate-headers.cjs'],
    ),
    differs:
      'No keys and no counters: a middleware of ours sends constant headers and 429 for one key. Indented JSON. Waits 1 ms ' +
      'per request (its router always does), and writes db.json on each POST.',
  },
  {
    name: 'json-server-1',
    group: 'peer',
    packages: { 'json-server': '1.0.0-beta.15' },
    node: nodeForEngines,
    works: ['list', 'create'],
    pathOf: (target) => usualPath(target).replace('/v1', '').replace('limit=', '_page=1&_per_page='),
    rateHeaders: false,
    petsOf: (body) => body?.data,
    // With NODE_ENV=production, json-server reads its static folder once instead of at each request, and exits if it is
    // missing.
    files: () => ({ 'db.json': jsonServerDatabase(), 'public/empty.txt': '' }),
    command: script('node_modules/json-server/lib/bin.js', 'db.json', '--port', 'PORT', '--host', '127.0.0.1'),
    differs:
      'No keys, no headers of ours, no refusals, so no mixed load. Indented JSON, the list inside a page object. Writes db.json on ' +
      'each POST.',
  },
  {
    name: 'mockoon',
    group: 'peer',
    packages: { '@mockoon/cli': '9.9.0' },
    works: everything,
    pathOf: (target) => usualPath(target).replace('status=', 'status_eq='),
    rateHeaders: true,
    files: ({ port }) => ({ 'environment.json': mockoonEnvironment({ port }) }),
    command: script(
      'node_modules/@mockoon/cli/bin/run.js',
      ...['start', '--data', 'environment.json', '--port', 'PORT', '--hostname', '127.0.0.1'],
      ...['--disable-log-to-file', '--disable-admin-api'],
    ),
    differs:
      'CRUD over a data bucket: no keys and no counters, constant headers, a rule answers one key with 429. Logs each ' +
      'request to stdout, which nothing turns off.',
  },
  {
    name: 'prism',
    packages: { '@stoplight/prism-cli': '5.16.0' },
    node: nodeForEngines,
    group: 'peer',
    works: ['list', 'create'],
    rateHeaders: true,
    files: () => ({ 'openapi.json': openapi() }),
    command: script(
      'node_modules/@stoplight/prism-cli/dist/index.js',
      ...['mock', 'openapi.json', '--port', 'PORT', '--host', '127.0.0.1', '--cors', 'false', '-v', 'silent'],
      // Turns off several processes: NODE_ENV=production enables them, and version 5.16 then exits at once on Node 24.
      ...['--multiprocess', 'false'],
    ),
    differs:
      'Checks the request against the OpenAPI document and sends its example; keeps nothing. Wants a key but knows none, so ' +
      'no mixed load (a request can only ask for a 429 itself, by the header Prefer). -v silent, since it logs each request ' +
      'otherwise.',
  },
  {
    name: 'wiremock',
    group: 'peer',
    packages: { wiremock: '3.13.2' },
    java: true,
    works: everything,
    rateHeaders: true,
    files: () => ({ 'mappings/pets.json': wiremockMappings() }),
    command: ({ port }) => ({
      command: 'java',
      args: [
        ...['-jar', 'node_modules/wiremock/build/wiremock-standalone-3.13.2.jar'],
        ...['--port', String(port), '--bind-address', '127.0.0.1', '--root-dir', '.', '--disable-banner'],
        ...['--no-request-journal', '--disable-request-logging', '--disable-gzip', '--use-chunked-encoding', 'never'],
      ],
    }),
    differs:
      'One stub with a constant body for each request of the loads; no counters, nothing stored. Tuned: --no-request-journal ' +
      '--disable-request-logging --disable-gzip --use-chunked-encoding never.',
  },
  {
    name: 'mockserver',
    group: 'peer',
    packages: { 'mockserver-node': '8.0.0' },
    java: true,
    works: everything,
    rateHeaders: true,
    files: () => ({ 'expectations.json': mockserverExpectations() }),
    command: ({ port }) => ({
      command: 'java',
      args: [
        ...[
          '-Dmockserver.disableLogging=true',
          '-Dmockserver.disableSystemOut=true',
          '-Dmockserver.localBoundIP=127.0.0.1',
        ],
        ...['-jar', 'node_modules/mockserver-node/mockserver-netty-8.0.0-jar-with-dependencies.jar'],
        ...['run', '--port', String(port), '--init', 'expectations.json', '--log-level', 'OFF'],
      ],
    }),
    differs:
      'One stub with a constant body for each request of the loads; no counters, nothing stored. Tuned: disableLogging and ' +
      'log level OFF, which also turns its record of requests off.',
  },
  {
    name: 'mountebank',
    group: 'peer',
    packages: { mountebank: '2.9.1' },
    works: everything,
    rateHeaders: true,
    files: ({ port }) => ({ 'imposters.json': mountebankImposters({ port }) }),
    command: ({ node, port }) => ({
      command: node,
      args: [
        ...['node_modules/mountebank/bin/mb', 'start', '--configfile', 'imposters.json', '--noParse', '--localOnly'],
        // Control port of mountebank.
        ...['--port', String(port + 1), '--nologfile', '--loglevel', 'error', '--pidfile', 'mb.pid'],
      ],
      env: production,
    }),
    differs:
      'One stub with a constant body for each request of the loads; no counters, nothing stored. No record of requests, log level ' +
      'error. Takes the next port, too.',
  },
  {
    name: 'stubby',
    group: 'peer',
    packages: { stubby: '5.1.1' },
    works: everything,
    rateHeaders: true,
    files: () => ({ 'stubs.json': stubbyStubs() }),
    command: ({ node, port }) => ({
      command: node,
      args: [
        ...['node_modules/stubby/bin/stubby', '--data', 'stubs.json', '--location', '127.0.0.1', '--quiet'],
        ...['--stubs', String(port), '--admin', String(port + 1), '--tls', String(port + 2)],
      ],
      env: production,
    }),
    differs:
      'One stub with a constant body for each request of the loads; no counters, nothing stored. Takes the next two ports, too.',
  },
];
