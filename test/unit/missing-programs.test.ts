import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { TestModule } from 'vitest/node';
import { missingProgramsReporter } from '../support/missing-programs-reporter.js';
import { newFolder } from '../support/new-folder.js';
import { findCommand, installCommand, programs } from '../support/programs.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

/** Ends a run in which tests with these tags were skipped, and returns the output. */
function endRun(missing: string[], ...skipped: string[][]): string {
  const lines: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line));
  const tests = skipped.map((tags) => ({ tags }));
  const module = { relativeModuleId: 'test/a.test.ts', children: { allTests: () => tests } };
  missingProgramsReporter(missing).onTestRunEnd?.([module as unknown as TestModule], [], 'passed');
  return lines.join('\n');
}

test('a run ends with the list of skipped files and one command that installs their programs', () => {
  vi.stubEnv('CI', undefined);
  const output = endRun(['redis', 'nginx', 'go'], ['needs/redis'], ['needs/redis', 'needs/nginx'], ['extended']);
  expect(output).toContain('\n  test/a.test.ts: 2 tests with redis, nginx\n');
  expect(output).toContain(
    '2 tests not tried. This installs all that they need: apt-get install redis-server nginx-light\n',
  );
});

test('a run without a missing program ends as before', () => {
  expect(endRun([], ['extended'], [])).toBe('');
});

test('with CI=true, a missing program fails the run', () => {
  onTestFinished(() => {
    process.exitCode = undefined;
  });
  vi.stubEnv('CI', 'true');
  endRun(['go'], ['extended']);
  expect(process.exitCode).toBeUndefined();
  endRun(['go'], ['needs/go']);
  expect(process.exitCode).toBe(1);
});

test('a command is found on PATH alone, and only if it can be executed', () => {
  const folder = newFolder();
  vi.stubEnv('PATH', folder);
  writeFileSync(join(folder, 'redis-server'), '');
  expect(findCommand('redis-server')).toBeUndefined();
  chmodSync(join(folder, 'redis-server'), 0o755);
  expect(findCommand('redis-server')).toBe(join(folder, 'redis-server'));
  expect(findCommand('node')).toBeUndefined();
});

test('every program names a way to find it and a Debian package', () => {
  for (const [name, { commands = [], files = [], probe = [], debian }] of Object.entries(programs)) {
    expect([...commands, ...files, ...probe], name).not.toEqual([]);
    expect(debian, name).not.toEqual([]);
  }
  expect(installCommand(['php-guzzle'])).toBe('apt-get install php-cli php-guzzlehttp-guzzle');
});
