const codes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs work that SIGINT (Ctrl-C) or SIGTERM ends early.
 * @param most maximum number of concurrent commands, for the limit of event listeners
 * @returns the work's result, and the exit code for the signal that ended it, if any
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
