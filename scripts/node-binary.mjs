import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cache = join(import.meta.dirname, '../node_modules/.cache/petstore-sim');

/**
 * A Node binary of a version, for the tests and the benchmark: the running one where it fits, else the `node` package of
 * npm, kept in node_modules/.cache so that it is fetched once.
 * @param {number | string} version a major version, or a whole one such as `24.21.0`
 * @returns {Promise<string>} its path
 * @throws {Error} saying what to do when the registry cannot be reached
 */
export async function nodeBinary(version) {
  if (`${process.versions.node}.`.startsWith(`${version}.`)) return process.execPath;
  const folder = join(cache, `node-${version}`);
  const binary = join(folder, 'node_modules/node/bin/node');
  if (!(await exists(binary))) await install(version, folder);
  return binary;
}

/** Installs beside the folder and moves it into place, so that two who want the same one do not meet half of it. */
async function install(version, folder) {
  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(join(cache, 'installing-'));
  try {
    await writeFile(join(scratch, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--no-audit', '--no-fund', `node@${version}`], { cwd: scratch });
    await access(join(scratch, 'node_modules/node/bin/node'));
    await rename(scratch, folder);
  } catch (error) {
    if (await exists(join(folder, 'node_modules/node/bin/node'))) return;
    throw new Error(
      `Failed to get Node ${version}: expected "npm install node@${version}" to bring a binary. This needs the npm ` +
        `registry once; to do it by hand, run that command in ${folder}.`,
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
