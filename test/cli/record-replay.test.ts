import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatLine } from '../../src/persistence/node/folder/lines.js';
import { runCommandLine } from '../support/command-here.js';
import { cli, startCommandLine, startServer } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';

/**
 * Program of a client: a right one stays below its limit; a wrong one keeps sending after a rejection, also with a
 * foreign token. Its User-Agent names a library, because a replay does not know the dependencies of the client's folder.
 */
const client = (isRight: boolean) => `
const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key } = process.env;
const headers = { authorization: 'Bearer ' + key, 'user-agent': 'curl/8.0.0' };
for (let call = 0; call < ${isRight ? 40 : 62}; call++) await (await fetch(base + '/pets?limit=1', { headers })).text();
${isRight ? '' : "await fetch(base + '/pets', { headers: { ...headers, authorization: 'Bearer live_token_of_somebody' } });"}
const body = '{"name":"Secret name","categoryId":1}';
await fetch(base + '/pets', { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body });
process.exitCode = ${isRight ? 0 : 3};
`;

const run = async (args: readonly string[], cwd: string) => {
  const { code, out, err } = await runCommandLine(args, { cwd });
  return { status: code, stdout: out, stderr: err };
};

test('the replay of a recorded run gives the same verdict, and a failing run prints the replay command', async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'client.mjs'), client(false));
  const recorded = await run(
    ['exec', '--record', 'run.jsonl', '--verdict', 'verdict.json', '--', 'node', 'client.mjs'],
    cwd,
  );
  expect(recorded.status).toBe(3);
  expect(recorded.stderr).toContain(
    'petstore-sim: recording to run.jsonl: with bodies, without tokens that the scenario lacks\n',
  );
  expect(recorded.stderr).toContain('\nTo replay it:        npx petstore-sim replay run.jsonl --judge\n');
  expect(statSync(join(cwd, 'run.jsonl')).mode & 0o777).toBe(0o600);
  const text = readFileSync(join(cwd, 'run.jsonl'), 'utf8');
  expect(text).toContain('Bearer free-key');
  expect(text).toContain('Secret name');
  expect(text).not.toContain('live_token_of');

  // In an empty folder, as where a bug report is opened.
  const elsewhere = newFolder();
  writeFileSync(join(elsewhere, 'run.jsonl'), text);
  const replayed = await run(['replay', 'run.jsonl', '--judge', '--verdict', 'verdict.json'], elsewhere);
  expect({ status: replayed.status, stderr: replayed.stderr }).toEqual({ status: 1, stderr: '' });
  const verdictIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'verdict.json'), 'utf8'));
  // A replay does not know the exit code of the command, nor how busy the machine was.
  const { command, failures, exitCode, lagMs: _, ...verdict } = verdictIn(cwd);
  expect({ command, failures, exitCode }).toMatchObject({ command: { exitCode: 3 }, failures: [{}], exitCode: 3 });
  expect(verdict.remedies).toMatchObject([{ client: 'curl', isCertain: true }]);
  expect(verdictIn(elsewhere)).toEqual({ ...verdict, failures: [], exitCode: 1 });
  // The report before the last lines is the same, too.
  const ofCommand = '  The command ended with exit code 3.\n';
  expect(recorded.stderr).toContain(ofCommand);
  expect(recorded.stderr.replace(ofCommand, '').replace(/^ {2}machine was busy .*\n/m, '')).toContain(
    replayed.stdout.trimEnd().split('\n').slice(0, -1).join('\n').trimEnd(),
  );
  expect(await run(['replay', 'run.jsonl'], elsewhere)).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(/^\d+ entries of .*: all responses are the same; the journal has 64 requests\n$/),
  });
});

test('a failing run without a recording prints the command that records it, quoted for the shell', async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, "it's client.mjs"), client(false));
  const args = ['exec', '--set', 'keys.free-key.usage={minute: 59}', '--', 'node', "it's client.mjs"];
  const { stderr } = await run(args, cwd);
  const [record, replay, share] = stderr.slice(stderr.indexOf('To record this run')).split('\n');
  expect(share).toBe('To share it:         add --report report.html');
  expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^FAIL default: \d+ findings?, 64 requests$/);
  expect(replay).toBe('To replay it:        npx petstore-sim replay run.jsonl --judge');
  const line = record?.replace('To record this run:  npx petstore-sim ', `${process.execPath} ${cli} `) ?? '';
  expect(spawnSync('sh', ['-c', line], { cwd, encoding: 'utf8' }).status).toBe(3);
  expect((await run(['replay', 'run.jsonl'], cwd)).status).toBe(0);
});

