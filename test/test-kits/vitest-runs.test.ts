import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';

/** Result of a test in inner/fixture.inner.ts. */
interface Result {
  title: string;
  status: 'passed' | 'failed';
  failureMessages: string[];
}

/** Runs the inner tests, or those with a name. */
async function runInner(...names: string[]): Promise<Map<string, Result>> {
  const config = join(import.meta.dirname, 'inner/vitest.config.ts');
  const vitest = join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  const run = [vitest, 'run', '--config', config, '--reporter', 'json', ...names.flatMap((name) => ['-t', name])];
  const stdout = await new Promise<string>((resolve) => {
    execFile(process.execPath, run, { cwd: import.meta.dirname, timeout: 170_000 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const report = JSON.parse(stdout.slice(stdout.indexOf('{')));
  return new Map(report.testResults[0].assertionResults.map((result: Result) => [result.title, result]));
}

test('a test that passes fails when its client misbehaved, with one error that names what it did', async () => {
  const { status, failureMessages } = (await runInner('passes and misbehaves')).get('passes and misbehaves') as Result;
  expect(status).toBe('failed');
  expect(failureMessages).toHaveLength(1);
  expect(failureMessages[0]).toMatch(
    /^Error: expected that the client had behaved\. The client .*retried too early.*\n.* {2}early-retry: Retried .* \(requests 2–4/s,
  );
  expect(failureMessages[0]).toContain('scenario default: 9 requests, 0 served, 9 refused, 6 of them by a ban');
});

describe('of all inner tests', { tags: 'extended' }, () => {
  let results: Map<string, Result>;
  beforeAll(async () => {
    results = await runInner();
  });

  test.each([
    'misbehaves, as expected',
    'misbehaves at the first try only',
    'had a service for each try',
    'has a service for each repeat',
    'had a service for each repeat',
    'one does not',
    'leaves fake timers and an open request behind',
    'gets real timers back',
    'takes no simulator and need not',
    'sends nothing and need not',
    'sends requests only to its own route',
    'sent something that is cleared',
  ])('the inner test "%s" passes', (title) => {
    expect(results.get(title)).toMatchObject({ status: 'passed' });
  });

  test('of tests at the same time only the one whose client misbehaved fails', () => {
    expect(results.get('one misbehaves')).toMatchObject({ status: 'failed', failureMessages: [expect.any(String)] });
  });

  test.each([
    ['has a mistake in its scenario', 'ScenarioError: scenario at kees: expected a known field'],
    ['names an unknown scenario', 'expected a file or a shipped scenario'],
    ['has a misspelt verdict', "Failed to read the option verdict: expected 'check' or 'ignore', got 'checked'"],
    ['has a misspelt verdict and takes no simulator', "expected 'check' or 'ignore', got 'chekc'"],
    ['sends nothing', 'expected the client to send a request to the simulator of its test, and none arrived'],
    ['sends to the wrong address', '1 request went to /pets; the API is under /v1.'],
    ['fails before it sends anything', 'expected 40 to be 41'],
    ['takes no simulator', 'expected the test function to use the fixture sim'],
  ])('the inner test that %s says so', (title, message) => {
    expect(results.get(title)).toMatchObject({ status: 'failed', failureMessages: [expect.stringContaining(message)] });
  });

  test('a test that fails by itself shows the verdict on its client as well', () => {
    const { status, failureMessages } = results.get('fails by itself and misbehaves') as Result;
    expect([status, failureMessages]).toEqual([
      'failed',
      [
        expect.stringContaining('expected 429 to be 200'),
        expect.stringContaining('The client retried too often, retried too early'),
      ],
    ]);
  });

  test.each([
    ['sends nothing', 0, "test.extend({ verdict: 'ignore' })"],
    ['takes no simulator', 0, "or test.extend({ verdict: 'ignore' })"],
    ['times out in a wait', 1, "such as { windows: { minute: '2s' } }"],
  ])('an error of the kit is its message alone: %s', (title, position, end) => {
    const [first = ''] = results.get(title)?.failureMessages[position]?.split('\n') ?? [];
    expect(first.endsWith(end), first).toBe(true);
  });

  test('the inner test that is given the key that its scenario names passes, though that key is revoked', () => {
    expect(results.get('is given the key that its scenario names, though it does not work')?.status).toBe('passed');
  });

  test("a test that times out during a requested wait explains it in addition to the runner's error", () => {
    const { status, failureMessages } = results.get('times out in a wait') as Result;
    expect(status).toBe('failed');
    // The runner's own error contains only the location of the test.
    expect(failureMessages).toHaveLength(2);
    expect(failureMessages[1]).toMatch(
      /told to wait by the 429 of GET \/pets: \d+\.\d s of the wait were left when the test timed out\..*setTimerTickMode/,
    );
  });

  test('a try is not held to the time-out of an earlier one', () => {
    const { status, failureMessages } = results.get('times out in a wait at the first try only') as Result;
    expect({ status, told: failureMessages.filter((message) => message.includes('were left')).length }).toEqual({
      status: 'passed',
      told: 1,
    });
  });

  test('a thrown value that is not an error is reported alone', () => {
    const { status, failureMessages } = results.get('throws what is no error') as Result;
    expect([status, failureMessages.length]).toEqual(['failed', 1]);
  });
});
