/** Signals that stop petstore-sim and the client's command, each with the exit code that a shell reports for it. */
export const stopSignals = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const;
export type StopSignal = keyof typeof stopSignals;

/** End of a client's command. */
export interface CommandEnd {
  /** Command line, quoted for a shell, with its API keys masked. */
  line?: string;
  /** Exit code of the command; 128 + n if signal number n ended the command. */
  exitCode: number;
  /** Signal that ended the command. */
  signal?: string;
  /** Run time of the command. */
  durationMs?: number;
  /** Why the command was stopped: its timeout, or a signal to petstore-sim. */
  stoppedBy?: 'timeout' | StopSignal;
}
