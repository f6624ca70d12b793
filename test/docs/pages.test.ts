import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript, run by npm run picture
import { dashboardHash } from '../../scripts/dashboard-hash.mjs';
import {
  anchorsOf,
  clonePages,
  codeBlocks,
  isOfClients,
  type Page,
  proseOf,
  root,
  userPage,
  userPages,
} from '../support/markdown.js';
import { installCommand, programs } from '../support/programs.js';

const pages = [...userPages, ...clonePages];
/** Without the pages that `npm run clients` and `npm run bench` write. */
const ownPages = pages.filter((page) => !isOfClients(page) && page.path !== 'docs/performance.md');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

interface Link {
  page: Page;
  /** Path from the root of the repository; for an anchor alone, the path of the page. */
  path: string;
  anchor: string | undefined;
}

const linksOf = (page: Page): Link[] =>
  [
    ...proseOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]+))?\)/g),
    ...proseOf(page).matchAll(/ (?:src|srcset)="([^"]+)"/g),
  ].map(([, path = '', anchor]) => ({
    page,
    path: path === '' ? page.path : normalize(join(dirname(page.path), path)),
    anchor,
  }));
const links = pages.flatMap(linksOf);

/** The files that match a path whose last part may contain `*`. */
function filesLike(path: string): string[] {
  const folder = dirname(path);
  if (!existsSync(join(root, folder))) return [];
  const name = new RegExp(`^${basename(path).replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
  return readdirSync(join(root, folder))
    .filter((file) => name.test(file))
    .map((file) => join(folder, file));
}

/** Whether npm puts a file into the package. */
const isPacked = (path: string) =>
  ['README.md', 'LICENSE', 'package.json'].includes(path) ||
  (!manifest.files.includes(`!${path}`) &&
    (manifest.files as string[]).some((pattern) =>
      pattern.includes('*') ? filesLike(pattern).includes(path) : path === pattern || path.startsWith(`${pattern}/`),
    ));

test('the README fits on a few screens', () => {
  expect(userPage('README.md').text.split('\n').length).toBeLessThanOrEqual(220);
});

test('CONTRIBUTING lists every program that a test needs, and every test file that only test:all runs', () => {
  const { text } = clonePages.find(({ path }) => path === 'CONTRIBUTING.md') as Page;
  expect(text).toContain(`\n${installCommand(Object.keys(programs))}\n`);
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${path}`);
  const isExtended = (path: string) =>
    /^\/\/ @module-tag extended$|tags: 'extended'|\['extended'\]|, 'extended'\]|'extended' : /m.test(
      readFileSync(join(root, path), 'utf8'),
    );
  const named = [...text.replace(/^[^|].*$/gm, '').matchAll(/`(test\/[^`]+\.test\.ts)`/g)].map(([, path]) => path);
  expect([...new Set(named)].sort()).toEqual(
    files.filter((path) => isExtended(path) && !/\/(pages|missing-programs)\.test/.test(path)).sort(),
  );
});

test('the README links to every page, and docs/clients.md to the settings pages', () => {
  const reached = new Set(
    ['README.md', 'docs/clients.md'].flatMap((path) => linksOf(userPage(path))).map(({ path }) => path),
  );
  for (const { path } of userPages) if (path !== 'README.md') expect(reached).toContain(path);
});

test('every link has an existing file and heading as its target', () => {
  expect(links.length).toBeGreaterThan(40);
  for (const { page, path, anchor } of links) {
    expect(existsSync(join(root, path)), `${page.path} links to ${path}`).toBe(true);
    if (anchor === undefined) continue;
    const target = pages.find((each) => each.path === path);
    expect(anchorsOf(target as Page), `${page.path} links to ${path}#${anchor}`).toContain(anchor);
  }
});

test('files of the package link only to files of the package', () => {
  // These pictures alone would add a third to the package. npm shows them from the repository.
  const inPackage = links.filter(({ page, path }) => isPacked(page.path) && !path.endsWith('.webp'));
  expect(inPackage.length).toBeGreaterThan(40);
  for (const { page, path } of inPackage) expect(isPacked(path), `${page.path} links to ${path}`).toBe(true);
});

