import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { resolveForClient, runClient } from '../../src/cli/client-run.js';
import { readScenario } from '../../src/node/scenario-files/scenario-files.js';

const folder = fileURLToPath(new URL('../../examples/clients/', import.meta.url));

interface Driver {
  file: string;
  command: readonly string[];
  /** Ends with 0 where the machine has what the driver needs. */
  probe: readonly string[];
  debian: string;
}

/** Debian's own Python: it is the one whose packages apt-get installs. */
const python = '/usr/bin/python3';
const drivers: Driver[] = [
  { file: 'node-fetch.mjs', command: [process.execPath], probe: [process.execPath, '--version'], debian: 'nodejs' },
  { file: 'node-axios.mjs', command: [process.execPath], probe: [process.execPath, '--version'], debian: 'nodejs' },
  { file: 'right-client.mjs', command: [process.execPath], probe: [process.execPath, '--version'], debian: 'nodejs' },
  {
    file: 'python-requests.py',
    command: [python],
    probe: [python, '-c', 'import requests'],
    debian: 'python3-requests',
  },
  { file: 'python-httpx.py', command: [python], probe: [python, '-c', 'import httpx'], debian: 'python3-httpx' },
  { file: 'shell-curl.sh', command: ['sh'], probe: ['curl', '--version'], debian: 'curl' },
  { file: 'client.go', command: ['go', 'run'], probe: ['go', 'version'], debian: 'golang-go' },
  {
    file: 'Client.java',
    // Without the second compiler, which such a short run pays for and never uses.
    command: ['java', '-XX:TieredStopAtLevel=1'],
    probe: ['java', '--version'],
    debian: 'default-jdk-headless',
  },
  { file: 'ruby-faraday.rb', command: ['ruby'], probe: ['ruby', '-e', "require 'faraday'"], debian: 'ruby-faraday' },
  {
    file: 'php-guzzle.php',
    command: ['php'],
    probe: ['php', '-r', "require 'GuzzleHttp/autoload.php';"],
    debian: 'php-cli php-guzzlehttp-guzzle',
  },
];

/** Go's format takes more lines, and this client copes with headers that lie. */
const longer: Record<string, number> = { 'client.go': 53, 'right-client.mjs': 61 };

const isThere = ([file = '', ...args]: readonly string[]) => spawnSync(file, args).status === 0;

describe.concurrent.each(drivers)('examples/clients/$file', ({ file, command, probe, debian }) => {
  const isMissing = !isThere(probe);

  test('is on the list of its README, and short enough to copy', () => {
    expect(readFileSync(`${folder}README.md`, 'utf8')).toContain(`| \`${file}\` |`);
    const lines = readFileSync(folder + file, 'utf8')
      .trimEnd()
      .split('\n').length;
    expect(lines).toBeLessThanOrEqual(longer[file] ?? 30);
  });

  test('can be run here, at least where CI is true', () => {
    if (isMissing) console.warn(`examples/clients/${file} is not tested: apt-get install ${debian}`);
    expect(isMissing && process.env.CI === 'true', `apt-get install ${debian}`).toBe(false);
  });

  test.skipIf(isMissing).each(['post-429', 'missing'])(
    'passes %s',
    async (name) => {
      const scenario = await resolveForClient({ ...(await readScenario(name)), windows: { minute: '2s' } });
      const run = await runClient([...command, `${folder}${file}`], scenario, { output: 'keep', timeoutMs: 90_000 });
      expect(run.verdict, run.output).toMatchObject({
        outcome: 'pass',
        counts: { requests: 2, refused: 1, served: 1 },
      });
      expect(run.code, run.output).toBe(0);
    },
    120_000,
  );

  test.skipIf(isMissing)(
    'makes as many calls as it is asked to, and fails loudly where the service refuses for good',
    async () => {
      const thrice = await resolveForClient({ client: { calls: 3 } });
      const calls = await runClient([...command, `${folder}${file}`], thrice, { output: 'keep' });
      expect([calls.verdict.counts.served, calls.code], calls.output).toEqual([3, 0]);
      const revoked = await resolveForClient({ keys: { 'old-key': { state: 'revoked' } } });
      const refused = await runClient([...command, `${folder}${file}`], revoked, { output: 'keep' });
      expect(refused.entries.map(({ status, token }) => [status, token])).toEqual([[401, 'old-key']]);
      expect(refused.code).not.toBe(0);
    },
    120_000,
  );
});
