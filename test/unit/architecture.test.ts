import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../src');

/** Which folders of src/ a folder may import from; everything else is an error. docs/architecture.md explains the order. */
const laws: Readonly<Record<string, readonly string[]>> = {
  values: [],
  contract: ['values'],
  schema: ['values'],
  state: ['contract', 'values'],
  limits: ['contract', 'values'],
  faults: ['contract', 'values'],
  scenario: ['contract', 'faults', 'limits', 'schema', 'state', 'values'],
  adapters: ['contract', 'faults', 'state', 'values'],
  simulator: ['adapters', 'contract', 'faults', 'limits', 'scenario', 'state', 'values'],
  verdict: ['contract', 'limits', 'scenario', 'simulator', 'state', 'values'],
  control: [
    'adapters',
    'contract',
    'faults',
    'limits',
    'scenario',
    'schema',
    'simulator',
    'state',
    'values',
    'verdict',
  ],
  log: [
    'adapters',
    'contract',
    'control',
    'faults',
    'limits',
    'scenario',
    'schema',
    'simulator',
    'state',
    'values',
    'verdict',
  ],
  dashboard: ['control', 'simulator', 'values', 'verdict'],
  fidelity: ['contract', 'control', 'limits', 'scenario', 'simulator', 'state', 'values', 'verdict'],
  node: ['adapters', 'contract', 'control', 'faults', 'log', 'scenario', 'schema', 'simulator', 'state', 'values'],
  kit: ['contract', 'scenario', 'schema', 'simulator', 'state', 'values', 'verdict'],
  cli: [
    'adapters',
    'contract',
    'control',
    'fidelity',
    'log',
    'node',
    'scenario',
    'schema',
    'simulator',
    'state',
    'values',
    'verdict',
  ],
};

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
const folderOf = (file: string) => (file.includes('/') ? (file.split('/')[0] as string) : 'entries');

test('every import of src/ is found, so that the laws below see all of them', () => {
  expect(files.length).toBeGreaterThan(150);
  expect([...imports.values()].flat().filter((file) => !imports.has(file))).toEqual([]);
  expect([...imports.values()].flat().length).toBeGreaterThan(600);
});

test('a folder imports only from the folders below it', () => {
  const broken = [...imports].flatMap(([file, targets]) => {
    const allowed = laws[folderOf(file)];
    if (folderOf(file) === 'entries') return [];
    return targets
      .filter((target) => folderOf(target) !== folderOf(file) && !allowed?.includes(folderOf(target)))
      .map((target) => `${file} imports ${target}`);
  });
  expect(broken).toEqual([]);
});

test('the top of src/ holds public entries alone, which nothing below imports', () => {
  const manifest = readFileSync(join(root, '../package.json'), 'utf8');
  const loose = files.filter((file) => !file.includes('/') && !manifest.includes(`dist/${file.replace('.ts', '.js')}`));
  expect(loose).toEqual([]);
  const upwards = [...imports].flatMap(([file, targets]) =>
    targets
      .filter((target) => folderOf(file) !== 'entries' && folderOf(target) === 'entries')
      .map((target) => `${file} imports ${target}`),
  );
  expect(upwards).toEqual([]);
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
