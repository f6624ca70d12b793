import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { cli } from '../support/command-line.js';
import { runIn } from '../support/installed.js';
import { codeBlocks, root, userPage } from '../support/markdown.js';
import { newFolder } from '../support/new-folder.js';
import { programs as known } from '../support/programs.js';
import { type Client, clients } from './clients.js';
import { debianVersion, type Language, languages, programs } from './languages.js';

const exec = promisify(execFile);
const parent = newFolder();

/** The text of a section of a page, up to the next heading of its level. */
const sectionOf = (text: string, heading: string) => text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
const blocksOf = (page: string, heading: string) =>
  codeBlocks({ path: page, text: sectionOf(userPage(page).text, heading) }).map(({ text }) => text);

/** A new folder with the shared functions and the code of a client, as its page asks to save them. */
function copied({ name, language }: Client): string {
  const { folder, saved } = languages[language];
  const page = `docs/clients/${folder}.md`;
  const into = mkdtempSync(join(parent, `${folder}-`));
  const [shared = ''] = blocksOf(page, 'Shared functions');
  const [client = ''] = blocksOf(page, name);
  writeFileSync(join(into, saved.shared), shared);
  writeFileSync(join(into, saved.client), client);
  return into;
}

/** The command of the page, with what Debian's packages need in place of a package manager. */
const commands: Partial<Record<Language, (command: string) => string>> = {
  Python: (command) => command.replace('python3', '/usr/bin/python3 -B'),
  Go: () => 'env GOPATH=/usr/share/gocode GO111MODULE=off GOFLAGS= go run .',
  Java: (command) => command.replace('-cp .', `-cp .:${classPath}`),
};
const jars = ['httpclient5', 'httpcore5', 'httpcore5-h2', 'okhttp', 'okio', 'slf4j-api'];
const classPath = jars.map((name) => `/usr/share/java/${name}.jar`).join(':');

/** Runs the code of a client as its page says. @returns the exit code, the verdict, and the output on a failure */
async function runCopied(client: Client, cwd: string) {
  const { saved } = languages[client.language];
  const page = userPage(`docs/clients/${languages[client.language].folder}.md`).text;
  const [, printed = ''] = /`npx petstore-sim (exec [^`]*)` runs it/.exec(page) ?? [];
  expect(printed).toContain(saved.command);
  if (client.language === 'Java') await exec('javac', ['-cp', classPath, saved.shared, saved.client], { cwd });
  const command = commands[client.language]?.(saved.command) ?? saved.command;
  const args = printed.replace(` -- ${saved.command}`, ` --verdict verdict.json -- ${command}`).split(' ');
  const env = { ...process.env, NO_COLOR: '1' };
  const { code = 0, stderr } = await exec(process.execPath, [cli, ...args], { cwd, env }).catch((error) => error);
  const verdict = existsSync(join(cwd, 'verdict.json')) && JSON.parse(readFileSync(join(cwd, 'verdict.json'), 'utf8'));
  return { code, outcome: verdict.outcome, counts: verdict.counts, stderr };
}

/** A 429, the wait, and the list; the code ends with 0. */
const served = { code: 0, outcome: 'pass', counts: { requests: 2, served: 1, refused: 1 } };

const libraries = clients.filter(({ isLoop }) => !isLoop);
const isInRoot = ({ npm }: Client) => npm === undefined || existsSync(join(root, 'node_modules', npm));
const tagsOf = ({ debian = '' }: Client) =>
  Object.keys(known)
    .filter((name) => known[name]?.debian.includes(debian))
    .map((name) => `needs/${name}`);

/** Programs that the code in a language needs, by the names of their tags. */
const programsOf: Partial<Record<Language, string>> = {
  Go: 'go',
  Java: 'java',
  Ruby: 'ruby-faraday',
  PHP: 'php-guzzle',
};

describe.concurrent('the code of docs/clients runs as it was copied', { timeout: 240_000 }, () => {
  const inNode = libraries.filter(({ language }) => language === 'Node');

  test.each(inNode.filter(isInRoot).map((client) => [client.name, client] as const))('%s', async (_name, client) => {
    const cwd = copied(client);
    symlinkSync(join(root, 'node_modules'), join(cwd, 'node_modules'));
    const run = await runCopied(client, cwd);
    expect(run, run.stderr).toMatchObject(served);
  });

  test('the other libraries of Node, installed', { tags: 'extended', timeout: 600_000 }, async () => {
    const folder = mkdtempSync(join(parent, 'installed-'));
    cpSync(join(programs, 'node/package.json'), join(folder, 'package.json'));
    await runIn(folder, 'npm', ['install', '--no-package-lock', '--omit=dev', '--ignore-scripts', '--prefer-offline']);
    const others = inNode.filter((client) => !isInRoot(client));
    expect(others.length).toBeGreaterThan(5);
    // Each waits for seconds, and computes little.
    const runs = others.map(async (client) => {
      const cwd = copied(client);
      symlinkSync(join(folder, 'node_modules'), join(cwd, 'node_modules'));
      const run = await runCopied(client, cwd);
      expect(run, `${client.name}: ${run.stderr}`).toMatchObject(served);
    });
    await Promise.all(runs);
  });

  for (const client of libraries.filter(({ language }) => language !== 'Node')) {
    const { name, debian, language } = client;
    // CI has the programs with a tag. A library without one is tried where it is installed.
    const program = programsOf[language];
    const tags = [...new Set([...tagsOf(client), ...(program === undefined ? [] : [`needs/${program}`])])];
    const isOptional = debian !== undefined && tagsOf(client).length === 0;
    const isMissing = isOptional && debianVersion(debian) === '';
    test.skipIf(isMissing)(`${language}: ${name}`, { tags: isOptional ? ['extended', ...tags] : tags }, async () => {
      const run = await runCopied(client, copied(client));
      expect(run, run.stderr).toMatchObject(served);
    });
  }
});
