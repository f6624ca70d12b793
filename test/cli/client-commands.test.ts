import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { runClient } from '../../src/cli/client-run.js';
import { shippedCases } from '../../src/cli/gauntlet-run.js';
import { shellWords } from '../../src/cli/shell-words.js';
import { assumptions } from '../../src/petstore/assumptions.js';
import type { GeneratePets } from '../../src/petstore/resolve-pets.js';
import { readScenarioAndFiles } from '../../src/scenario-files/scenario-files.js';
import { clientCommand, clientProgram, retryingProgram, runInNode } from '../support/client-program.js';
import { runCommandLine } from '../support/command-here.js';
import { cli, outputOf } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';
import { patience } from '../support/patience.js';
import { withoutBusyMark } from '../support/without-busy-mark.js';

const folder = newFolder();

const run = (args: readonly string[]) => runCommandLine(args, { cwd: folder });

/** @param signalOn what the command prints when it is to be sent SIGTERM */
async function runProcess(args: string[], signalOn?: string) {
  return runProgram(process.execPath, [cli, ...args], signalOn);
}

async function runProgram(program: string, args: string[], signalOn?: string) {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = outputOf(child);
  child.stdout.on('data', () => {
    if (signalOn !== undefined && output.out.includes(signalOn)) child.kill('SIGTERM');
  });
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/** Command of a client that lists, and waits `waitMs`, an expression over `retryAfter`. */
const client = (waitMs: string, exitCode = 0) =>
  runInNode(
    `if (!(await fetch(process.env.PETSTORE_SIM_URL + '/health')).ok) process.exit(9);
     ${retryingProgram(waitMs, 4)}
     process.exitCode = ${exitCode};`,
  );
const right = client('retryAfter * 1000');
const wrong = client('300');
/** The same client, which prints each status. */
const printing = (command: readonly string[]) =>
  command.map((word) => word.replace('await response.text();', "console.log('saw', response.status);"));
const usedUp = ['--set', 'windows.minute=2s', '--set', 'keys.free-key.usage.minute=60'];

describe.concurrent('petstore-sim exec', () => {
  test('passes a client that waits, with its output and its exit code, and the verdict on standard error', async () => {
    const { code, out, err } = await runProcess(['exec', ...usedUp, '--', ...printing(right)]);
    expect(out).toBe('saw 429\nsaw 200\n');
    expect(err).toMatch(/^\nPASS {2}default/);
    expect(code).toBe(0);
  });

  test('fails a client that does not wait, although its exit code is 0', async () => {
    const { code, err } = await run(['exec', ...usedUp, '--', ...wrong]);
    expect(err).toMatch(/^\nFAIL {2}default/);
    expect(err).toContain('early-retry');
    expect(err).toMatch(/^ {2}free-key free /m);
    // The line that records the run again has the words of the command as they were given.
    const [, again = ''] = err.split('To record this run:  ');
    expect(again).toMatch(
      /^npx petstore-sim exec --record run\.jsonl --set .* -- .*\nTo replay it: +npx petstore-sim replay run\.jsonl --judge\nTo share it: .*\nAnother client: .*right-client\.mjs\n\nFAIL default: \d+ findings, \d+ requests\n$/s,
    );
    expect(code).toBe(1);
  });

  test('returns the exit code of the command', async () => {
    expect((await runProcess(['exec', '--', 'sh', '-c', 'exit 7'])).code).toBe(7);
    expect((await run(['exec', ...usedUp, '--', ...client('300', 3)])).code).toBe(3);
    // Explains why CI failed after a PASS.
    const passed = await run(['exec', ...usedUp, '--', ...client('retryAfter * 1000', 3)]);
    expect(passed).toMatchObject({
      code: 3,
      err: expect.stringMatching(/^\nPASS \(client\), command failed {2}default/),
    });
    expect(passed.err).toContain('\n  The command ended with exit code 3.\n');
  });

  test('is inconclusive if the run exercised no rule, and fails only with --require-conclusive', async () => {
    expect(await run(['exec', '--', 'true'])).toMatchObject({ code: 0, err: expect.stringMatching(/^\nINCONCLUSIVE/) });
    expect((await run(['exec', '--require-conclusive', '--', 'true'])).code).toBe(1);
  });

  test('fails only on the named findings', async () => {
    expect((await run(['exec', ...usedUp, '--fail-on', 'duplicate-write', '--', ...wrong])).code).toBe(0);
    expect((await run(['exec', ...usedUp, '--fail-on', 'duplicate-write,early-retry', '--', ...wrong])).code).toBe(1);
  });

  test('writes the verdict as JSON, a report and JUnit XML, with masked keys', async () => {
    const own = ['--set', 'keys.my-own-secret={plan: free, usage: {minute: 60}}', '--api-key', 'my-own-secret'];
    const files = ['--verdict', 'verdict.json', '--report', 'report.html', '--junit', 'junit.xml', '--json'];
    const inQuery = wrong.map((word) => word.replace("'/pets'", "'/pets?k=%6' + 'd' + key.slice(1)"));
    const { err } = await run(['exec', '--set', 'windows.minute=20s', ...own, ...files, '--', ...inQuery]);
    const texts = ['verdict.json', 'report.html', 'junit.xml'].map((file) => readFileSync(join(folder, file), 'utf8'));
    const [verdict = '', page = '', junit = ''] = texts;
    expect(JSON.parse(verdict)).toMatchObject({ outcome: 'fail', counts: { requests: 4 } });
    const { next, ...shown } = JSON.parse(err);
    expect(shown).toEqual(JSON.parse(verdict));
    expect(next).toEqual([
      expect.stringContaining('npx petstore-sim exec --report report.html --api-key my-own-secret --set '),
      expect.stringContaining('exec --record run.jsonl '),
    ]);
    expect(page).toMatch(/^<!doctype html>/i);
    expect(junit).toContain('<testcase');
    for (const text of texts) {
      expect(text).toContain('early-retry');
      expect(text).not.toContain('y-own-secret');
      expect(text).toContain('…cret');
    }
  });

  const show = 'echo $PETSTORE_API_KEY $PETSTORE_OPERATION $PETSTORE_CALLS $PETSTORE_PARALLEL';

  test.each<[flags: string[], shown: string]>([
    [[], 'free-key listPets 1 1'],
    [['--set', 'keys.revoked-key.usage.minute=1'], 'free-key listPets 1 1'],
    [['--scenario', 'retry-after-60-edge'], 'wait-60 listPets 1 1'],
    [['--scenario', 'post-429'], 'free-key createPet 1 1'],
    [['--scenario', 'thundering-herd'], 'free-key listPets 10 10'],
    [['--scenario', '401-with-remaining-0'], 'free-key listPets 1 1'],
    [['--set', 'client={key: pro-key, calls: 3}'], 'pro-key listPets 3 1'],
    [['--set', 'client={key: pro-key}', '--api-key', 'business-key'], 'business-key listPets 1 1'],
  ])('with %j, hands the command %s', async (flags, shown) => {
    const file = join(mkdtempSync(join(folder, 'shown-')), 'file');
    await run(['exec', ...flags, '--', 'sh', '-c', `${show} > ${file}`]);
    expect(readFileSync(file, 'utf8')).toBe(`${shown}\n`);
  });

  test('rejects a key that no client can send', async () => {
    const { code, err } = await run(['exec', '--api-key', 'two words', '--', 'sh', '-c', show]);
    expect(err).toContain('--api-key: expected an API key that a header can carry');
    expect(code).toBe(2);
  });

  test.each([['exec'], ['matrix', '--only', 'cors']])('%s rejects a key that the scenario lacks', async (...name) => {
    const { code, err } = await run([...name, '--api-key', 'typo-key', '--scenario', 'minute-wall', '--', 'true']);
    expect(err).toContain('expected --api-key to be a key of the scenario (free-key');
    expect(err).toContain('got typo-key; to add it, --set keys.typo-key.plan=free');
    expect(code).toBe(2);
  });

  test.each([
    ['--set', 'keys.typo-key.plan=free'],
    ['--set', 'assumptions.acceptAnyKey=true'],
    ['--set', 'expect={fail: [retried-401]}'],
  ])('accepts the key with %s %s', async (...flags) => {
    expect(await run(['exec', '--api-key', 'typo-key', ...flags, '--', 'true'])).toMatchObject({ code: 0 });
    expect(await run(['exec', '--api-key', 'revoked-key', '--', 'true'])).toMatchObject({ code: 0 });
  });

  test('checks the scenario and generates its pets only once', async () => {
    let made = 0;
    const generatePets: GeneratePets = () => {
      made++;
      return [{ id: 1, name: 'Rex', categoryId: 1, status: 'sold' }];
    };
    const overrides = [{ flag: '--set pets', steps: ['pets'], value: { generate: { sold: 7 } } }];
    const { resolved } = await readScenarioAndFiles('default', { overrides, generatePets });
    // Another check would fail on this value.
    const checked = { ...resolved, scenario: { ...resolved.scenario, seed: -1 } };
    const { output, end } = await runClient(printing(client('0')), checked, { output: 'keep' });
    expect([output, end, made]).toEqual([
      expect.stringContaining('saw 200'),
      { exitCode: 0, line: expect.stringContaining('--input-type=module') },
      1,
    ]);
  });

  test('explains how an inconclusive run with exit code 0 can fail', async () => {
    const { code, err } = await run(['exec', '--', process.execPath, '-e', '']);
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(
        /got none \(--require-conclusive makes this a failure\)\n\nINCONCLUSIVE default: 0 findings, 0 requests\n$/,
      ),
    ]);
  });

  test('prints only the URL of the service if a command sends nothing', async () => {
    const { code, err } = await run(['exec', '--', process.execPath, '-e', 'process.exit(3)']);
    expect(err).toBe(
      '\nINCONCLUSIVE (client), command failed  default\n  No requests received.\n  0 requests: 0 served, 0 refused\n  The command ended with exit code 3.\n\n' +
        'petstore-sim: expected requests to the URL in PETSTORE_BASE_URL, with the key in PETSTORE_API_KEY, got none\n\n' +
        'INCONCLUSIVE (client), command failed default: 0 findings, 0 requests\n',
    );
    expect(code).toBe(3);
  });

  test('prints the requested URLs of a client with a wrong base URL', async () => {
    const client =
      "const { origin } = new URL(process.env.PETSTORE_BASE_URL); for (let n = 0; n < 5; n++) await fetch(origin + '/pets')";
    const { code, err } = await run(['exec', '--', ...runInNode(client)]);
    expect(err).toContain(
      'INCONCLUSIVE  default\n  5 requests went to /pets; the API is under /v1.\n  0 requests: 0 served, 0 refused, 5 not recorded\n\n' +
        'petstore-sim: expected requests to the URL in PETSTORE_BASE_URL, with the key in PETSTORE_API_KEY, got none',
    );
    expect(code).toBe(0);
  });

  test('stops the command after --timeout, and does not blame a client that waits', async () => {
    const { code, err } = await run(['exec', '--scenario', 'backoff-only', '--timeout', '5s', '--', ...right]);
    expect(err).toMatch(
      /^\nINCONCLUSIVE \(client\), command stopped {2}backoff-only\n {2}The run was stopped during the required wait,/,
    );
    expect(err).not.toContain('gave-up  ');
    expect(code).toBe(124);
  });

  test('fails a client that gives up silently, and passes one that exits with an error', async () => {
    const once = (exitCode: number) => clientCommand(`await list(); process.exitCode = ${exitCode};`);
    const silent = await run(['exec', '--scenario', 'retry-after-clamped', '--', ...once(0)]);
    expect(silent.err).toMatch(/^\nFAIL {2}retry-after-clamped\n {2}The client gave up\./);
    const loud = await run(['exec', '--scenario', 'retry-after-clamped', '--', ...once(3)]);
    expect(loud.err).toMatch(/^\nPASS/);
    expect([silent.code, loud.code]).toEqual([1, 3]);
  });

  test('reports a serial loop over fetch connections, at any offset from a whole second', async () => {
    const loop = (startMs: number) =>
      clientCommand(`await new Promise((resolve) => setTimeout(resolve, ${startMs}));
        for (let n = 0; n < 10; n++) await list();`);
    const runs = await Promise.all([0, 300, 700].map((startMs) => run(['exec', ...usedUp, '--', ...loop(startMs)])));
    for (const { err } of runs) expect(err).toMatch(/The client .*retried too early/);
  });

  test('ends with its command on SIGTERM', async () => {
    const endless = "console.log('ready'); setInterval(() => {}, 1000)";
    expect((await runProcess(['exec', '--', process.execPath, '-e', endless], 'ready')).code).toBe(143);
  });
});

