import { existsSync } from 'node:fs';
import type { Metafile } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { bundle as bundled, imports, measureBundles, notedBundles } from '../../bench/bundle.mjs';

interface Bundle {
  gzipBytes: number;
  metafile: Metafile;
}
const bundle: (contents: string) => Promise<Bundle> = bundled;

/**
 * Gzipped sizes of a page's download without msw (67 kB), and minified bytes of each module. A scenario or a method of a
 * simulator may need each module of a page's usual imports, so a page without one would reject the same scenario. Every
 * export adds the texts of the assumptions and the description of the service.
 */
interface Sizes {
  gzipBytes: Record<'pages' | 'everything' | 'persist', number>;
  modules: Readonly<Record<string, number>>;
}

const filesIn = ({ metafile }: Bundle) =>
  Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0);

/** The modules that differ most from their noted size, such as `+812 src/simulator/simulator.ts`. */
function changesOf(now: Sizes['modules'], noted: Sizes['modules']): string[] {
  return [...new Set([...Object.keys(now), ...Object.keys(noted)])]
    .map((file) => ({ file, bytes: (now[file] ?? 0) - (noted[file] ?? 0) }))
    .filter(({ bytes }) => bytes !== 0)
    .sort((a, b) => Math.abs(b.bytes) - Math.abs(a.bytes))
    .slice(0, 10)
    .map(({ file, bytes }) => `${bytes > 0 ? '+' : ''}${bytes} ${file}`);
}

describe('petstore-sim and petstore-sim/msw, bundled for a browser', () => {
  let result: Bundle;
  beforeAll(async () => {
    result = await bundle(imports.everything);
  });

  test('import nothing but msw from outside', () => {
    const imports = Object.values(result.metafile.outputs).flatMap((output) => output.imports);
    expect(imports.map(({ path, external }) => ({ path, external }))).toEqual([{ path: 'msw', external: true }]);
  });

  test('contain no code of Express, valibot, Node, the HTTP adapter or the control API', () => {
    const ours = ['src/server/', 'src/http/', 'src/control-api/', 'src/scenario-files/', 'src/entries/seed.ts'];
    expect(ours.filter((path) => !existsSync(path))).toEqual([]);
    const foreign = ['node:', '/node/', 'express', 'valibot', ...ours];
    const files = Object.keys(result.metafile.inputs);
    expect(files.filter((file) => foreign.some((part) => file.includes(part)))).toEqual([]);
  });

  test('contain the codes of findings, which a scenario may name, but no rule of the judge', () => {
    const files = filesIn(result).map(([file]) => file);
    expect(files).toContain('src/scenario/expectation.ts');
    expect(files.filter((file) => file.startsWith('src/judge'))).toEqual([]);
  });

  test('have only the usual imports of a page without the texts of the assumptions', async () => {
    expect(filesIn(await bundle(imports.pages)).map(([file]) => file)).not.toContain('src/petstore/assumptions.ts');
  });
});

describe('the download of a page', () => {
  let now: Sizes;
  beforeAll(async () => {
    now = await measureBundles();
  });
  const noted: Sizes = notedBundles();

  test.each(['pages', 'everything', 'persist'] as const)('is within 3 %% of its noted size: %s', (name) => {
    const [bytes, size] = [now.gzipBytes[name], noted.gzipBytes[name]];
    const advice = `if the feature is worth ${bytes - size} bytes, "node bench/bundle.mjs" notes them; bytes before gzip:`;
    const changes = changesOf(now.modules, noted.modules).join('\n');
    expect(Math.abs(bytes - size) / size, `${advice}\n${changes}\n`).toBeLessThanOrEqual(0.03);
  });

  test('is unchanged by petstore-sim/persist, unless a page imports it', async () => {
    const persisted = 'src/petstore/persisted-state.ts';
    const files = async (contents: string) => filesIn(await bundle(contents)).map(([file]) => file);
    expect(await files("export * from './entries/persist.js';")).toContain(persisted);
    expect(await files(imports.pages)).not.toContain(persisted);
  });
});

test('a module that has changed is named with its bytes', () => {
  const changes = changesOf({ 'a.ts': 100, 'b.ts': 300, 'new.ts': 20 }, { 'a.ts': 101, 'b.ts': 100, 'gone.ts': 7 });
  expect(changes).toEqual(['+200 b.ts', '+20 new.ts', '-7 gone.ts', '-1 a.ts']);
});

test('petstore-sim/seed without faker is small', async () => {
  const seed = await bundle("export * from './entries/seed.js';");
  expect(Object.keys(seed.metafile.inputs).filter((file) => file.includes('node_modules'))).toEqual([]);
  // 149 kB with faker, for its 42 names.
  expect(seed.gzipBytes).toBeLessThanOrEqual(1_700);
});
