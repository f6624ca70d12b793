import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../src');

/**
 * Which rooms, the folders of src/, a room may import from; everything else is an error. No room imports entries/, which
 * imports any. docs/architecture.md explains the order. A line deeper in continues the one above.
 */
const laws: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  `
  values:
  validation: values
  clock: values
  requests: clock validation values
  rate-limits: requests values
  journal: requests values
  in-process: clock journal requests values
  faults: rate-limits requests values
  scenario: clock faults rate-limits requests validation values
  simulator: clock faults in-process journal rate-limits requests scenario values
  sandboxes: scenario simulator values
  traffic-files: requests values
  judge: journal rate-limits requests scenario simulator traffic-files values
  http: clock in-process rate-limits requests scenario simulator values
  control-api: clock faults http journal judge rate-limits requests sandboxes scenario simulator traffic-files
      validation values
  petstore: clock control-api rate-limits requests scenario simulator validation values
  scenario-files: control-api petstore rate-limits requests scenario simulator validation values
  own-routes: control-api http in-process rate-limits requests simulator validation values
  server: control-api http in-process journal own-routes petstore rate-limits requests sandboxes scenario simulator
      values
  persistence: clock control-api faults journal judge petstore rate-limits requests sandboxes scenario
      scenario-files server simulator values
  dashboard: control-api judge rate-limits simulator values
  fidelity: judge petstore rate-limits requests scenario simulator traffic-files values
  hunt: clock judge petstore rate-limits requests scenario simulator validation values
  test-kits: clock hunt in-process journal judge petstore scenario scenario-files server simulator values
  cli: clock control-api fidelity http hunt judge own-routes persistence petstore rate-limits requests sandboxes
      scenario scenario-files server simulator traffic-files validation values
`
    .split(/\n {2}(?! )/)
    .slice(1)
    .map((line) => line.split(':') as [string, string])
    .map(([room, above]) => [room, above.match(/\S+/g) ?? []]),
);

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && statSync(join(root, file)).isFile())
  .map((file) => file.replaceAll('\\', '/'));

/** The files of src/ that a file imports, types included. */
const importsOf = (file: string): string[] => {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g);
  return Array.from(found, ([, path = '']) =>
    relative(root, join(root, dirname(file), path)).replaceAll('\\', '/'),
  ).map((path) => `${path}${['.tsx', '.d.ts'].find((ending) => existsSync(join(root, `${path}${ending}`))) ?? '.ts'}`);
};

const imports = new Map(files.map((file) => [file, importsOf(file)]));
const roomOf = (file: string) => file.split('/')[0] as string;
/** Files that the linter lets use Node. The dashboard's have a rule of their own. */
const nodeFiles = (() => {
  const { overrides } = JSON.parse(readFileSync(join(root, '../biome.json'), 'utf8'));
  const excepted = (overrides[0].includes as string[]).filter(
    (each) => each.startsWith('!') && !/dashboard/.test(each),
  );
  const patterns = excepted.map((each) => each.slice('!src/'.length).replace('**/', '(?:.+/)?').replace('/**', '/.+'));
  return new RegExp(`^(?:${patterns.join('|')})$`);
})();
const usesNode = (file: string) => nodeFiles.test(file);

test('finds every import of src/, so that the rules below cover all of them', () => {
  expect(files.length).toBeGreaterThan(150);
  expect([...imports.values()].flat().filter((file) => !imports.has(file))).toEqual([]);
  expect([...imports.values()].flat().length).toBeGreaterThan(600);
});

test('a room imports only from the rooms above it in the list', () => {
  const broken = [...imports].flatMap(([file, targets]) => {
    const allowed = [roomOf(file), ...(laws[roomOf(file)] ?? [])];
    if (roomOf(file) === 'entries') return [];
    return targets.filter((target) => !allowed.includes(roomOf(target))).map((target) => `${file} imports ${target}`);
  });
  expect(broken).toEqual([]);
  const order = Object.keys(laws);
  const upwards = Object.entries(laws).flatMap(([room, allowed]) =>
    allowed.filter((target) => order.indexOf(target) >= order.indexOf(room)).map((target) => `${room} -> ${target}`),
  );
  expect(upwards).toEqual([]);
});

test('every folder is a room of the list, which docs/architecture.md has in the same order', () => {
  expect([...new Set(files.map(roomOf))].filter((room) => !(room in laws))).toEqual(['entries']);
  const page = readFileSync(join(root, '../docs/architecture.md'), 'utf8');
  const listed = page.slice(page.indexOf('## Folders'), page.indexOf('## The package'));
  expect(Array.from(listed.matchAll(/^([\w-]+)\/ /gm), ([, room]) => room)).toEqual([...Object.keys(laws), 'entries']);
});

test('a file that may not use Node imports no file that may, types included', () => {
  expect(files.filter(usesNode)).toEqual(expect.arrayContaining(['server/server.ts', 'judge/node/machine-lag.ts']));
  const broken = [...imports].flatMap(([file, targets]) =>
    usesNode(file) ? [] : targets.filter(usesNode).map((target) => `${file} imports ${target}`),
  );
  expect(broken).toEqual([]);
});

test('each file of entries/ is public, with its declarations in `exports` and `typesVersions`', () => {
  const { exports, typesVersions, types } = JSON.parse(readFileSync(join(root, '../package.json'), 'utf8'));
  // The entry of Vitest has another file for browsers.
  const entries = files.flatMap((file) => /^entries\/(?!vitest-browser)(.*)\.ts$/.exec(file)?.[1] ?? []);
  for (const entry of entries) {
    const declarations = `./dist/types/entries/${entry}.d.ts`;
    const { default: module, types: exported } = exports[entry === 'index' ? '.' : `./${entry}`] ?? {};
    const older = entry === 'index' ? types : `./${typesVersions['*'][entry]}`;
    expect([module, exported?.default ?? exported, older]).toEqual([`./dist/${entry}.js`, declarations, declarations]);
  }
});

test('the product imports none of the tools around it', () => {
  const tools = ['fidelity', 'hunt', 'test-kits', 'cli'];
  const product = Object.entries(laws).filter(([room]) => !tools.includes(room));
  expect(product.filter(([, allowed]) => allowed.some((room) => tools.includes(room)))).toEqual([]);
});

test('no files import each other in a circle, types included', () => {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) {
      circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      return;
    }
    if (done.has(file)) return;
    for (const target of imports.get(file) ?? []) visit(target, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});
