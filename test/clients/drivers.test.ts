import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { resolveForClient, runClient } from '../../src/cli/client-run.js';
import { readScenario } from '../../src/scenario-files/scenario-files.js';
import { python } from '../support/programs.js';

const folder = fileURLToPath(new URL('../../examples/clients/', import.meta.url));

interface Driver {
  file: string;
  command: readonly string[];
  /** Further programs that the driver needs, as tags of its tests. */
  tags?: string[];
}

const drivers: Driver[] = [
  { file: 'node-fetch.mjs', command: [process.execPath] },
  { file: 'node-axios.mjs', command: [process.execPath] },
  { file: 'right-client.mjs', command: [process.execPath] },
  { file: 'python-requests.py', command: [python], tags: ['needs/python-requests'] },
  { file: 'python-httpx.py', command: [python], tags: ['needs/python-httpx'] },
  { file: 'shell-curl.sh', command: ['sh'], tags: ['needs/curl'] },
  { file: 'client.go', command: ['go', 'run'], tags: ['needs/go'] },
  // Without the second compiler, which such a short run pays for and never uses.
  { file: 'Client.java', command: ['java', '-XX:TieredStopAtLevel=1'], tags: ['needs/java'] },
  { file: 'ruby-faraday.rb', command: ['ruby'], tags: ['needs/ruby-faraday'] },
  { file: 'php-guzzle.php', command: ['php'], tags: ['needs/php-guzzle'] },
];

/** Go's format takes more lines, and this client copes with headers that lie. */
const longer: Record<string, number> = { 'client.go': 53, 'right-client.mjs': 61 };

describe.concurrent.each(drivers)('examples/clients/$file', ({ file, command, tags = [] }) => {
  test('is listed in its README, and short enough to copy', () => {
    expect(readFileSync(`${folder}README.md`, 'utf8')).toContain(`| \`${file}\` |`);
    const lines = readFileSync(folder + file, 'utf8')
      .trimEnd()
      .split('\n').length;
    expect(lines).toBeLessThanOrEqual(longer[file] ?? 30);
  });

  for (const [name, more] of [
    ['post-429', []],
    ['missing', ['extended']],
  ] as const) {
    test(`passes ${name}`, { timeout: 120_000, tags: [...tags, ...more] }, async () => {
      const scenario = await resolveForClient({ ...(await readScenario(name)), windows: { minute: '2s' } });
      const run = await runClient([...command, `${folder}${file}`], scenario, { output: 'keep', timeoutMs: 90_000 });
      expect(run.verdict, run.output).toMatchObject({
        outcome: 'pass',
        counts: { requests: 2, refused: 1, served: 1 },
      });
      expect(run.end.exitCode, run.output).toBe(0);
    });
  }

  test('makes the requested number of calls, and exits with an error if the service rejects for good', {
    timeout: 120_000,
    tags: [...tags, 'extended'],
  }, async () => {
    const thrice = await resolveForClient({ client: { calls: 3 } });
    const calls = await runClient([...command, `${folder}${file}`], thrice, { output: 'keep' });
    expect([calls.verdict.counts.served, calls.end.exitCode], calls.output).toEqual([3, 0]);
    const revoked = await resolveForClient({ keys: { 'old-key': { state: 'revoked' } } });
    const refused = await runClient([...command, `${folder}${file}`], revoked, { output: 'keep' });
    expect(refused.entries.map(({ status, token }) => [status, token])).toEqual([[401, 'old-key']]);
    expect(refused.end.exitCode).not.toBe(0);
  });
});