test('a passing client prints no such command', async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'client.mjs'), client(true));
  const { status, stderr } = await run(['exec', '--record', 'run.jsonl', '--', 'node', 'client.mjs'], cwd);
  expect(status).toBe(0);
  expect(stderr).not.toContain('To replay it');
  expect((await run(['replay', 'run.jsonl', '--judge'], cwd)).status).toBe(0);
});

test('a run continues if its recording can no longer be written, and reports it', async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'client.mjs'), client(true));
  const args = ['exec', '--record', 'run.jsonl', '--', process.execPath, 'client.mjs'];
  const shell = 'ulimit -f 10; exec "$@"';
  const { status, stderr } = spawnSync('bash', ['-c', shell, 'bash', process.execPath, cli, ...args], {
    cwd,
    encoding: 'utf8',
  });
  expect(status).toBe(2);
  expect(stderr).toContain(
    'petstore-sim: failed to write the recording run.jsonl; the run continues without it: EFBIG',
  );
  expect(stderr).toContain('INCONCLUSIVE');
  const replayed = await run(['replay', 'run.jsonl'], cwd);
  expect(replayed.status).toBe(2);
  expect(replayed.stderr).toMatch(/The recording is readable up to entry \d+: .*; 1 entry is ignored\.\n/);
});

/** Changes one byte in a line of a file. */
function damage(file: string, line: number): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  lines[line] = (lines[line] as string).replace('"commands"', '"Commands"');
  writeFileSync(file, lines.join('\n'));
}

test('a damaged recording is replayed up to the damage and never succeeds', async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'client.mjs'), client(false));
  await run(['exec', '--record', 'run.jsonl', '--', 'node', 'client.mjs'], cwd);
  const entries = readFileSync(join(cwd, 'run.jsonl'), 'utf8').trimEnd().split('\n').length - 1;
  // The first line is the header.
  damage(join(cwd, 'run.jsonl'), 4);
  const left = entries - 3;
  const notice = new RegExp(`is readable up to entry 3: .* got a changed one; ${left} entries are ignored`);

  const replayed = await run(['replay', 'run.jsonl'], cwd);
  expect(replayed.status).toBe(2);
  expect(replayed.stderr).toMatch(notice);
  expect(replayed.stdout).toMatch(new RegExp(`^3 of ${entries} entries .*: all responses so far are the same`));
  const json = await run(['replay', 'run.jsonl', '--json'], cwd);
  expect({ status: json.status, ...JSON.parse(json.stdout) }).toMatchObject({ status: 2, entries: 3, leftOut: left });

  const judged = await run(
    ['replay', 'run.jsonl', '--judge', '--verdict', 'verdict.json', '--junit', 'junit.xml'],
    cwd,
  );
  expect(judged.status).toBe(2);
  const verdict = JSON.parse(readFileSync(join(cwd, 'verdict.json'), 'utf8'));
  expect(verdict).toMatchObject({ outcome: 'inconclusive', reason: expect.stringMatching(notice) });

  const exported = await run(['state', 'export', 'state.json', '--from', 'run.jsonl'], cwd);
  expect(exported.status).toBe(2);
  expect(exported.stderr).toContain(
    `got one with ${left} unreadable entries; --until 3 exports the last readable state`,
  );
  expect(existsSync(join(cwd, 'state.json'))).toBe(false);

  // Up to there nothing is missing.
  expect((await run(['replay', 'run.jsonl', '--until', '3'], cwd)).status).toBe(0);
  expect((await run(['replay', 'run.jsonl', '--until', '4'], cwd)).status).toBe(2);
  expect((await run(['state', 'export', 'state.json', '--from', 'run.jsonl', '--until', '3'], cwd)).status).toBe(0);
});

test('a replay counts entries from their positions if a line lost its end', async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'client.mjs'), client(true));
  await run(['exec', '--record', 'run.jsonl', '--', 'node', 'client.mjs'], cwd);
  const lines = readFileSync(join(cwd, 'run.jsonl'), 'utf8').trimEnd().split('\n');
  writeFileSync(join(cwd, 'run.jsonl'), `${lines.slice(0, 5).join('\n')} ${lines.slice(5).join('\n')}\n`);
  const { status, stderr } = await run(['replay', 'run.jsonl'], cwd);
  expect(status).toBe(2);
  expect(stderr).toContain(`is readable up to entry 3: `);
  expect(stderr).toContain(`; ${lines.length - 4} entries are ignored`);
});

