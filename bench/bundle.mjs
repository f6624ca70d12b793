import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

// `node bench/bundle.mjs`, after a build, notes the sizes in bundle-sizes.json, to which tests compare them.
const src = join(import.meta.dirname, '../src');
const dashboard = join(import.meta.dirname, '../dist/dashboard');
const sizesFile = join(import.meta.dirname, 'bundle-sizes.json');

/** Imports to bundle: those of a typical page, and all at once. */
export const imports = {
  pages: "export { createSimulator } from './entries/index.js'; export { handlers } from './entries/msw.js';",
  everything: "export * from './entries/index.js'; export * from './entries/msw.js';",
};

/**
 * Bundles a module for a browser, without msw.
 * @param {string} contents source of the module, located in src
 * @returns {Promise<{ gzipBytes: number, metafile: import('esbuild').Metafile }>} minified and compressed size
 */
export async function bundle(contents) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: src },
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    external: ['msw'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  });
  const [{ contents: code }] = outputFiles;
  return { gzipBytes: gzipSync(code).length, metafile };
}

/**
 * Measures what pages download: gzipped bytes of the imports, and minified bytes of each module, all with `persist`.
 * @returns {Promise<{ gzipBytes: Record<'pages' | 'everything' | 'persist', number>, modules: Record<string, number> }>}
 */
export async function measureBundles() {
  const withPersist = (contents) => `${contents} export { persist } from './entries/persist.js';`;
  const [pages, everything, persist, whole] = await Promise.all(
    [imports.pages, imports.everything, withPersist(imports.pages), withPersist(imports.everything)].map(bundle),
  );
  const modules = Object.values(whole.metafile.outputs)
    .flatMap(({ inputs }) => Object.entries(inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file, { bytesInOutput }]) => [file, bytesInOutput]);
  const gzipBytes = { pages: pages.gzipBytes, everything: everything.gzipBytes, persist: persist.gzipBytes };
  return { gzipBytes, modules: Object.fromEntries(modules.sort()) };
}

/** Gzipped bytes of the files of the built dashboard. */
export const measureDashboard = () =>
  Object.fromEntries(
    ['index.html', 'page/page.js', 'page/page.css'].map((file) => [
      file,
      gzipSync(readFileSync(join(dashboard, file))).length,
    ]),
  );

/** Sizes as last noted. */
export const notedBundles = () => JSON.parse(readFileSync(sizesFile, 'utf8'));

if (process.argv[1] === import.meta.filename) {
  const sizes = { ...(await measureBundles()), dashboard: measureDashboard() };
  writeFileSync(sizesFile, `${JSON.stringify(sizes, null, 2)}\n`);
  console.log(sizes.gzipBytes, sizes.dashboard);
}
