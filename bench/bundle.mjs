import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const src = join(import.meta.dirname, '../src');

/** Imports to bundle: those of a typical page, and all at once. */
export const imports = {
  pages: "export { createSimulator } from './index.js'; export { handlers } from './msw.js';",
  everything: "export * from './index.js'; export * from './msw.js';",
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
