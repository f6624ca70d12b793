const codes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Runs work that Ctrl-C and SIGTERM end early.
 * @param most largest number of concurrent commands, each of which listens for signals
 * @returns the result, and the exit code for the signal, if any
 */
export async function untilStopped<Result>(
  work: (stopped: AbortSignal) => Promise<Result>,
  most = 10,
): Promise<{ result: Result; stoppedCode: number | undefined }> {
  const stopped = new AbortController();
  let stoppedCode: number | undefined;
  const stop = (signal: keyof typeof codes) => {
    stoppedCode ??= codes[signal];
    stopped.abort();
  };
  // In addition to the listeners of the running commands.
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
