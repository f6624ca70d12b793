const codes = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Does work that Ctrl-C and SIGTERM end early.
 * @returns what it gives, and the exit code as a shell tells it of the signal, where one came
 */
export async function untilStopped<Result>(
  work: (stopped: AbortSignal) => Promise<Result>,
): Promise<{ result: Result; stoppedCode: number | undefined }> {
  const stopped = new AbortController();
  let stoppedCode: number | undefined;
  const stop = (signal: keyof typeof codes) => {
    stoppedCode ??= codes[signal];
    stopped.abort();
  };
  // One listener more beside those of the commands that run.
  process.setMaxListeners(process.getMaxListeners() + 1);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  try {
    return { result: await work(stopped.signal), stoppedCode };
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
    process.setMaxListeners(process.getMaxListeners() - 1);
  }
}
