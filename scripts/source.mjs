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

/**
 * Imports names from src/, for scripts; dist/ contains only bundles.
 * @param exported export statement, such as `export { runClient } from './cli/client-run.js'`
 */
export async function source(exported) {
  // In the folder of the build, from which the code finds the scenarios and the dashboard.
  const file = join(root, `dist/source-${process.pid}-${exported.length}.mjs`);
  await build({
    ...fromSource,
    input: 'source',
    platform: 'node',
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
