import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { afterAll, afterEach, TestRunner } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-bin-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The command line built by `npm run build`, linked as npm does. */
export const cli = join(folder, 'node_modules/.bin/petstore-sim');
mkdirSync(dirname(cli), { recursive: true });
symlinkSync(join(import.meta.dirname, '../../dist/cli/main.cjs'), cli);

export interface SpawnOptions {
  /** Working directory. Default: the directory of the tests. */
  cwd?: string;
  /** The command line of another copy of the package. */
  main?: string;
  /** Another version of Node, and flags for it. */
  node?: string;
  nodeFlags?: readonly string[];
}

const [ofTest, ofFile] = [new Set<ChildProcess>(), new Set<ChildProcess>()];

// Processes of a test end with it; shared processes end with the last test of the file.
afterEach(() => endAll(ofTest));
afterAll(() => endAll(ofFile));

async function endAll(running: Set<ChildProcess>): Promise<void> {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
}

function spawnCommandLine(
  args: readonly string[],
  { cwd, main = cli, node = process.execPath, nodeFlags = [] }: SpawnOptions,
): ChildProcessByStdio<null, Readable, Readable> {
  const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe'];
  const child = spawn(node, [...nodeFlags, main, ...args], { ...(cwd !== undefined && { cwd }), stdio });
  const running = TestRunner.getCurrentTest() === undefined ? ofFile : ofTest;
  running.add(child);
  child.once('close', () => running.delete(child));
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

/** Starts `serve` on a free port with `--log json`, and waits until it listens. */
export async function startServer(args: readonly string[] = [], options: SpawnOptions = {}) {
  const started = startCommandLine(['serve', '--port', '0', '--log', 'json', ...args], options);
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

/** Runs the command line to its end. */
export async function runCommandLine(args: readonly string[], options: SpawnOptions = {}) {
  const child = spawnCommandLine(args, options);
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    output.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.err += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}
