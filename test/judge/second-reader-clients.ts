import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Scenario } from '../../src/scenario/scenario-schema.js';
import { clients, settingsOf } from '../clients/clients.js';
import { gauntletScenarios } from '../clients/gauntlet.js';
import { commandOf, debianVersion, prepare } from '../clients/languages.js';

const folder = fileURLToPath(new URL('foreign/', import.meta.url));
const goProgram = fileURLToPath(new URL('../../node_modules/.cache/petstore-sim/foreign-go', import.meta.url));

/** Debian packages of the foreign clients. */
const debian = [
  'aria2',
  'golang-github-go-resty-resty-dev',
  'golang-go',
  'python3-backoff',
  'python3-botocore',
  'python3-requests',
  'python3-tenacity',
  'ruby-excon',
];

/** Runners of `foreign/`, each with a pattern that finds its clients in the source. */
const runners = [
  { file: 'node.mjs', names: /^ {2}async (\w+)\(\) \{$/gm, program: [process.execPath, `${folder}node.mjs`] },
  { file: 'python.py', names: /^ {4}"(\w+)": /gm, program: ['/usr/bin/python3', '-B', `${folder}python.py`] },
  { file: 'ruby.rb', names: /'(\w+)' => \{/g, program: ['ruby', `${folder}ruby.rb`] },
  { file: 'shell.sh', names: /^ {2}(\w+)\) set/gm, program: ['bash', `${folder}shell.sh`] },
  { file: 'go.go', names: /\b(resty|restyAfter)\b(?=\||$)/gm, program: [goProgram] },
];

/** Clients outside docs/clients.md. */
export const foreignClients = runners.flatMap(({ file, names, program }) =>
  Array.from(readFileSync(folder + file, 'utf8').matchAll(names), ([, name = '']) => ({
    name: `${name} (foreign)`,
    command: [...program, name],
  })),
);

/** Clients of docs/clients.md, by default and set right. */
export const documentedClients = clients.flatMap((client) =>
  settingsOf(client).map((setting) => ({ name: `${client.id} ${setting}`, command: commandOf(client, setting) })),
);

/** Compiles and installs the clients. @throws {Error} naming the Debian packages that are missing */
export function prepareClients(): void {
  prepare(clients);
  const missing = debian.filter((name) => debianVersion(name) === '');
  if (missing.length > 0) throw new Error(`Failed to run the foreign clients: apt-get install ${missing.join(' ')}`);
  const options = { cwd: folder, stdio: 'inherit' } as const;
  execFileSync('npm', ['install', '--no-package-lock', '--omit=dev', '--silent'], options);
  const env = { ...process.env, GOPATH: '/usr/share/gocode', GO111MODULE: 'off', GOFLAGS: '' };
  execFileSync('go', ['build', '-o', goProgram, 'go.go'], { ...options, env });
}

/** Waits of the shipped scenarios that are too long for thousands of runs, shortened in proportion. */
const shortened: Record<string, Scenario> = {
  'abort-while-waiting': { windows: { minute: '8s' } },
  'backoff-only': { windows: { minute: '10s' } },
  'day-quota-gone': { windows: { minute: '2s', day: '10s' } },
  'jitter-below': { client: { key: 'free-key', calls: 6 } },
  'minute-mistaken-for-day': { windows: { minute: '8s' } },
  'retry-after-60-edge': { keys: { 'wait-60': { bannedFor: '10s' } } },
  'retry-after-clamped': { windows: { minute: '12s' } },
  'sit-out-the-ban': { keys: { 'free-key': { bannedFor: '8s' } } },
};

/** Scenarios that expect something of a client. */
export const scenarios = gauntletScenarios.map(({ name, scenario }) => ({ ...scenario, ...shortened[name], name }));
