import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** A copy of an example in a temporary folder, installed with the package of the working tree. */
export interface ExampleCopy {
  folder: string;
  /**
   * Runs a command there.
   * @throws {Error} with all that it printed, when it fails
   */
  run(file: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string>;
  remove(): Promise<void>;
}

/** What a run of the example may leave in the repository, when somebody works on it there. */
const leftovers = ['node_modules', 'package-lock.json', 'dist', 'test-results', 'playwright-report'];

/**
 * Copies an example and installs it. The package is packed from the build that `npm test` has just made.
 * @throws {Error} with what npm printed
 */
export async function copyExample(name: string): Promise<ExampleCopy> {
  const folder = await mkdtemp(join(tmpdir(), `petstore-sim-${name}-`));
  const run: ExampleCopy['run'] = (file, args, env) => runIn(folder, file, args, env);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const source = join(root, 'examples', name);
    await cp(source, folder, { recursive: true, filter: (path) => !leftovers.includes(basename(path)) });
    const pack = ['pack', root, '--ignore-scripts', '--json', '--pack-destination', folder];
    // npm 11 answers with a list, later ones with a map by package name.
    const [packed] = Object.values(JSON.parse(await run('npm', pack))) as { filename: string }[];
    const manifest = join(folder, 'package.json');
    const text = await readFile(manifest, 'utf8');
    if (!text.includes('"file:../.."'))
      throw new Error(`expected examples/${name} to use "petstore-sim": "file:../.."`);
    await writeFile(manifest, text.replace('file:../..', `file:${packed?.filename}`));
    const quietly = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock', '--ignore-scripts'];
    await run('npm', ['install', ...quietly]);
  } catch (error) {
    await remove();
    throw new Error(`Failed to install examples/${name}: ${(error as Error).message}`, { cause: error });
  }
  return { folder, run, remove };
}

function runIn(cwd: string, file: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<string> {
  // A Vitest of the example must not take itself for a worker of ours, nor Playwright its output for a colour terminal's.
  const inherited = Object.entries(process.env).filter(([key]) => !/^(VITEST|TEST$|NODE_ENV$|FORCE_COLOR$)/.test(key));
  const options = {
    cwd,
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
    timeout: 120_000,
    maxBuffer: 2 ** 24,
  };
  return new Promise((resolve, reject) => {
    execFile(file, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      reject(new Error(`expected "${[file, ...args].join(' ')}" to succeed, got ${error.code}:\n${stdout}\n${stderr}`));
    });
  });
}
