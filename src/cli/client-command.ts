import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { CommandEnd } from '../judge/run-result.js';
import { UsageError } from '../node/usage-error.js';
import type { Tree } from './end-tree.js';

/** How the command of a client ended, and what it printed where that was caught. */
export interface CommandResult {
  end: CommandEnd;
  output: string;
}

export interface CommandOptions {
  /** What the command finds in its environment, on top of this process's own. */
  env: Readonly<Record<string, string>>;
  /** `inherit`: the command has this terminal; `keep`: its output is caught. */
  output: 'inherit' | 'keep';
  /** After this long it is sent SIGTERM, and soon after SIGKILL. Default: no limit. */
  timeoutMs?: number | undefined;
  /** Aborted before the command runs, it is stopped as soon as it does. */
  stopped?: AbortSignal | undefined;
}

/** Most of a command's output that is kept, in characters; the end of it, where errors stand. */
const keptOutput = 20_000;
/** Grace period between SIGTERM and SIGKILL, in milliseconds. */
const lastMs = 1_000;

/**
 * Runs a client's command. SIGINT and SIGTERM are passed on to it; a second one ends it with SIGKILL. A stopped command ends
 * with all that it started.
 * @throws {UsageError} when the command cannot be started
 */
export async function runCommand(
  [file = '', ...args]: readonly string[],
  { env, output, timeoutMs, stopped }: CommandOptions,
): Promise<CommandResult> {
  const isKept = output === 'keep';
  const stdio = isKept ? (['ignore', 'pipe', 'pipe'] as const) : 'inherit';
  const isWindows = process.platform === 'win32';
  // On Windows npm is no program, and cross-spawn alone can start it. Elsewhere it would be 5 ms for nothing.
  const start = isWindows ? (await import('cross-spawn')).default : spawn;
  // In a group of its own, so that what it started ends with it; a command with a terminal must stay in this one's, which the
  // terminal stops and ends. On Windows it would get a window of its own.
  const { stdin, stdout, stderr } = process;
  const hasTerminal = stdin.isTTY || stdout.isTTY || stderr.isTTY;
  const hasGroup = (isKept || !hasTerminal) && !isWindows;
  let stoppedBy: CommandEnd['stoppedBy'];
  let tree: Promise<Tree> | undefined;
  // Loaded when it is needed, because most commands end by themselves.
  const stoppedTree = () => {
    const { pid } = child;
    if (pid !== undefined) tree ??= loadTree(pid, `PETSTORE_SIM_URL=${env.PETSTORE_SIM_URL}`);
    return tree;
  };
  const stop = (signal: NodeJS.Signals) => {
    // The terminal has sent it to everything in its group.
    if (signal === 'SIGINT' && !hasGroup && !isWindows) child.kill(signal);
    else void stoppedTree()?.then((each) => each.signal(signal));
  };
  const stopByUser = (signal: 'SIGINT' | 'SIGTERM') => {
    // A second Ctrl-C, for a command that ignores the first.
    stop(stoppedBy === undefined ? signal : 'SIGKILL');
    stoppedBy ??= signal;
  };
  // Before the command runs: a signal in between would end this process alone.
  process.on('SIGINT', stopByUser).on('SIGTERM', stopByUser);
  const child = start(file, args, {
    env: { ...process.env, ...env },
    stdio: stdio as 'inherit',
    detached: hasGroup,
  });
  if (stopped?.aborted) stopByUser('SIGTERM');
  const kept = keepOutput(child);
  const timers: NodeJS.Timeout[] = [];
  if (timeoutMs !== undefined) {
    const stopInTime = () => {
      stoppedBy ??= 'timeout';
      stop('SIGTERM');
    };
    timers.push(setTimeout(stopInTime, timeoutMs));
    timers.push(setTimeout(() => stop('SIGKILL'), timeoutMs + lastMs));
  }
  try {
    const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (stoppedBy !== undefined) await (await stoppedTree())?.end(lastMs);
    const end: CommandEnd = { exitCode: code ?? 128 + constants.signals[signal as NodeJS.Signals] };
    if (signal !== null) end.signal = signal;
    if (stoppedBy !== undefined) end.stoppedBy = stoppedBy;
    return { end, output: kept() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such command' : code === 'EACCES' ? 'it is no program' : message;
    throw new UsageError(`expected a command that can be run, got ${JSON.stringify(file)}: ${reason}`);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    process.off('SIGINT', stopByUser).off('SIGTERM', stopByUser);
  }
}

const loadTree = async (pid: number, mark: string): Promise<Tree> => (await import('./end-tree.js')).treeOf(pid, mark);

function keepOutput({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-keptOutput);
    });
  }
  return () => text;
}
