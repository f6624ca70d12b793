import { parseBaseUrl } from '../http/base-url.js';
import { UsageError } from '../validation/usage-error.js';
import { variableName } from '../values/mask-key.js';
import { pluralize } from '../values/pluralize.js';
import { flagWords } from './flag-words.js';
import { createHttpTransport, type HttpTransport } from './http-transport.js';
import { drawBar, eraseLine } from './progress-bar.js';
import { onStopSignal } from './stop-signals.js';

/** Flags that all commands that send requests to a service have. */
export interface ServiceFlags {
  target?: string;
  'key-env'?: string;
  budget?: string;
  write?: boolean;
  patience?: string;
  json?: boolean;
}

/**
 * Creates the connection to the real API: sends requests to the base URL of `--target`, with the API key from the
 * environment variable that `--key-env` names.
 * @throws {UsageError} for an invalid base URL, or a missing API key
 */
export const transportOf = ({ target = '', 'key-env': key }: ServiceFlags, whenStopped?: string): HttpTransport =>
  createHttpTransport(serviceUrlOf(target), keyFromFlag(key), whenStopped);

/**
 * Runs `ask`, which sends requests to an API through the transport. A signal stops the transport, so that the next
 * request or wait throws an error. Erases the progress display at the end.
 */
export async function askUntilStopped<Result>({ stop }: HttpTransport, ask: () => Promise<Result>): Promise<Result> {
  const ignoreSignals = onStopSignal(() => {
    ignoreSignals();
    stop();
  });
  try {
    return await ask();
  } finally {
    ignoreSignals();
    if (process.stderr.isTTY) process.stderr.write(eraseLine);
  }
}

/**
 * Formats the flags for the real API, `--target` and `--key-env`, as words of a command for a message. Missing values
 * become `URL` and `NAME`.
 */
export const serviceWords = ({ target = 'URL', 'key-env': key = 'NAME' }: ServiceFlags): string[] =>
  flagWords({ target, 'key-env': key });

/**
 * Reads the real API's key from the environment variable that `--key-env` names.
 * @throws {UsageError} if `--key-env` or the variable is missing
 */
function keyFromFlag(name: string | undefined): string {
  if (name === undefined) {
    throw new UsageError('expected --key-env NAME, the environment variable with the API key');
  }
  const key = process.env[name];
  if (key === undefined || key === '') {
    throw new UsageError(`expected an API key in the environment variable ${variableName(name)}, got none`);
  }
  return key;
}

/**
 * Checks that the value of `--target` is a base URL, and returns the value.
 * @throws {UsageError} for any other value
 */
function serviceUrlOf(target: string): string {
  if (parseBaseUrl(target) !== undefined) return target;
  throw new UsageError(
    `expected --target to be a base URL such as https://api.example.com/v1, got ${JSON.stringify(target)}`,
  );
}

/**
 * Parses the value of the flag `--budget`, the maximum number of requests to a real API.
 * @throws {UsageError} for text that is no whole number from 1 to 999,999
 */
export function budgetOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`expected --budget to be a whole number from 1 to 999999, got ${JSON.stringify(text)}`);
}

/**
 * Shows the number of requests sent so far, out of the maximum number: a bar on a terminal, otherwise one line per ten
 * requests.
 */
export function showRequests(done: number, total: number): void {
  const { stderr } = process;
  if (stderr.isTTY) stderr.write(drawBar(done, total, 'requests'));
  else if (done % 10 === 0) stderr.write(`${done} of ${pluralize(total, 'request')}\n`);
}

/**
 * Prints on standard error how long, and why, the command line waits before its next request. Prints nothing if the
 * wait is below one second.
 */
export function showWait(ms: number, why: string): void {
  const { stderr } = process;
  if (ms < 1_000) return;
  const text = `waiting ${Math.ceil(ms / 1000)} s: ${why}`;
  stderr.write(stderr.isTTY ? ` ${text}` : `${text}\n`);
}
