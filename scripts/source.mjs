import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'rolldown';
import { root } from './repository.mjs';

const src = join(root, 'src/');

/** Options of rolldown for every bundle of src/. */
export const fromSource = {
  tsconfig: false,
  resolve: { extensionAlias: { '.js': ['.ts', '.tsx'] } },
  // Packages and modules of Node.
  external: (id) => /^[^./\0]/.test(id) && !id.startsWith(src),
  // Modules that are imported both statically and dynamically are intended here.
  checks: { ineffectiveDynamicImport: false },
};

/** Number of bundles so far. Several scripts bundle at the same time. */
let bundles = 0;

/**
 * Imports names from src/, for scripts; dist/ contains only bundles.
 * @param exported export statement, such as `export { runClient } from './cli/client-run.js'`
 */
export async function source(exported) {
  const file = join(root, `node_modules/.cache/petstore-sim/source-${process.pid}-${++bundles}.mjs`);
  await build({
    ...fromSource,
    input: 'source',
    platform: 'node',
    // The code finds scenarios and dashboard from its folder. Tests copy dist/ at the same time, so this file is not in it.
    transform: { define: { 'import.meta.dirname': JSON.stringify(join(root, 'dist')) } },
    plugins: [
      {
        name: 'source',
        resolveId: (id) => (id === 'source' ? `${src}source.ts` : undefined),
        load: (id) => (id === `${src}source.ts` ? exported : undefined),
      },
    ],
    output: { file, format: 'esm', codeSplitting: false },
  });
  try {
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(file);
  }
}
