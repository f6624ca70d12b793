import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { RunningServer } from '../node/http/server.js';
import { UsageError } from '../node/usage-error.js';
import type { Simulator } from '../simulator/simulator.js';

/** How the command of a client ended, and what it printed where that was caught. */
export interface CommandResult {
  /** The exit code; 128 and more when a signal ended it, as a shell tells it. */
  code: number;
  output: string;
}

/** Most of a command's output that is kept, in characters; the end of it, where errors stand. */
const keptOutput = 20_000;

const signalNumbers: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/**
 * Runs a client's command with the addresses of a running simulator in its environment: `PETSTORE_BASE_URL`,
 * `PETSTORE_API_KEY` and `PETSTORE_SIM_URL`. SIGINT and SIGTERM are handed on to it.
 * @param options.output `inherit`: the command has this terminal; `keep`: its output is caught
 * @throws {UsageError} when the command cannot be started
 */
export async function runCommand(
  [file = '', ...args]: readonly string[],
  { baseUrl, controlUrl }: Pick<RunningServer, 'baseUrl' | 'controlUrl'>,
  sim: Simulator,
  { output, timeoutMs }: { output: 'inherit' | 'keep'; timeoutMs?: number },
): Promise<CommandResult> {
  const env = {
    ...process.env,
    PETSTORE_BASE_URL: baseUrl,
    PETSTORE_API_KEY: firstActiveKey(sim),
    PETSTORE_SIM_URL: controlUrl,
  };
  const stdio = output === 'inherit' ? 'inherit' : (['ignore', 'pipe', 'pipe'] as const);
  const child = spawn(file, args, { env, stdio: stdio as 'inherit' });
  const kept = keepOutput(child);
  const forward = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', forward).on('SIGTERM', forward);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    return { code: code ?? 128 + (signalNumbers[signal as NodeJS.Signals] ?? 0), output: kept() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such command' : code === 'EACCES' ? 'it is no program' : message;
    throw new UsageError(`expected a command that can be run, got ${JSON.stringify(file)}: ${reason}`);
  } finally {
    clearTimeout(timer);
    process.off('SIGINT', forward).off('SIGTERM', forward);
  }
}

/** The key that a client is given: the first of the scenario that works. */
function firstActiveKey(sim: Simulator): string {
  const keys = sim.keys.list();
  return (keys.find(({ state }) => state === 'active') ?? keys[0])?.key ?? '';
}

function keepOutput({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-keptOutput);
    });
  }
  return () => text;
}
