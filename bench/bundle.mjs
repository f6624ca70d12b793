import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const src = join(import.meta.dirname, '../src');

/** What a page imports, and every name. */
export const imports = {
  pages: "export { createSimulator } from './index.js'; export { handlers } from './msw.js';",
  everything: "export * from './index.js'; export * from './msw.js';",
};

/**
 * Bundles for a browser as a page would, msw left out.
 * @param {string} contents the module to bundle, as if it stood in src
 * @returns {Promise<{ gzipBytes: number, metafile: import('esbuild').Metafile }>} the size minified and gzipped
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