test('the picture of the dashboard is not older than the code of the dashboard', () => {
  const proof = JSON.parse(readFileSync(join(root, 'test/proof.json'), 'utf8'));
  expect(proof['page.webp'].dashboard, 'run npm run picture').toBe(dashboardHash());
});

test('every path in a page exists, in the repository or next to the page', () => {
  const folders = 'src|test|scripts|bench|examples|scenarios|fixtures|docs|lint';
  const named = ownPages.flatMap((page) =>
    [...page.text.matchAll(new RegExp(`\`((?:${folders})/[\\w./*-]+)\``, 'g'))].map(([, path]) => ({
      page,
      path: path as string,
    })),
  );
  expect(named.length).toBeGreaterThan(20);
  const isThere = (path: string) => (path.includes('*') ? filesLike(path).length > 0 : existsSync(join(root, path)));
  for (const { page, path } of named) {
    expect(isThere(path) || isThere(join(dirname(page.path), path)), `${page.path} names ${path}`).toBe(true);
  }
});

test('the npm scripts in the pages exist', () => {
  const named = pages.flatMap(({ text }) => [...text.matchAll(/\bnpm (?:run )?(start|test|(?<=run )[\w:-]+)/g)]);
  expect(named.length).toBeGreaterThan(8);
  const known = [...Object.keys(manifest.scripts), ...exampleScripts()];
  for (const [command, script = ''] of named) expect(known, command).toContain(script);
});

const exampleScripts = () =>
  readdirSync(join(root, 'examples'))
    .map((name) => join(root, 'examples', name, 'package.json'))
    .filter((file) => existsSync(file))
    .flatMap((file) => Object.keys(JSON.parse(readFileSync(file, 'utf8')).scripts));

describe('the folder maps list the existing folders', () => {
  const foldersIn = (path: string) =>
    readdirSync(join(root, path)).filter(
      (name) => !name.startsWith('.') && statSync(join(root, path, name)).isDirectory(),
    );
  const mapped = (page: Page) =>
    codeBlocks(page)
      .filter(({ language }) => language === 'text')
      .flatMap(({ text }) => [...text.matchAll(/^([\w-]+)\/ +\S/gm)].map(([, folder]) => folder));

  test('docs/architecture.md lists the folders of src', () => {
    expect(mapped(userPage('docs/architecture.md')).sort()).toEqual(foldersIn('src').sort());
  });

  test('CONTRIBUTING.md lists the other folders of the repository', () => {
    const page = clonePages.find(({ path }) => path === 'CONTRIBUTING.md') as Page;
    const built = ['src', 'dist', 'node_modules', 'coverage'];
    const expected = foldersIn('.').filter((name) => !built.includes(name));
    expect(mapped(page).sort()).toEqual(expected.sort());
  });
});

test('a test runs every language of the code blocks', () => {
  // console: transcripts.test.ts; ts, tsx, js: code.test.ts; yaml, json: scenarios.test.ts. sh holds only what npm and git run; ci.test.ts runs docs/ci.md.
  // dockerfile: containers.test.ts. haproxy, nginx: test/replicas/balancers.test.ts. python, go, java: test/clients/runner-helpers.test.ts.
  const known = [
    'console',
    'ts',
    'tsx',
    'js',
    'yaml',
    'json',
    'sh',
    'text',
    'dockerfile',
    'haproxy',
    'nginx',
    'python',
    'go',
    'java',
  ];
  const blocks = ownPages.filter((page) => userPages.includes(page)).flatMap(codeBlocks);
  for (const { place, language } of blocks) expect(known, place).toContain(language);
  for (const { place, text, language } of blocks)
    if (language === 'sh' && !place.startsWith('docs/ci.md'))
      expect(text, place).toMatch(/^((?:npm|git clone) .+\n)+$/);
});

test('the pages avoid the discouraged words', () => {
  for (const page of ownPages) {
    // A generated table contains the words of the code.
    const written = proseOf(page).replace(/^<!-- (\w+): written.*?^<!-- \/\1 -->$/gms, '');
    const found = written.match(/\b(?:animals?|doors?|worlds?|whoever|spoil\w*|is none|in force)\b/gi);
    expect(found, page.path).toBeNull();
  }
});