describe.skipIf(process.platform !== 'linux').concurrent('child process of a command', () => {
  const nested = ['sh', '-c', 'sleep 60 & echo "started $!"; wait'];
  /** A process with an unread exit status is a zombie, `Z`. */
  const isRunning = (out: string) => {
    const stat = `/proc/${/started (\d+)/.exec(out)?.[1]}/stat`;
    return existsSync(stat) && !/ Z /.test(readFileSync(stat, 'utf8'));
  };

  test('ends after --timeout', async () => {
    const { code, out } = await runProcess(['exec', '--timeout', '3s', '--', ...nested]);
    expect(out).toContain('started');
    expect([code, isRunning(out)]).toEqual([124, false]);
  });

  test('ends on SIGTERM', async () => {
    const { code, out } = await runProcess(['exec', '--', ...nested], 'started');
    expect([code, isRunning(out)]).toEqual([143, false]);
  });

  test.each([
    ['ignores SIGTERM', `trap "" TERM; echo started $$; sleep 60; true`],
    ['has left its process group', `exec setsid sh -c 'echo started $$; sleep 60; true'`],
  ])('ends after --timeout where it %s and the command has ended', async (_, script) => {
    const command = ['sh', '-c', 'sh -c "$1" & wait', 'sh', script];
    const { code, out } = await runProcess(['exec', '--timeout', '3s', '--', ...command]);
    expect(out).toContain('started');
    expect([code, isRunning(out)]).toEqual([124, false]);
  });

  test('ends after --timeout in a terminal', async () => {
    const command = [
      process.execPath,
      cli,
      'exec',
      '--timeout',
      '3s',
      '--',
      'sh',
      '-c',
      'sleep 60 & echo $! > pid; wait',
    ];
    // Looked at before the terminal closes, which ends what is left.
    const look = 'echo "code $?"; grep "^State:.[^Z]" /proc/$(cat pid)/status; echo looked';
    const { out } = await runProgram('script', ['-qfc', `${shellWords(command)}; ${look}`, '/dev/null']);
    expect(out).toMatch(/\ncode 124\r\n/);
    expect(out).not.toContain('State:');
    expect(out).toMatch(/looked\s+$/);
  });

  test('ends on the second SIGINT if every process ignores the first one and SIGTERM', async () => {
    const stubborn = `for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => console.log('ignored ' + signal));
      if (process.argv[1] === 'child') setInterval(() => console.log('started ' + process.pid), 100);
      else require('node:child_process').spawn(process.execPath, ['-e', process.argv[1], 'child'], { stdio: 'inherit' });`;
    const child = spawn(process.execPath, [cli, 'exec', '--', process.execPath, '-e', stubborn, stubborn]);
    let out = '';
    let sent = 0;
    child.stdout.on('data', (chunk) => {
      out += chunk;
      if (out.includes(sent === 0 ? 'started' : 'ignored SIGINT') && sent < 2 && ++sent) child.kill('SIGINT');
    });
    const [code] = await once(child, 'close');
    expect([code, sent, isRunning(out)]).toEqual([137, 2, false]);
  });

  const commands = {
    exec: (client: string[]) => ['exec', '--', ...client],
    gauntlet: (client: string[]) => ['gauntlet', 'minute-wall', '--', ...client],
    matrix: (client: string[]) => ['matrix', '--only', 'paging', '--', ...client],
    hunt: (client: string[]) => ['hunt', '--runs', '2', '--', ...client],
    certify: (client: string[]) => {
      const sdks = join(mkdtempSync(join(folder, 'sdks-')), 'sdks.yaml');
      writeFileSync(sdks, JSON.stringify({ sdks: { client }, scenarios: ['minute-wall'] }));
      return ['certify', sdks];
    },
  };

  /** Runs a command line whose clients write their process ids, and sends a signal when a client has started. */
  async function stopped(name: keyof typeof commands, script: string, signal: NodeJS.Signals) {
    const pids = join(folder, `${name}-${signal}-${Math.random()}`);
    const child = spawn(process.execPath, [cli, ...commands[name](['sh', '-c', `${script} > ${pids}.$$; wait`])], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close') as Promise<[number | null]>;
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += chunk;
      if (String(chunk).includes('press Ctrl-C again')) child.kill('SIGINT');
    });
    const written = () =>
      readdirSync(folder).flatMap((file) =>
        join(folder, file).startsWith(`${pids}.`) ? readFileSync(join(folder, file), 'utf8').trim().split(/\s+/) : [],
      );
    await vi.waitUntil(() => written().some((pid) => pid !== ''), patience);
    const startMs = performance.now();
    child.kill(signal);
    const [code] = await closed;
    const running = written().filter((pid) => isRunning(`started ${pid}`));
    return { code, running, err, lastedMs: performance.now() - startMs };
  }

  for (const [name, signal, expected, tags] of [
    ['exec', 'SIGHUP', 129, []],
    ['exec', 'SIGQUIT', 131, ['extended']],
    ['gauntlet', 'SIGHUP', 129, ['extended']],
    ['matrix', 'SIGQUIT', 131, ['extended']],
    ['hunt', 'SIGHUP', 129, ['extended']],
    ['certify', 'SIGQUIT', 131, ['extended']],
  ] as const)
    test(`ends with ${name} on ${signal}`, { tags: [...tags] }, async () => {
      const { code, running } = await stopped(name, 'sleep 60 & echo $! $$', signal);
      expect([code, running]).toEqual([expected, []]);
    });

  test.each([
    ['exec', 'SIGTERM', 143],
    ['exec', 'SIGHUP', 129],
    ['gauntlet', 'SIGQUIT', 131],
    ['matrix', 'SIGTERM', 143],
    ['hunt', 'SIGTERM', 143],
    ['certify', 'SIGHUP', 129],
  ] as const)('ends with %s soon after %s, although it ignores every signal', async (name, signal, expected) => {
    const stubborn = 'trap "" HUP INT QUIT TERM; sleep 60 & echo $! $$';
    const { code, running, lastedMs } = await stopped(name, stubborn, signal);
    expect([code, running]).toEqual([expected, []]);
    expect(lastedMs).toBeGreaterThan(900);
    expect(lastedMs).toBeLessThan(30_000);
  });

  test.each(['exec', 'hunt'] as const)('ends with %s on a second Ctrl-C, as a message advises', async (name) => {
    const { code, running, err } = await stopped(name, 'trap "" INT; sleep 60 & echo $! $$', 'SIGINT');
    expect(err).toContain('petstore-sim: the client is still running; press Ctrl-C again to end it\n');
    expect([code, running]).toEqual([name === 'exec' ? 137 : 130, []]);
  });
});

