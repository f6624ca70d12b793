import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build, type Plugin } from 'esbuild';
// @ts-expect-error plain JavaScript
import { fetchedPackage } from '../../scripts/fetched-package.mjs';
import { newFolder } from './new-folder.js';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** A project with the compiled package installed. Its folder is removed at the end of the test or of the file. */
export interface PackageCopy {
  readonly folder: string;
  /**
   * Runs a script of test/ in the project, with the package instead of src/. Returns its output, parsed as JSON.
   * @param args arguments of the runtime, before the script
   */
  runScript(node: string, script: string, args?: readonly string[]): Promise<unknown>;
}

/**
 * Copies the package, as the build of `npm test` has made it, into a project of its own.
 * @param options.msw the major version of msw that the project has
 * @param options.packages which other packages of node_modules it has installed
 */
export async function copyPackage({
  msw,
  packages = [],
}: {
  msw: 2 | 3;
  packages?: readonly string[];
}): Promise<PackageCopy> {
  const folder = newFolder();
  const modules = join(folder, 'node_modules');
  const copy = join(modules, 'petstore-sim');
  await mkdir(copy, { recursive: true });
  // A separate manifest, so that one in a parent folder does not define `petstore-sim`.
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await copyFile(join(root, 'package.json'), join(copy, 'package.json'));
  await cp(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const links: [name: string, target: string][] = [...Object.keys(dependencies), ...packages].map((name) => [
    name,
    join(root, 'node_modules', name),
  ]);
  links.push(['msw', await mswFolder(msw)]);
  for (const [name, target] of links) {
    await mkdir(dirname(join(modules, name)), { recursive: true });
    await symlink(target, join(modules, name));
  }
  return {
    folder,
    async runScript(node, script, args = []) {
      const outfile = join(folder, 'script.mjs');
      await build({
        entryPoints: [join(root, 'test', script)],
        outfile,
        bundle: true,
        platform: 'node',
        format: 'esm',
        packages: 'external',
        plugins: [fromPackage],
        logLevel: 'silent',
      });
      const { stdout } = await run(node, [...args, outfile], { cwd: folder, maxBuffer: 2 ** 24 });
      return JSON.parse(stdout);
    },
  };
}

/** Folder of msw: version 2 is installed with the repository, version 3 needs Node 22 and is downloaded. */
export const mswFolder = async (major: 2 | 3): Promise<string> =>
  major === 2 ? join(root, 'node_modules/msw') : await fetchedPackage('msw', 3);

/** Replaces imports of the public entries in src/ by the package: `../src/entries/msw.js` becomes `petstore-sim/msw`. */
const fromPackage: Plugin = {
  name: 'from-package',
  setup({ onResolve }) {
    onResolve({ filter: /\/src\/entries\/(?:index|msw|node|seed)\.js$/ }, ({ path }) => {
      const entry = path.replace(/^.*\/src\/entries\//, '').replace(/(?:\/?index)?\.js$/, '');
      return { path: entry === '' ? 'petstore-sim' : `petstore-sim/${entry}`, external: true };
    });
  },
};
