const codes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs asynchronous work, and aborts the work's signal at SIGINT (Ctrl-C) or SIGTERM.
 * @param most maximum number of commands that the work runs concurrently. Each command adds a signal listener, so
 * Node's limit of listeners is raised
 * @returns the work's result, and the process exit code for the received signal; `undefined` without a signal
 */
export async function waitUntilStopped<Result>(
  work: (stopped: AbortSignal) => Promise<Result>,
  most = 10,
): Promise<{ result: Result; stoppedCode: number | undefined }> {
  const stopped = new AbortController();
  let stoppedCode: number | undefined;
  const stop = (signal: keyof typeof codes) => {
    stoppedCode ??= codes[signal];
    stopped.abort();
  };
  // Raises Node's limit on listeners, because each running command also listens for signals.
  const before = process.getMaxListeners();
  process.setMaxListeners(Math.max(before, most + 1));
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    return { result: await work(stopped.signal), stoppedCode };
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    process.setMaxListeners(before);
  }
}