describe.concurrent('command of a client', () => {
  test.each(['exec', 'gauntlet', 'matrix', 'hunt'])(
    'is a sentence and exit code 2 where %s gets none',
    async (name) => {
      for (const empty of ['', ' \t ']) {
        const { code, out, err } = await run([name, '--', empty, 'argument']);
        expect({ code, out }).toEqual({ code: 2, out: '' });
        expect(err).toMatch(
          new RegExp(`^petstore-sim: expected a client command, such as .* ${name} -- npm test, got "`),
        );
        expect(err.trim().split('\n')).toHaveLength(1);
      }
    },
  );

  test.each([
    ['an empty word', [''], 'expected at least one word'],
    ['a blank word', [' '], 'expected at least one word'],
    ['a blank text', "' '", 'expected a command, got none'],
  ])('is a sentence and exit code 2 where certify gets %s', async (name, command, expected) => {
    const file = join(folder, `${name}.yaml`);
    writeFileSync(file, JSON.stringify({ sdks: { client: command } }));
    const { code, err } = await run(['certify', file]);
    expect(code).toBe(2);
    expect(err).toContain(expected);
    expect(err).not.toContain('    at ');
  });

  test.each([
    ['below a file', [join(import.meta.filename, 'client')], 'the command does not exist'],
    ['too long', ['x'.repeat(5_000)], 'ENAMETOOLONG'],
  ])('is a sentence and exit code 2 where its path is %s', async (_, command, reason) => {
    const { code, err } = await run(['exec', '--', ...command]);
    expect(code).toBe(2);
    expect(err).toMatch(/^petstore-sim: expected a runnable command, got "/);
    expect(err).toContain(reason);
    expect(err).not.toContain('    at ');
  });
});

/**
 * Command of a test runner: each test creates a sandbox, makes two calls, each with one retry after `waitMs`, an
 * expression over Retry-After, and removes the sandbox.
 */
const inSandboxes = (...waitsMs: string[]) =>
  runInNode(
    `const url = process.env.PETSTORE_SIM_URL + '/sandboxes';
   const headers = { 'Content-Type': 'application/json' };
   for (const [index, waitMs] of [${waitsMs.map((waitMs) => `(retryAfterSeconds) => ${waitMs}`)}].entries()) {
     const name = 'test-' + index;
     const made = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ name }) });
     const { baseUrl, apiKey } = await made.json();
     for (const limit of [1, 2]) {
       for (let attempt = 0; attempt < 2; attempt++) {
         const response = await fetch(baseUrl + '/pets?limit=' + limit, { headers: { authorization: 'Bearer ' + apiKey } });
         await response.text();
         if (response.ok) break;
         const ms = waitMs(Number(response.headers.get('retry-after')));
         await new Promise((resolve) => setTimeout(resolve, ms));
       }
     }
     await fetch(url + '/' + name, { method: 'DELETE' });
   }`,
  );

describe.concurrent('a client that sends its requests to sandboxes, as test runners do', () => {
  const waits = '1000 * retryAfterSeconds';
  const early = inSandboxes(waits, '300');

  test('exec judges each, and shows the worst', async () => {
    const { code, err } = await run(['exec', ...usedUp, '--', ...early]);
    expect(err).toMatch(/^\nFAIL {2}default\n {2}The client retried too early/);
    expect(err.replace(/\s+/g, ' ')).toContain('2 sandboxes: 1 failed, 1 passed. Shown: test-1.');
    expect(err).toMatch(/^ {2}4 requests: \d served, \d refused/m);
    expect(err).not.toContain('No requests');
    expect(code).toBe(1);
  });

  test('exec passes if each client waits', async () => {
    const { code, err } = await run(['exec', '--require-conclusive', ...usedUp, '--json', '--', ...inSandboxes(waits)]);
    expect(JSON.parse(err)).toMatchObject({
      outcome: 'pass',
      reason: expect.stringMatching(/ 1 sandbox: 1 passed\. Shown: test-0\.$/),
    });
    expect(code).toBe(0);
  });

  test('exec --record judges them as well', async () => {
    const { code, err } = await run(['exec', '--record', 'sandboxes.jsonl', ...usedUp, '--', ...early]);
    expect([code, err]).toEqual([1, expect.stringContaining('FAIL  default')]);
  });

  test('gauntlet, matrix and hunt see their requests', async () => {
    const gauntlet = await run(['gauntlet', 'minute-wall', '--json', '--', ...inSandboxes('300')]);
    expect(JSON.parse(gauntlet.out).results).toMatchObject([{ outcome: 'fail', requests: 3 }]);
    const matrix = await run(['matrix', '--only', 'paging', '--json', ...usedUp, '--', ...inSandboxes('300')]);
    expect(JSON.parse(matrix.out).results[0]).toMatchObject({ outcome: 'fail', code: 0 });
    const hunt = await run(['hunt', '--runs', '1', '--json', '--out', 'sandboxes', '--', ...inSandboxes('300')]);
    expect([hunt.code, hunt.err]).toEqual([1, expect.not.stringContaining('No requests')]);
  });
});

test('gauntlet fails an inconclusive run only with --require-conclusive, and no scenario that was not reached', async () => {
  const folder = newFolder();
  const calm = join(folder, 'calm.yaml');
  writeFileSync(calm, 'keys: { free-key: { plan: free } }\n');
  const once = clientCommand('await list();');
  const gauntlet = (...words: string[]) => run(['gauntlet', ...words, '--', ...once]);
  const lenient = await gauntlet('minute-wall', calm);
  expect(lenient.out).toContain('1 of 2 reached: 0 passed, 0 failed, 1 inconclusive\n');
  expect(lenient.code).toBe(0);
  const strict = await gauntlet('minute-wall', calm, '--require-conclusive');
  expect(strict).toEqual({ ...lenient, code: 1, out: `${lenient.out}Failed by --require-conclusive: ${calm}\n` });
  expect((await gauntlet('minute-wall', '--require-conclusive')).code).toBe(0);
});

test('gauntlet tells each run as it ends, and each reason of several failures once', async () => {
  const hasty = clientCommand(`for (let n = 0; n < 4; n++) await list();
    throw new Error('no pets today');`);
  const names = shippedCases()
    .slice(0, 11)
    .map(({ name }) => name);
  const { out, err } = await run(['gauntlet', ...names, '--', ...hasty]);
  for (const name of names) {
    expect(err).toMatch(new RegExp(`^\\d+ of 11 runs · ${name} \\w`, 'm'));
    expect(out).toMatch(new RegExp(`^ {2}${name} +\\w`, 'm'));
  }
  expect(err.trim().split('\n')).toHaveLength(11);
  expect(out.match(/^ {2}early-retry \(in \d+ scenarios, here \S+\): /gm)).toHaveLength(1);
  expect(out.match(/output of the command: /g)).toHaveLength(1);
  expect(out.match(/petstore-sim exec --scenario/g)).toHaveLength(1);
});

describe.concurrent('failed row of gauntlet', () => {
  /** Sends two requests, and crashes; buffered standard output can arrive after the error. */
  const crash = clientProgram(`for (let n = 0; n < 2; n++) await list();
    setTimeout(() => { throw new RangeError('no seconds in Fri, 27 Nov') }, 50);
    process.on('exit', () => console.log('bye\\n'.repeat(9)));`);
  const command = runInNode(crash);

  test("has the finding's sentence, and the error with which the command ended", async () => {
    const { code, out } = await run(['gauntlet', 'minute-wall', '--', ...command]);
    expect(code).toBe(1);
    const [row, , sentence, ...others] = out.split('\n');
    expect(row).toMatch(/^ {2}minute-wall {2}fail +gave-up$/);
    expect(sentence).toMatch(/^ {2}gave-up: \S.* \S/);
    expect(others.join('\n')).toMatch(/^ {2}output of the command: .*RangeError: no seconds in Fri, 27 Nov$/ms);
    expect(out.split('petstore-sim exec')[0]).not.toMatch(/bye|\^$|^ +at /m);
    expect(out).toContain('1 of 1 reached: 0 passed, 1 failed');

    const json = JSON.parse((await run(['gauntlet', 'minute-wall', '--json', '--', ...command])).out);
    const [result] = json.results;
    expect(result.findings[0].text.length).toBeGreaterThan(20);
    expect(result.errorLines.at(-1)).toBe('RangeError: no seconds in Fri, 27 Nov');
  });

  test('has no error output if the command succeeded or was stopped', async () => {
    const warn = `console.error('Error: only a warning');`;
    for (const end of ['', 'setInterval(() => {}, 1000)']) {
      const client = crash.replace(/setTimeout.*/, `${warn} ${end}`);
      const { out } = await run(['gauntlet', 'minute-wall', '--timeout', '4s', '--', ...runInNode(client)]);
      expect(out).toMatch(/^ {2}minute-wall +(fail|inconclusive)/);
      expect(out).not.toContain('output of the command');
    }
  });
});

describe('proxy in the environment', () => {
  afterEach(() => vi.unstubAllEnvs());

  const own = '127.0.0.1,localhost,::1,[::1]';
  const closed = 'http://127.0.0.1:9';
  const proxies = { HTTP_PROXY: closed, http_proxy: closed, ALL_PROXY: closed, all_proxy: closed };

  /** Runs a command whose client writes to the file FILE of its environment. @returns that text, and the output */
  async function runBehindProxy(noProxy: Record<string, string>, command: string[]) {
    const file = join(mkdtempSync(join(folder, 'proxy-')), 'file');
    for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, noProxy[name]);
    for (const [name, value] of Object.entries({ ...proxies, FILE: file })) vi.stubEnv(name, value);
    const { out } = await run(command);
    return { written: readFileSync(file, 'utf8'), out };
  }

  test.each([
    [{}, own],
    [{ NO_PROXY: '' }, own],
    [{ NO_PROXY: 'a.example, .b.example' }, `a.example,.b.example,${own}`],
    [{ no_proxy: 'a.example' }, `a.example,${own}`],
    [{ NO_PROXY: 'a.example', no_proxy: 'b.example localhost' }, 'a.example,b.example,localhost,127.0.0.1,::1,[::1]'],
    [{ NO_PROXY: '*' }, '*'],
    [{ NO_PROXY: 'a.example', no_proxy: ' * ' }, '*'],
  ])('is not for the simulator, with %j', async (noProxy, expected) => {
    const print = 'echo "$NO_PROXY" > "$FILE"; echo "$no_proxy" >> "$FILE"';
    const { written } = await runBehindProxy(noProxy, ['exec', '--', 'sh', '-c', print]);
    expect(written).toBe(`${expected}\n${expected}\n`);
  });

  test.each(['exec', 'gauntlet'])('is not used by curl, started by %s', { tags: 'needs/curl' }, async (name) => {
    const client =
      'curl -s -w %{http_code} -H "Authorization: Bearer $PETSTORE_API_KEY" "$PETSTORE_BASE_URL/pets" > "$FILE"';
    const flags = name === 'gauntlet' ? ['minute-wall', '--json'] : ['--scenario', 'minute-wall', '--json'];
    const { written, out } = await runBehindProxy({ NO_PROXY: 'a.example' }, [
      name,
      ...flags,
      '--',
      'sh',
      '-c',
      client,
    ]);
    expect(written).toMatch(/200$/);
    if (name === 'gauntlet') expect(JSON.parse(out).results).toMatchObject([{ scenario: 'minute-wall', requests: 1 }]);
  });
});

