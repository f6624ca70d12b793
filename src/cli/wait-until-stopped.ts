import { type StopSignal, stopSignals } from '../judge/command-end.js';
import { graceMs } from './client-command.js';
import { printNote } from './print-error.js';
import { onStopSignal } from './stop-signals.js';

/**
 * Runs asynchronous work that runs clients' commands, and aborts the work's signal at a signal to this process. The
 * abort reason is the signal's name. After Ctrl-C, a client may take its time, so the user learns how to end it.
 * @param most maximum number of commands that the work runs concurrently. Each command adds a signal listener, so
 * Node's limit of listeners is raised
 * @returns the work's result, and the process exit code for the received signal; `undefined` without a signal
 */
export async function waitUntilStopped<Result>(
  work: (stopped: AbortSignal) => Promise<Result>,
  most = 10,
): Promise<{ result: Result; stoppedCode: number | undefined }> {
  const stopped = new AbortController();
  let hint: NodeJS.Timeout | undefined;
  const stop = (signal: StopSignal) => {
    if (signal === 'SIGINT' && !stopped.signal.aborted) {
      hint = setTimeout(() => printNote('the client is still running; press Ctrl-C again to end it'), graceMs);
    } else clearTimeout(hint);
    stopped.abort(signal);
  };
  // Raises Node's limit on listeners, because each running command also listens for signals.
  const before = process.getMaxListeners();
  process.setMaxListeners(Math.max(before, most + 1));
  const ignoreSignals = onStopSignal(stop);
  try {
    const result = await work(stopped.signal);
    const { aborted, reason } = stopped.signal;
    return { result, stoppedCode: aborted ? stopSignals[reason as StopSignal] : undefined };
  } finally {
    clearTimeout(hint);
    ignoreSignals();
    process.setMaxListeners(before);
  }
}
