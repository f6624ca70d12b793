import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { CommandEnd, StopSignal } from '../judge/command-end.js';
import { UsageError } from '../validation/usage-error.js';
import type { ProcessTree } from './process-tree.js';
import { onStopSignal } from './stop-signals.js';

/** Result of a client's command: its end, and its captured output. */
export interface ClientResult {
  end: CommandEnd;
  /** Standard output and standard error, as they arrived. */
  output: string;
  /** Standard error alone, because buffered standard output can follow an error that ended the command. */
  errorOutput: string;
}

export interface ClientOptions {
  /** Environment variables that are added to this process's own for the command. */
  env: Readonly<Record<string, string>>;
  /** Working directory of the command. Default: the current folder. */
  folder?: string | undefined;
  /** `inherit`: the command writes to this terminal. `keep`: the command's output is captured. */
  output: 'inherit' | 'keep';
  /**
   * Time limit of the command. At the limit, the command receives SIGTERM and soon after SIGKILL. Default: no limit.
   */
  timeoutMs?: number | undefined;
  /**
   * Whether this process was stopped before the command starts, with the received signal as the reason. The command is
   * then stopped right after its start.
   */
  stopped?: AbortSignal | undefined;
}

/** Signals that a terminal sends to all processes of a command: when it closes, at Ctrl-C and at Ctrl-\. */
const ofTerminal: readonly NodeJS.Signals[] = ['SIGHUP', 'SIGINT', 'SIGQUIT'];
/** Maximum length of a command's captured output, in characters. The last part is kept, because it contains errors. */
const keptOutput = 20_000;
/**
 * Time that a stopped command may take to end before it receives SIGKILL, and for which the output of an ended command
 * is read while another process holds it open.
 */
export const graceMs = 1_000;

/**
 * Runs a client's command. Forwards each signal that stops this process to the command and its descendants. SIGKILL
 * ends them at the second signal and, except after SIGINT (Ctrl-C), after `graceMs`.
 * @throws {UsageError} if the command cannot be started
 */
export async function runClientCommand(
  [file = '', ...args]: readonly string[],
  { env, folder, output, timeoutMs, stopped }: ClientOptions,
): Promise<ClientResult> {
  const isKept = output === 'keep';
  const stdio = isKept ? (['ignore', 'pipe', 'pipe'] as const) : 'inherit';
  const isWindows = process.platform === 'win32';
  // On Windows, npm is a script, which only the package cross-spawn can start. On other systems, loading cross-spawn
  // would only cost 5 ms.
  const start = isWindows ? (await import('cross-spawn')).default : spawn;
  // A separate process group allows stopping a command with its descendants. A command with a terminal must stay in
  // the terminal's group to receive Ctrl-C. On Windows, a detached process would open a new window.
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  const hasGroup = (isKept || !hasTerminal) && !isWindows;
  let stoppedBy: CommandEnd['stoppedBy'];
  let hasEnded = false;
  let tree: Promise<ProcessTree> | undefined;
  // Most commands end by themselves, so the code that stops a command's child processes is loaded only when needed.
  const stoppedTree = () => {
    const pid = child?.pid;
    if (pid === undefined) return undefined;
    const mark = `PETSTORE_SIM_URL=${env.PETSTORE_SIM_URL}`;
    tree ??= import('./process-tree.js').then(({ processTreeOf }) => processTreeOf(pid, mark));
    return tree;
  };
  const timers: NodeJS.Timeout[] = [];
  const send = (signal: NodeJS.Signals) => {
    // The terminal itself sends its signals to the descendants of the command, so these are not signaled again. The
    // command gets the signal in any case, such as from `kill -INT`.
    if (ofTerminal.includes(signal) && !hasGroup && !isWindows) child?.kill(signal);
    else void stoppedTree()?.then((each) => each.signal(signal));
  };
  const stop = (signal: StopSignal) => {
    send(signal);
    if (signal !== 'SIGINT') timers.push(setTimeout(() => send('SIGKILL'), graceMs));
  };
  const stopByUser = (signal: StopSignal) => {
    // A second Ctrl-C ends a command that ignored the first Ctrl-C.
    if (stoppedBy === undefined) stop(signal);
    else send('SIGKILL');
    stoppedBy ??= signal;
  };
  // Listens for signals before the command starts. A signal between the command's start and the first listener would
  // end only petstore-sim, and the command would continue.
  const ignoreSignals = onStopSignal(stopByUser);
  let child: ChildProcess | undefined;
  try {
    child = start(file, args, {
      env: { ...process.env, ...env },
      stdio: stdio as 'inherit',
      detached: hasGroup,
      ...(folder !== undefined && { cwd: folder }),
    });
    if (stopped?.aborted) stopByUser(stopped.reason as StopSignal);
    const { stdout, stderr } = child;
    const output = keepOutput(stdout, stderr);
    const errorOutput = keepOutput(stderr);
    if (timeoutMs !== undefined) {
      const stopInTime = () => {
        if (hasEnded) return;
        stoppedBy ??= 'timeout';
        stop('SIGTERM');
      };
      timers.push(setTimeout(stopInTime, timeoutMs));
    }
    const closed = new Promise<void>((resolve) => child?.once('close', () => resolve()));
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    hasEnded = true;
    // A terminal signals this process and the command at the same time, and the command's end can be noticed first.
    const isOfTerminal = hasTerminal && !hasGroup && ofTerminal.includes(signal as NodeJS.Signals);
    if (isOfTerminal) stoppedBy ??= signal as StopSignal;
    // A process that the command has left behind may hold the output open, such as a build daemon.
    const isClosed = await Promise.race([
      closed.then(() => true),
      new Promise<boolean>((resolve) => timers.push(setTimeout(resolve, graceMs, false))),
    ]);
    if (stoppedBy !== undefined || !isClosed) {
      const left = await stoppedTree();
      if (!isClosed) left?.signal('SIGTERM');
      await left?.end(graceMs);
    }
    for (const stream of [stdout, stderr]) stream?.destroy();
    const end: CommandEnd = { exitCode: code ?? 128 + constants.signals[signal as NodeJS.Signals] };
    if (signal !== null) end.signal = signal;
    if (stoppedBy !== undefined) end.stoppedBy = stoppedBy;
    return { end, output: output(), errorOutput: errorOutput() };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
    const reason = isMissing ? 'the command does not exist' : code === 'EACCES' ? 'it is not executable' : message;
    throw new UsageError(`expected a runnable command, got ${JSON.stringify(file)}: ${reason}`);
  } finally {
    for (const timer of timers) clearTimeout(timer);
    ignoreSignals();
  }
}

function keepOutput(...streams: ChildProcess['stdout'][]): () => string {
  let text = '';
  for (const stream of streams) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text = (text + chunk).slice(-keptOutput);
    });
  }
  return () => text;
}