describe.concurrent('petstore-sim matrix', { tags: 'extended' }, () => {
  const picky = clientCommand(`const [first] = await (await list()).json();
    if (first.id !== 1) { console.log('expected 1, got ' + first.id); process.exit(1); }`);

  test("lists the undocumented choices that break a client, with the client's output", async () => {
    const { code, out } = await run(['matrix', '--only', 'listOrder,paging', '--', ...picky]);
    expect(code).toBe(1);
    expect(out).toContain('listOrder: newest-first  exit code 1');
    expect(out).toContain(assumptions.listOrder.question);
    expect(out).toContain('output of the command: expected 1, got 40');
    expect(out).not.toContain('paging');
    expect(out).toMatch(/Tested 5 of 5 choices that the document leaves open; 2 would break the client\.\n$/);
  });

  test('runs every alternative of every assumption, each against a separate simulator', async () => {
    const { code, out } = await run(['matrix', '--json', '--', 'true']);
    const { results, next } = JSON.parse(out) as {
      results: { id?: string; value?: unknown; breaks: boolean }[];
      next: string[];
    };
    const cases = Object.entries(assumptions).flatMap(([id, { alternatives }]) =>
      alternatives.map((value) => ({ id, value })),
    );
    expect(results.slice(1).map(({ id, value }) => ({ id, value }))).toEqual(cases);
    expect(results.filter(({ breaks }) => breaks)).toEqual([]);
    expect(next).toEqual(['npx petstore-sim gauntlet --json -- true']);
    expect(code).toBe(0);
  });

  test('lists choices that the client did not exercise, without counting them as passed', async () => {
    const { code, out } = await run(['matrix', '--only', 'malformedPetId,cors', '--', ...picky]);
    expect(out).toBe(
      "The client's requests depend on none of the 4 choices.\nNot tested, because no request of the client depends on them: malformedPetId,\ncors.\n",
    );
    expect(code).toBe(0);
  });

  test('reports a client that fails with the defaults', async () => {
    const { code, out } = await run(['matrix', '--only', 'paging', '--', 'sh', '-c', 'exit 4']);
    expect(code).toBe(1);
    expect(out).toContain('fails with the defaults (exit code 4)');
  });
});

