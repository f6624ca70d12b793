import { rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/**
 * Names of src/, for scripts: the build has only what the package loads.
 * @param exported such as `export { runClient } from './cli/client-run.js'`
 */
export async function source(exported) {
  // Beside the command line, whose files find the scenarios and the page from there.
  const file = fileURLToPath(new URL(`../dist/cli/source-${process.pid}.mjs`, import.meta.url));
  const resolveDir = fileURLToPath(new URL('../src', import.meta.url));
  await build({
    stdin: { contents: exported, resolveDir },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    outfile: file,
  });
  try {
    return await import(`${pathToFileURL(file)}?${exported.length}`);
  } finally {
    rmSync(file);
  }
}
