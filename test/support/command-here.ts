import { AsyncLocalStorage } from 'node:async_hooks';
import { runCommandLine as run } from '../../src/cli/run-command-line.js';

type Output = Record<'out' | 'err', string>;
const outputs = new AsyncLocalStorage<Output>();

// Text that a command line writes is kept with its own output, because several can run at the same time. All other text is
// written as before, so that the worker's next file sees no difference.
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
}

let [running, folderBefore] = [0, ''];

/**
 * Runs the command line of `src/` in this process. Unlike that of `command-line.ts`, environment and signals are those
 * of the tests, and the output of a client's command is not read. All that run at the same time have one `cwd`.
 */
export async function runCommandLine(args: readonly string[], { cwd = process.cwd() }: { cwd?: string } = {}) {
  if (running === 0) folderBefore = process.cwd();
  else if (cwd !== process.cwd()) throw new Error(`expected one folder for all command lines, got ${cwd} besides`);
  running++;
  process.chdir(cwd);
  const output: Output = { out: '', err: '' };
  try {
    const code = await outputs.run(output, () => run(args));
    return { code, ...output };
  } finally {
    if (--running === 0) process.chdir(folderBefore);
  }
}