describe.concurrent('petstore-sim gauntlet', { tags: 'extended' }, () => {
  const some = ['post-429', 'ban-on-third-strike', '--timeout', '60s'];

  test('prints one line per scenario and the score', async () => {
    const { code, out } = await run(['gauntlet', ...some, '--', ...right]);
    expect(out).toMatch(/^ {2}ban-on-third-strike +(pass|inconclusive|fail)/m);
    expect(withoutBusyMark(out)).toMatch(/^ {2}post-429 +not reached +needs a POST \/pets$/m);
    expect(out).toMatch(/1 of 2 reached: 1 passed, 0 failed, 0 inconclusive\n$/);
    expect(code).toBe(0);
  });

  test('fails a client that does not wait', async () => {
    const { code, out } = await run(['gauntlet', ...some, '--json', '--', ...wrong]);
    const { results, next } = JSON.parse(out) as { results: { scenario: string; outcome: string }[]; next: string[] };
    const failed = results.filter(({ outcome }) => outcome === 'fail');
    expect(failed.map(({ scenario }) => scenario).sort()).toEqual(['ban-on-third-strike', 'post-429']);
    expect(next).toHaveLength(3);
    expect(next.at(-1)).toMatch(/^npx petstore-sim gauntlet --json \S+ \S+ -- /);
    expect(code).toBe(1);
  });

  test('runs files of the user, also two with the same name', async () => {
    const own = mkdtempSync(join(folder, 'own-'));
    const files = ['a.yaml', 'b.yaml'].map((name) => join(own, name));
    for (const file of files) {
      writeFileSync(file, 'name: wall\nwindows: { minute: 1s }\nkeys: { free-key: { usage: { minute: 60 } } }\n');
    }
    const { code, out } = await run(['gauntlet', ...files, '--json', '--', ...right]);
    const { results } = JSON.parse(out) as { results: { scenario: string; outcome: string; group: string }[] };
    expect(results).toMatchObject(files.map((scenario) => ({ scenario, outcome: 'pass', group: 'own' })));
    expect(code).toBe(0);
  });
});

