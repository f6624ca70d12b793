import type { Metafile } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { bundle as bundled, imports } from '../../bench/bundle.mjs';

interface Bundle {
  gzipBytes: number;
  metafile: Metafile;
}
const bundle: (contents: string) => Promise<Bundle> = bundled;

/**
 * Gzipped size of a page's download without msw (67 kB). Measured when written: 31.8 kB with a page's usual imports,
 * 36.6 kB with every export, which adds the texts of the assumptions and the description of the service. Of the 31.8
 * kB, the check of scenarios and fault rules is about 5, the pipeline and the operations with exact JSON 4.5, the
 * clock, the pets and the journal 4, keys, windows and bans 2.5, fault rules and their effects 2.5, the adapters 1.5. A
 * scenario or a method of a simulator may need each of these, so a page without one would reject the same scenario.
 */
const mostKilobytes = { whatPagesImport: 34.9, everything: 41.8, persist: 3.75 };

const filesIn = ({ metafile }: Bundle) =>
  Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0);

/** Names the ten largest files on a failure, to find the growth. */
function expectAtMost(kilobytes: number, result: Bundle): void {
  const largest = filesIn(result)
    .sort(([, a], [, b]) => b.bytesInOutput - a.bytesInOutput)
    .slice(0, 10)
    .map(([file, { bytesInOutput }]) => `${bytesInOutput} ${file}`);
  const bytes = result.gzipBytes;
  expect(bytes, `bytes before gzip:\n${largest.join('\n')}\n`).toBeLessThanOrEqual(kilobytes * 1000);
  expect(bytes).toBeGreaterThan(5_000);
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
    const packages = /node:|express|valibot|src\/node\/|src\/seed|src\/control-api\//;
    expect(Object.keys(result.metafile.inputs).filter((file) => packages.test(file))).toEqual([]);
  });

  test('contain the codes of findings, which a scenario may name, but no rule of the judge', () => {
    const files = filesIn(result).map(([file]) => file);
    expect(files).toContain('src/scenario/expectation.ts');
    expect(files.filter((file) => file.startsWith('src/judge'))).toEqual([]);
  });

  test(`have at most ${mostKilobytes.everything} kB with every export`, () => {
    expectAtMost(mostKilobytes.everything, result);
  });

  test(`have at most ${mostKilobytes.whatPagesImport} kB with only createSimulator and handlers`, async () => {
    const page = await bundle(imports.pages);
    expect(filesIn(page).map(([file]) => file)).not.toContain('src/petstore/assumptions.ts');
    expectAtMost(mostKilobytes.whatPagesImport, page);
  });
});

test(`petstore-sim/persist adds at most ${mostKilobytes.persist} kB to a page that imports it, and nothing to others`, async () => {
  const [without, withIt] = await Promise.all([
    bundle(imports.pages),
    bundle(`${imports.pages} export { persist } from './persist.js';`),
  ]);
  expect(filesIn(without).map(([file]) => file)).not.toContain('src/control-api/persisted-state.ts');
  expect(withIt.gzipBytes - without.gzipBytes).toBeLessThanOrEqual(mostKilobytes.persist * 1000);
});

test('petstore-sim/seed without faker is small', async () => {
  const seed = await bundle("export * from './seed.js';");
  expect(Object.keys(seed.metafile.inputs).filter((file) => file.includes('node_modules'))).toEqual([]);
  // 149 kB with faker, for its 42 names.
  expect(seed.gzipBytes).toBeLessThanOrEqual(1_700);
});
