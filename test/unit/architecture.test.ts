import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../src');

/**
 * Which folders of src/ a folder may import from; everything else is an error. A folder `node/` is not part of its room,
 * so the room cannot import it. No folder imports entries/, which imports any. docs/architecture.md explains the order. A
 * line deeper in continues the one above.
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
  own-routes: in-process rate-limits requests simulator values
  sandboxes: scenario simulator values
  traffic-files: requests values
  judge: journal rate-limits requests scenario simulator traffic-files values
  control-api: clock faults journal judge rate-limits requests sandboxes scenario simulator traffic-files
      validation values
  persistence: clock control-api faults journal judge rate-limits requests sandboxes scenario simulator values
  petstore: clock control-api rate-limits requests scenario simulator traffic-files validation values
  dashboard: control-api judge rate-limits simulator values
  fidelity: judge petstore rate-limits requests scenario simulator traffic-files values
  hunt: clock judge petstore rate-limits requests scenario simulator validation values
  test-kits: clock hunt in-process journal judge petstore scenario simulator values
  judge/node:
  scenario/node: control-api petstore rate-limits requests scenario simulator validation values
  server/http: clock control-api in-process rate-limits requests scenario scenario/node simulator values
  own-routes/node: control-api in-process own-routes rate-limits requests server/http simulator validation values
  control-api/node: control-api judge rate-limits requests scenario/node server/http simulator traffic-files
      values
  server: control-api control-api/node in-process journal own-routes/node petstore rate-limits requests sandboxes
      scenario server/http simulator values
  persistence/node: control-api persistence petstore sandboxes scenario scenario/node server simulator values
  test-kits/node: judge/node scenario scenario/node server simulator test-kits values
  cli: clock control-api fidelity hunt judge judge/node own-routes/node persistence persistence/node petstore
      rate-limits requests sandboxes scenario scenario/node server server/http simulator traffic-files validation
      values
`
    .split(/\n {2}(?! )/)
    .slice(1)
    .map((line) => line.split(':') as [string, string])
    .map(([folder, above]) => [folder, above.match(/\S+/g) ?? []]),
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
/** Folder of a file in the list above: `control-api/node` for a file in it, and `control-api` for others of the room. */
const folderOf = (file: string) => {
  const [room = '', part = ''] = file.split('/');
  return `${room}/${part}` in laws ? `${room}/${part}` : room;
};
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

test('a folder imports only from the folders above it in the list', () => {
  const broken = [...imports].flatMap(([file, targets]) => {
    const allowed = laws[folderOf(file)];
    if (folderOf(file) === 'entries') return [];
    return targets
      .filter((target) => folderOf(target) !== folderOf(file) && !allowed?.includes(folderOf(target)))
      .map((target) => `${file} imports ${target}`);
  });
  expect(broken).toEqual([]);
});

test('a folder node/ has a place of its own in the list', () => {
  const folders = new Set(files.map(folderOf));
  expect([...folders].filter((folder) => !(folder in laws))).toEqual(['entries']);
  expect(files.filter((file) => file.includes('/node/') && !folderOf(file).endsWith('/node'))).toEqual([]);
});

test('a file that may not use Node imports no file that may, types included', () => {
  expect(files.filter(usesNode).map(folderOf)).toEqual(
    expect.arrayContaining(['server', 'judge/node', 'cli', 'entries']),
  );
  const broken = [...imports].flatMap(([file, targets]) =>
    usesNode(file) ? [] : targets.filter(usesNode).map((target) => `${file} imports ${target}`),
  );
  expect(broken).toEqual([]);
});

test('entries/ contains only public entries', () => {
  const manifest = readFileSync(join(root, '../package.json'), 'utf8');
  const entries = files.filter((file) => folderOf(file) === 'entries');
  const isPublic = (file: string) => manifest.includes(file.replace('entries/', 'dist/').replace('.ts', '.js'));
  expect(entries.filter((file) => !isPublic(file))).toEqual([]);
});

test('the product imports none of the tools around it', () => {
  const tools = ['fidelity', 'hunt', 'test-kits', 'test-kits/node', 'cli'];
  const product = Object.entries(laws).filter(([folder]) => !tools.includes(folder));
  expect(product.filter(([, allowed]) => allowed.some((folder) => tools.includes(folder)))).toEqual([]);
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

test('no folders import each other in a circle', () => {
  const order = Object.keys(laws);
  const upwards = Object.entries(laws).flatMap(([folder, allowed]) =>
    allowed
      .filter((target) => order.indexOf(target) >= order.indexOf(folder))
      .map((target) => `${folder} -> ${target}`),
  );
  expect(upwards).toEqual([]);
});
