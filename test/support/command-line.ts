import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { atEnd } from './at-end.js';

/** The command line built by `npm run build`, linked as npm does; the link has one place, so that workers share it. */
export const cli = join(import.meta.dirname, '../../node_modules/.petstore-sim/node_modules/.bin/petstore-sim');
mkdirSync(dirname(cli), { recursive: true });
try {
  symlinkSync('../../../../dist/cli/main.cjs', cli);
} catch (error) {
  if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
}

export interface SpawnOptions {
  /** Working directory. Default: the directory of the tests. */
  cwd?: string;
  /** The command line of another copy of the package. */
  main?: string;
  /** Another version of Node, and flags for it. */
  node?: string;
  nodeFlags?: readonly string[];
}

function spawnCommandLine(
  args: readonly string[],
  { cwd, main = cli, node = process.execPath, nodeFlags = [] }: SpawnOptions,
): ChildProcessByStdio<null, Readable, Readable> {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const child = spawn(node, [...nodeFlags, main, ...args], { ...(cwd !== undefined && { cwd }), stdio });
  const closed = new Promise((resolve) => child.once('close', resolve));
  // A process of a test ends with it; one that the tests share ends with the file.
  atEnd(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  return child;
}

/** Starts the command line; it is killed after the test. */
export function startCommandLine(args: readonly string[], options: SpawnOptions = {}) {
  const child = spawnCommandLine(args, options);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    /** Standard error so far. */
    errors: () => errors,
    /** Next line of standard output. */
    async nextLine(): Promise<string> {
      const { value, done } = await lines.next();
      if (done) throw new Error(`Failed to read a line: the command has ended; it wrote ${errors}`);
      return value;
    },
  };
}

/** Starts `serve` with `--log json`, on a free port unless `args` name one, and waits until it listens. */
export async function startServer(args: readonly string[] = [], options: SpawnOptions = {}) {
  const port = args.includes('--port') ? [] : ['--port', '0'];
  const started = startCommandLine(['serve', ...port, '--log', 'json', ...args], options);
  // biome-ignore lint/suspicious/noExplicitAny: tests look into it
  const nextEvent = async (): Promise<any> => JSON.parse(await started.nextLine());
  const listening = await nextEvent();
  const stop = async () => {
    started.child.kill('SIGTERM');
    const [code] = await once(started.child, 'close');
    return code as number | null;
  };
  return { ...started, listening, baseUrl: listening.baseUrl as string, nextEvent, stop };
}

/** What a process has written so far. */
export function outputOf({ stdout, stderr }: { stdout: Readable; stderr: Readable }) {
  const output = { out: '', err: '' };
  stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  return output;
}

/** Runs the command line to its end. */
export async function runCommandLine(args: readonly string[], options: SpawnOptions = {}) {
  const child = spawnCommandLine(args, options);
  const output = outputOf(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}
