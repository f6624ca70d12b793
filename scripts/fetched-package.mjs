import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './repository.mjs';

const run = promisify(execFile);
const cache = join(root, 'node_modules/.cache/petstore-sim');

/**
 * Installs a package that few tests need, or another version of a package, once into node_modules/.cache.
 * @param {string} name name of the package
 * @param {number | string} version major version, or a complete one such as `24.21.0`
 * @returns {Promise<string>} folder of the package
 * @throws {Error} if the registry is unreachable
 */
export async function fetchedPackage(name, version) {
  const folder = join(cache, `${name.replace('/', '+')}-${version}`);
  const installed = join(folder, 'node_modules', name);
  if (!(await exists(installed))) await install(`${name}@${version}`, folder, installed);
  return installed;
}

/**
 * Finds a Node binary of a version, for tests and the benchmark: the running one if its version matches, otherwise the one in
 * the npm package `node`.
 * @param {number | string} version major version, or a complete one such as `24.21.0`
 * @returns {Promise<string>} path of the binary
 * @throws {Error} if the registry is unreachable
 */
export async function nodeBinary(version) {
  if (`${process.versions.node}.`.startsWith(`${version}.`)) return process.execPath;
  return join(await fetchedPackage('node', version), 'bin/node');
}

/**
 * Installs into a temporary folder and renames it at the end. Another process thus never sees an incomplete
 * installation.
 */
async function install(spec, folder, installed) {
  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(join(cache, 'installing-'));
  try {
    await writeFile(join(scratch, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--no-audit', '--no-fund', spec], { cwd: scratch });
    await rename(scratch, folder);
  } catch (error) {
    if (await exists(installed)) return;
    throw new Error(
      `Failed to install ${spec}: expected npm to fetch it once. Check the connection to the npm registry, or run ` +
        `"npm install ${spec}" in ${folder}.`,
      { cause: error },
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const exists = (path) =>
  access(path).then(
    () => true,
    () => false,
  );