test('the replay of a damaged folder counts the entries that it could not read', async () => {
  const cwd = newFolder();
  const { baseUrl, stop } = await startServer(['--data', 'data'], { cwd });
  for (let call = 0; call < 6; call++) {
    await (await fetch(`${baseUrl}/pets`, { headers: { authorization: 'Bearer free-key' } })).text();
  }
  await stop();
  const [name = ''] = readdirSync(join(cwd, 'data')).filter((file) => file.startsWith('log-'));
  const file = join(cwd, 'data', name);
  const entries = readFileSync(file, 'utf8').trimEnd().split('\n').length - 1;
  damage(file, 4);
  const { status, stdout } = await run(['replay', 'data', '--json'], cwd);
  expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 2, entries: 3, leftOut: entries - 3 });
});

test('a recorded server is served again from any entry', async () => {
  const cwd = newFolder();
  const server = await startServer(['--record', 'run.jsonl'], { cwd });
  const { baseUrl, controlUrl } = server.listening;
  const get = async (url: string) => {
    const response = await fetch(`${url}/pets?limit=1`, { headers: { authorization: 'Bearer free-key' } });
    await response.text();
    return response.headers.get('x-ratelimit-remaining');
  };
  for (const left of ['59', '58', '57']) expect(await get(baseUrl)).toBe(left);
  await fetch(`${controlUrl}/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"advance":"61s"}',
  });
  expect(await get(baseUrl)).toBe('59');
  await server.stop();
  expect((await run(['replay', 'run.jsonl'], cwd)).stdout).toMatch(
    /all responses are the same; the journal has 4 requests/,
  );

  // Entry 1 is the beginning.
  const again = await startReplay(['run.jsonl', '--until', '3', '--serve', '--port', '0'], cwd);
  expect(await get(again.baseUrl)).toBe('57');
  await again.stop();
});

/** Starts `replay --serve`. */
async function startReplay(args: readonly string[], cwd: string) {
  const started = startCommandLine(['replay', ...args, '--log', 'json'], { cwd });
  let line = await started.nextLine();
  while (!line.startsWith('{')) line = await started.nextLine();
  const { baseUrl } = JSON.parse(line);
  return { baseUrl: baseUrl as string, stop: () => started.child.kill('SIGKILL') };
}

test('a recording with different responses in another version ends the replay with 1 and names both versions', async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'client.mjs'), client(true));
  await run(['exec', '--record', 'run.jsonl', '--', 'node', 'client.mjs'], cwd);
  // Recording of a version with different bodies.
  const lines = readFileSync(join(cwd, 'run.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  lines[0].version = '0.0.9';
  lines[6].answered = [[lines[6].answered[0][0], '0000000000000000']];
  let chain = 0;
  const written = lines.map(({ crc: _, ...record }) => {
    const line = formatLine(record, chain);
    chain = line.chain;
    return line.bytes;
  });
  writeFileSync(join(cwd, 'other.jsonl'), Buffer.concat(written));
  const { status, stderr, stdout } = await run(['replay', 'other.jsonl'], cwd);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(
    /^petstore-sim: entry 5 of \S+ has a different response from petstore-sim \d+\.\d+\.\d+ than from 0\.0\.9, which recorded it\. The new response:\n {2}.*GET \/pets\?limit=1: 200 \[\{"id":1/s,
  );
});

test.for([
  [['replay'], 'expected a file from --record, or the folder of --data'],
  [['replay', 'nothing.jsonl'], 'got "nothing.jsonl": ENOENT'],
  [['replay', '.', '--until', 'soon'], 'expected --until to be the number of an entry or an instant'],
  [['replay', '.', '--port', '1'], 'expected --serve with --port, got no --serve'],
  [['replay', '.'], 'to contain the log of a server with --data, got none'],
  [['judge', '.'], 'got a folder among .; petstore-sim replay FOLDER --judge judges a folder of --data'],
  [['serve', '--record', 'no/where'], 'expected --record to name a writable file, got "no/where"'],
  [['serve', '--record', 'x', '--data', 'y'], 'expected either --data or --record'],
  [['serve', '--record', 'x', '--handlers', 'y'], 'expected --handlers to be a file, found none at'],
  [['state'], 'expected state export [FILE] or state import FILE'],
  [['state', 'export', '--until', '3'], 'expected --from with --until, got no --from'],
  [['state', 'export', '--url', 'http://127.0.0.1:1', '--from', 'run.jsonl'], 'expected either --url or --from'],
  [['state', 'export', '--as', 'yaml'], 'expected --as state or --as scenario, got "yaml"'],
  [['state', 'export', '--url', 'http://127.0.0.1:1'], 'expected a running server at --url http://127.0.0.1:1, got '],
  [['state', 'import'], 'expected a file from state export'],
] as const)('%j is refused with what to do', async ([args, message]) => {
  const { status, stderr } = await run(args, newFolder());
  expect(status).toBe(2);
  expect(stderr).toContain(message);
});
