import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { afterAll } from 'vitest';

// Messages name the command that started the program.
process.argv[1] = join(import.meta.dirname, '../../node_modules/.bin/petstore-sim');
const { runCommandLine: run } = await import('../../src/cli/run-command-line.js');

type Output = Record<'out' | 'err', string>;
const outputs = new AsyncLocalStorage<Output>();

// Text that a command line writes is kept with its own output, because several can run at the same time.
for (const [stream, name] of [
  [process.stdout, 'out'],
  [process.stderr, 'err'],
] as const) {
  const write = stream.write.bind(stream);
  stream.write = ((chunk: string | Uint8Array, ...rest: never[]) => {
    const output = outputs.getStore();
    if (output === undefined) return write(chunk, ...rest);
    output[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  }) as typeof stream.write;
  afterAll(() => {
    stream.write = write;
  });
}

/**
 * Runs the command line of `src/` in this process. Unlike that of `command-line.ts`, environment and signals are those
 * of the tests, and the output of a client's command is not read. Only one run at a time can have a `cwd`.
 */
export async function runCommandLine(args: readonly string[], { cwd = process.cwd() }: { cwd?: string } = {}) {
  const output: Output = { out: '', err: '' };
  const before = process.cwd();
  process.chdir(cwd);
  try {
    const code = await outputs.run(output, () => run(args));
    return { code, ...output };
  } finally {
    process.chdir(before);
  }
}
