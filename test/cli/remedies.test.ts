import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDependencies } from '../../src/cli/client-dependencies.js';
import { resolveForClient, runClient } from '../../src/cli/client-run.js';
import { program } from '../../src/cli/program.js';
import type { Remedy } from '../../src/judge/finding.js';
import { describeRemedy } from '../../src/judge/report/wording.js';
import { readShippedScenarios } from '../../src/scenario-files/shipped-scenarios.js';
import { clientCommand } from '../support/client-program.js';
import { runCommandLine } from '../support/command-here.js';
import { newFolder } from '../support/new-folder.js';

const folder = newFolder();

let projects = 0;
/** A new folder with files. */
function project(files: Readonly<Record<string, string>>, parent = join(folder, String(projects++))): string {
  mkdirSync(parent, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(parent, name), text);
  return parent;
}

/** Command of a client that repeats a refused request at once. */
const hasty = clientCommand('for (let call = 0; call < 4; call++) await (await list()).text();');

const settingOfKy = 'if you use ky: `ky.extend({ fetch: patientFetch, retry: 0, timeout: false })`; its code: ';
const ky = `${settingOfKy}npx --no-install petstore-sim fix ky`;
const packageOf = (...names: string[]) =>
  JSON.stringify({ dependencies: Object.fromEntries(names.map((name) => [name, '1'])) });

describe('dependencies', () => {
  const read = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(readDependencies(project(files))).map(([page, names]) => [page, [...(names ?? [])]]),
    );

  test('are the packages of package.json, of any kind', () => {
    const text = '{"name":"got","dependencies":{"ky":"1"},"devDependencies":{"p-retry":"7"},"scripts":{"axios":"x"}}';
    expect(read({ 'package.json': text }).node).toEqual(['ky', 'p-retry']);
  });

  test.each(['', '{', 'null', '[]', '{"dependencies":null}', '{"dependencies":[]}'])(
    'are none in a package.json with the text %j',
    (text) => {
      expect(read({ 'package.json': text }).node).toEqual([]);
    },
  );

  test('are the packages of requirements.txt, without comments and options', () => {
    const text = '# backoff\n-r other.txt\n--hash=sha256:1\nTenacity>=8 # retries\n requests[socks]==2.28\n\nurllib3\n';
    expect(read({ 'requirements.txt': text }).python).toEqual(['tenacity', 'requests', 'urllib3']);
  });

  test('are the packages of pyproject.toml, and not its other texts', () => {
    const text = `[build-system]
requires = ["backoff"]
[project]
name = "backoff"
keywords = ["backoff"]
dependencies = [
  "requests[socks]>=2",
  'Tenacity ; python_version > "3"',
]
[project.scripts]
backoff = "backoff:main"
`;
    expect(read({ 'pyproject.toml': text }).python).toEqual(expect.arrayContaining(['requests', 'tenacity']));
    expect(read({ 'pyproject.toml': text }).python).not.toContain('backoff');
    const tables = '[tool.poetry.dependencies]\ntenacity = "^8"\n[dependency-groups]\ndev = ["backoff>1"]\n';
    expect(read({ 'pyproject.toml': tables }).python).toEqual(expect.arrayContaining(['tenacity', 'backoff']));
  });

  test('are the direct modules of go.mod', () => {
    const text = `module example.com/client
go 1.22
require github.com/hashicorp/go-retryablehttp v0.7.1
require (
	github.com/go-resty/resty v2.6.0
	golang.org/x/net v0.1.0 // indirect
)
`;
    expect(read({ 'go.mod': text }).go).toEqual(['github.com/hashicorp/go-retryablehttp', 'github.com/go-resty/resty']);
  });

  test('are the modules of a cpanfile', () => {
    expect(read({ cpanfile: "requires 'LWP::UserAgent::Determined', '1.07';\n" }).perl).toEqual([
      'LWP::UserAgent::Determined',
    ]);
  });

  test('come from the nearest folder with a manifest, for each language', () => {
    const outer = project({ 'package.json': packageOf('got'), 'requirements.txt': 'tenacity\n' });
    const inner = project({ 'package.json': packageOf('ky') }, join(outer, 'client'));
    const { node, python } = readDependencies(project({}, join(inner, 'src')));
    expect([[...(node ?? [])], [...(python ?? [])]]).toEqual([['ky'], ['tenacity']]);
  });
});

