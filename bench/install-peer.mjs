import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { nodeBinary } from '../scripts/fetched-package.mjs';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..');
/**
 * Returns the folder in which a server is installed. Configurations of petstore-sim share one, unless they need further
 * packages.
 */
export const folderOf = ({ name, packed, packages }) =>
  join(import.meta.dirname, 'peers', packed && Object.keys(packages).length === 0 ? 'ours' : name);

/**
 * Installs a server into its folder, with the version of Node that it needs. Skips an existing installation.
 * @param {import('./peers.mjs').Peer} peer
 * @throws {Error} with the path of npm's log, or about a missing Java
 */
export async function install(peer) {
  const dir = folderOf(peer);
  await mkdir(dir, { recursive: true });
  if (peer.node) await nodeBinary(peer.node);
  if (peer.java) await findJava(peer);
  if (peer.packed) tarball ??= packRepository();
  const dependencies = { ...peer.packages, ...(peer.packed && { 'petstore-sim': await tarball }) };
  if (Object.keys(dependencies).length === 0) return;
  const wanted = `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`;
  const manifest = join(dir, 'package.json');
  // npm writes this file last, so the file proves a complete installation.
  const isThere = await exists(join(dir, 'node_modules/.package-lock.json'));
  if (isThere && (await readFile(manifest, 'utf8').catch(() => '')) === wanted) return;
  await Promise.all(
    ['node_modules', 'package-lock.json'].map((name) => rm(join(dir, name), { recursive: true, force: true })),
  );
  await writeFile(manifest, wanted);
  await npm(dir, ['install', '--no-audit', '--no-fund', '--omit=dev']);
}

/**
 * Measures the installation of a server: total size of its files, and number of packages.
 * @param {import('./peers.mjs').Peer} peer installed server
 * @returns {Promise<{ bytes: number, packages: number }>}
 */
export async function footprint(peer) {
  const modules = join(folderOf(peer), 'node_modules');
  if (!(await exists(modules))) return { bytes: 0, packages: 0 };
  const lock = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8'));
  return { bytes: await bytesIn(modules), packages: Object.keys(lock.packages).length };
}

/**
 * Writes a server's input files in their initial state, and returns the command that starts the server.
 * @param {import('./peers.mjs').Peer} peer installed server
 * @param {{ port: number, node?: string, plain?: boolean }} options `node`: version of Node instead of the server's
 * own, as 24.21.0; `plain`: whether to omit its scenario
 * @returns {Promise<{ command: string, args: string[], env: NodeJS.ProcessEnv, cwd: string }>} arguments for `spawn`
 */
export async function prepare(peer, { port, node = peer.node, plain = false }) {
  const cwd = folderOf(peer);
  for (const [name, text] of Object.entries(peer.files({ port }))) {
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await writeFile(join(cwd, name), text);
  }
  const binary = node ? await nodeBinary(node) : process.execPath;
  const { command, args, env } = peer.command({ port, node: binary, plain });
  return { command, args, env: { ...process.env, ...env }, cwd };
}

/** Tarball of this repository, from which all configurations of petstore-sim are installed. */
let tarball;

/** Builds and packs this repository. The tarball's name changes with its content. */
async function packRepository() {
  const dir = join(import.meta.dirname, 'peers/pack');
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  await npm(dir, ['pack', root, '--pack-destination', dir]);
  const packed = (await readdir(dir)).find((name) => name.endsWith('.tgz'));
  const digest = createHash('sha256')
    .update(await readFile(join(dir, packed)))
    .digest('hex');
  const name = `petstore-sim-${digest.slice(0, 12)}.tgz`;
  await rename(join(dir, packed), join(dir, name));
  return `file:../pack/${name}`;
}

async function findJava(peer) {
  try {
    await run('java', ['-version']);
  } catch (cause) {
    throw new Error(
      `Failed to install ${peer.name}: expected Java 17, found none. apt-get install openjdk-17-jre-headless`,
      {
        cause,
      },
    );
  }
}

/** Runs npm in a folder and writes its output to npm.log. */
async function npm(cwd, args) {
  const log = join(cwd, 'npm.log');
  try {
    const { stdout, stderr } = await run('npm', args, {
      cwd,
      maxBuffer: 2 ** 26,
      env: { ...process.env, SCARF_ANALYTICS: 'false' },
    });
    await writeFile(log, stdout + stderr);
  } catch (cause) {
    await writeFile(log, `${cause.stdout}${cause.stderr}`);
    throw new Error(`Failed to run npm ${args[0]}: see ${relative(root, log)}`, { cause });
  }
}

async function bytesIn(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const sizes = entries.map(async (entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? bytesIn(path) : (await lstat(path)).size;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

const exists = (path) =>
  access(path).then(
    () => true,
    () => false,
  );
