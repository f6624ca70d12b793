import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { listeningLines } from '../../src/cli/listening-lines.js';
import { createRequestLog } from '../../src/cli/request-log.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { serve } from '../../src/entries/node.js';
import { LogOpenError } from '../../src/persistence/log.js';
import { openFileLog } from '../../src/persistence/node/folder/file-log.js';
import { makeFolders } from '../../src/persistence/node/folder/make-folders.js';
import { readSetFlag } from '../../src/scenario-files/overrides.js';
import { readScenarioAndFiles } from '../../src/scenario-files/scenario-files.js';
import { newFolder } from '../support/new-folder.js';

const server = { baseUrl: 'http://127.0.0.1:4010/v1', controlUrl: 'http://127.0.0.1:4010/__sim' };

test('the banner shows the windows of the scenario', () => {
  const banner = (windows: Scenario['windows'] & {}) =>
    listeningLines('pretty', createSimulator({ scenario: { windows } }), server, false).join('\n');
  expect(banner({})).toContain('60 a minute, 1,000 a day');
  expect(banner({ minute: '10s', day: '5m' })).toContain('60 in 10 s, 1,000 in 5 min');
});

test('the start message names a backend and limits that are off', () => {
  const sim = createSimulator({ scenario: { limits: 'off' } });
  const upstream = 'http://127.0.0.1:3000';
  const text = stripVTControlCharacters(listeningLines('pretty', sim, { ...server, upstream }, false).join('\n'));
  expect(text).toContain('\n  Backend    http://127.0.0.1:3000\n  Limits     off\n');
  expect(text).not.toContain('60 a minute');
  const [line = ''] = listeningLines('json', sim, { ...server, upstream }, false);
  expect(JSON.parse(line)).toMatchObject({ upstream, limits: 'off' });
  const [plain = ''] = listeningLines('json', createSimulator(), server, false);
  expect(Object.keys(JSON.parse(plain))).toEqual(['event', 'baseUrl', 'controlUrl', 'keys', 'next']);
});

test('the start message names the local address besides a public URL', () => {
  const sim = createSimulator();
  const urls = { baseUrl: 'https://team.example/petstore/v1', controlUrl: 'https://team.example/petstore/__sim' };
  const behindProxy = { ...urls, localUrl: 'http://127.0.0.1:43211' };
  const text = stripVTControlCharacters(listeningLines('pretty', sim, behindProxy, false).join('\n'));
  expect(text).toContain('\n  Local      http://127.0.0.1:43211\n');
  expect(JSON.parse(listeningLines('json', sim, behindProxy, false)[0] ?? '')).toMatchObject(behindProxy);
  const local = { ...server, localUrl: 'http://127.0.0.1:4010' };
  expect(listeningLines('pretty', sim, local, false).join('\n')).not.toContain('Local ');
  expect(JSON.parse(listeningLines('json', sim, local, false)[0] ?? '')).not.toHaveProperty('localUrl');
});

test('the start message tries what is served, in commands that a shell reads as printed', () => {
  const sim = createSimulator();
  const tried = (more: Parameters<typeof listeningLines>[2]) => {
    const text = stripVTControlCharacters(listeningLines('pretty', sim, more, true).join('\n'));
    const [, tries = ''] = text.split(/^ {2}Try {8}/m);
    expect(Math.max(...text.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(80);
    return {
      text,
      tries: tries
        .replace(/^ {13}/gm, '')
        .replace(/ \\\n +/g, ' ')
        .trim()
        .split('\n'),
    };
  };
  expect(tried(server).tries).toEqual([
    "curl -i 'http://127.0.0.1:4010/v1/pets?limit=3' -H 'Authorization: Bearer free-key'",
    `curl -i http://127.0.0.1:4010/v1/pets -H 'Authorization: Bearer free-key' -H 'Content-Type: application/json' -d '{"name":"Rex","categoryId":1}'`,
    `curl -s http://127.0.0.1:4010/__sim/clock -H "Authorization: Bearer $CONTROL_TOKEN" -H 'Content-Type: application/json' -d '{"advance":"61s"}'`,
  ]);
  const upstream = { url: 'http://127.0.0.1:3000', withoutApi: true };
  const { text, tries } = tried({ ...server, upstream });
  expect(text).toContain('\n  API        http://127.0.0.1:4010\n');
  expect(text).not.toContain('/v1');
  expect(tries[0]).toBe("curl -i http://127.0.0.1:4010/ -H 'Authorization: Bearer free-key'");
  expect(tries).toHaveLength(2);
  const [line = ''] = listeningLines('json', sim, { ...server, upstream }, false);
  expect(JSON.parse(line)).toMatchObject({ baseUrl: 'http://127.0.0.1:4010', upstream: 'http://127.0.0.1:3000' });
});

test('the pretty log omits only the reads of the dashboard', () => {
  const lines: string[] = [];
  const log = createRequestLog('pretty', (line) => lines.push(line));
  const sim = createSimulator();
  const answer = { by: 'control', sim, status: 200, headers: {}, body: '' } as const;
  const page = { 'sec-fetch-site': 'same-origin' } as const;
  log?.({ method: 'GET', url: '/__sim/updates?after=1', headers: page }, answer, 1);
  log?.({ method: 'GET', url: '/__sim/keys', headers: {} }, answer, 1);
  log?.({ method: 'POST', url: '/__sim/reset', headers: page }, answer, 1);
  log?.({ method: 'GET', url: '/__sim/journal/9', headers: page }, { ...answer, status: 404 }, 1);
  const targets = lines.map((line) => /(?:GET|POST) (\S+)/.exec(line)?.[1]);
  expect(targets).toEqual(['/__sim/keys', '/__sim/reset', '/__sim/journal/9']);
});

test('serve without a folder names the option, and the alternative', async () => {
  await expect(serve({ scenario: 'default' } as never)).rejects.toThrow(
    'serve: expected data, a folder or the address of a store, got undefined; without one, listen(',
  );
});

test('--set with a key that resembles one of the scenario prints a note', async () => {
  const notes = async (...flags: string[]) => {
    const overrides = await Promise.all(flags.map(readSetFlag));
    return (await readScenarioAndFiles('default', { overrides })).notes;
  };
  expect(await notes('keys.fre-key.usage.minute=60')).toEqual([
    '--set creates a new key, "fre-key"; did you mean free-key?',
  ]);
  expect(await notes('keys.free-key.usage.minute=60', 'keys.somebody.plan=pro')).toEqual([]);
});

test('creates only missing folders, one by one, for this user only', () => {
  const folder = newFolder();
  const [one, two] = [join(folder, 'a'), join(folder, 'a/b')];
  expect(makeFolders(two, 0o700)).toEqual([one, two]);
  expect([one, two].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
  expect(makeFolders(two, 0o700)).toEqual([]);
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolders(join(folder, 'file'))).toThrow('EEXIST');
  expect(() => makeFolders(join(folder, 'file/below'))).toThrow('ENOTDIR');
});

test.runIf(process.platform === 'linux')('rejects a log folder below /proc', async () => {
  await expect(openFileLog('/proc/petstore-sim/state', { onFailure: () => {} } as never)).rejects.toThrow(LogOpenError);
});