describe.concurrent('invalid command', () => {
  const mistakes: [args: string[], message: string][] = [
    [['exec'], 'expected a client command, such as npx petstore-sim exec -- npm test'],
    [['matrix'], 'expected a client command'],
    [['gauntlet', '--'], 'expected a client command'],
    [['exec', '--', 'no-such-command'], 'the command does not exist'],
    [['exec', '--fail-on', 'nope', '--', 'true'], 'expected --fail-on to name findings'],
    [['matrix', '--only', 'nope', '--', 'true'], 'expected --only to name assumptions'],
    [['gauntlet', 'minute-wal', '--', 'true'], 'did you mean minute-wall?'],
    [['matrix', '--timeout', 'soon', '--', 'true'], '--timeout: expected a duration'],
    [['gauntlet', '--', 'constructor'], 'the command does not exist'],
    [['exec', '--junit', '.', '--', 'no-such-command'], 'expected --junit to name a writable file, got "."'],
    [
      ['hunt', 'minute-wall', '--runs', '2', '--', 'true'],
      'hunt takes no SCENARIO, got "minute-wall" as the command; it starts from all shipped scenarios. To run one: npx petstore-sim exec --scenario minute-wall -- COMMAND',
    ],
    [['hunt', 'my.yaml', 'node', 'a.js'], 'hunt takes no SCENARIO, got "my.yaml"'],
    [['exec', 'minute-wall', '--', 'true'], 'write npx petstore-sim exec --scenario minute-wall -- COMMAND'],
    [['matrix', 'my.json', '--', 'true'], 'write npx petstore-sim matrix --scenario my.json -- COMMAND'],
    [['gauntlet', 'minute-wall', 'node', 'a.js'], 'such as npx petstore-sim gauntlet minute-wall -- node a.js'],
  ];

  test.each(mistakes)('%j exits with 2 and a clear message', async (args, message) => {
    const { code, err } = await run(args);
    expect(err).toContain(message);
    expect(err).not.toMatch(/^ +at /m);
    expect(code).toBe(2);
  });
});