describe('a client whose User-Agent is node', () => {
  const { 'minute-wall': scenario = {} } = readShippedScenarios();
  const remediesIn = async (files: Readonly<Record<string, string>>) => {
    const run = await runClient(hasty, resolveForClient(scenario), { output: 'keep', folder: project(files) });
    return (run.verdict.remedies ?? []).map(({ fix, isCertain }) => (isCertain ? fix : `if you use ${fix}`));
  };

  test.each([
    ['ky', packageOf('ky', 'express'), ['if you use ky']],
    ['no client', packageOf('express'), ['if you use fetch']],
    ['two clients', packageOf('ky', 'ofetch'), ['if you use ky', 'if you use ofetch']],
  ])('gets the line of the dependency: %s', async (_, text, expected) => {
    expect(await remediesIn({ 'package.json': text })).toEqual(expected);
  });

  test('shows it once in every report of exec, and in a replay the line of the runtime', async () => {
    const cwd = project({ 'package.json': packageOf('ky') });
    const files = ['--verdict', 'v.json', '--junit', 'j.xml', '--report', 'r.html', '--record', 'run.jsonl'];
    const { err } = await runCommandLine(['exec', '--scenario', 'minute-wall', ...files, '--', ...hasty], { cwd });
    const text = (file: string) => readFileSync(join(cwd, file), 'utf8');
    const inOneLine = err.replace(/\s+/g, ' ');
    expect(inOneLine.split(`${settingOfKy}${program} fix ky `)).toHaveLength(2);
    const { remedies } = JSON.parse(text('v.json')) as { remedies: Remedy[] };
    expect(remedies.map((remedy) => describeRemedy(remedy))).toEqual([ky]);
    expect(text('j.xml').split(`\n${ky}`)).toHaveLength(2);
    expect(text('r.html')).toContain(JSON.stringify(remedies));

    const replayed = await runCommandLine(['replay', 'run.jsonl', '--judge', '--verdict', 'again.json'], { cwd });
    expect(replayed.code).toBe(1);
    expect(JSON.parse(text('again.json')).remedies).toMatchObject([{ fix: 'fetch', isCertain: false }]);
  });

  test('shows it in hunt', async () => {
    const cwd = project({ 'package.json': packageOf('ky') });
    const { out } = await runCommandLine(['hunt', '--runs', '6', '--junit', 'h.xml', '--', ...hasty], { cwd });
    expect(out.replaceAll(/\s+/g, ' ').split(` ${settingOfKy}${program} fix ky `)).toHaveLength(2);
    expect(readFileSync(join(cwd, 'h.xml'), 'utf8').split(`\n${ky}`)).toHaveLength(2);
  });

  test('shows it in gauntlet and certify', async () => {
    const cwd = project({ 'package.json': packageOf('ky') });
    const scenarios = ['minute-wall', 'near-minute-limit'];
    const gauntlet = await runCommandLine(['gauntlet', ...scenarios, '--', ...hasty], { cwd });
    expect(gauntlet.out.replaceAll(/\s+/g, ' ').split(` ${settingOfKy}${program} fix ky `)).toHaveLength(2);

    writeFileSync(join(cwd, 'client.mjs'), hasty.at(-1) ?? '');
    writeFileSync(join(cwd, 'sdks.yaml'), 'sdks: { hasty: { command: node client.mjs } }\nscenarios: [minute-wall]\n');
    const certified = await runCommandLine(['certify', 'sdks.yaml', '--junit', 'sdks.xml'], { cwd });
    expect(certified.out.replaceAll(/\s+/g, ' ').split(` ${settingOfKy}${program} fix ky `)).toHaveLength(2);
    const text = (file: string) => readFileSync(join(cwd, file), 'utf8');
    expect(text('sdks.xml').split(`\n${ky}`)).toHaveLength(2);
    const [sdk] = JSON.parse(text('certificate/certificate.json')).sdks;
    expect(sdk.remedies).toMatchObject([{ fix: 'ky', isCertain: false }]);
    const shown = ky.replace(/`(.*?)`/, '<code>$1</code>');
    expect(text('certificate/certificate.html')).toContain(`<li><b>hasty</b> ${shown}</li>`);
    expect(text('certificate/certificate.md')).toContain('- hasty: if you use ky: ');
  });
});
