import { rmSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/**
 * Imports from src/ for scripts, because dist/ lacks modules that the package does not load.
 * @param exported export statement, such as `export { runClient } from './cli/client-run.js'`
 */
export async function source(exported) {
  // Writes the module next to the command line, whose code finds the scenarios and the dashboard relative to itself.
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
