import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The package as npm would publish it. */
export interface PackedPackage {
  tarball: string;
  /** Paths of the files in the package. */
  files: string[];
}

/**
 * Packs the current build.
 * @throws {Error} with the output of npm
 */
export async function packPackage(folder: string): Promise<PackedPackage> {
  const pack = ['pack', root, '--ignore-scripts', '--json', '--pack-destination', folder];
  // npm 11 responds with a list, later versions with a map by package name.
  const [packed] = Object.values(JSON.parse(await runIn(folder, 'npm', pack))) as {
    filename: string;
    files: { path: string }[];
  }[];
  if (packed === undefined) throw new Error('expected npm pack to name a file, got none');
  return { tarball: join(folder, packed.filename), files: packed.files.map(({ path }) => path) };
}

/** Files that a run of an example may leave in the repository during development. */
const leftovers = ['node_modules', 'package-lock.json', 'dist', 'test-results', 'playwright-report'];

/**
 * Copies examples into folders with their names, beside projects that are only a package.json, and installs all as npm
 * workspaces, so that npm unpacks a shared package once.
 * @throws {Error} with the output of npm
 */
export async function installProjects(
  folder: string,
  tarball: string,
  { examples, projects }: { examples: readonly string[]; projects: Record<string, object> },
): Promise<void> {
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, workspaces: [...examples, ...Object.keys(projects)] }),
  );
  for (const name of examples) {
    const filter = (path: string) => !leftovers.includes(basename(path));
    await cp(join(root, 'examples', name), join(folder, name), { recursive: true, filter });
    const manifest = join(folder, name, 'package.json');
    const text = await readFile(manifest, 'utf8');
    if (!text.includes('"file:../.."'))
      throw new Error(`expected examples/${name} to use "petstore-sim": "file:../.."`);
    await writeFile(manifest, text.replace('file:../..', `file:${tarball}`));
  }
  for (const [name, manifest] of Object.entries(projects)) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'package.json'), JSON.stringify({ name, private: true, ...manifest }));
  }
  const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
  await runIn(folder, 'npm', ['install', ...quietly]);
}

/**
 * Runs a command in a folder.
 * @throws {Error} with its complete output if it fails
 */
export function runIn(cwd: string, file: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  // Keeps a Vitest of an example from running as a worker of this one, and Playwright from colored output.
  const inherited = Object.entries(process.env).filter(([key]) => !/^(VITEST|TEST$|NODE_ENV$|FORCE_COLOR$)/.test(key));
  const options = {
    cwd,
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
    timeout: 600_000,
    maxBuffer: 2 ** 24,
  };
  return new Promise((resolve, reject) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      reject(new Error(`expected "${[file, ...args].join(' ')}" to succeed, got ${error.code}:\n${stdout}\n${stderr}`));
    });
  });
}
