import { isIP } from 'node:net';
import { type StopSignal, stopSignals } from '../judge/command-end.js';
import type { ListenOptions, RunningServer } from '../server/server.js';
import { UsageError } from '../validation/usage-error.js';
import { blockedPorts } from './blocked-ports.js';
import { readControlToken } from './control-token.js';
import { createOutputLines, type WriteLine } from './output-lines.js';
import { printNote } from './print-error.js';
import { createRequestLog, droppedLine, type LogFormat, logFormats } from './request-log.js';
import { onStopSignal } from './stop-signals.js';

/** Command-line flags of all commands that start a server. */
export interface ListenFlags {
  port?: string;
  host?: string;
  'public-url'?: string;
  log?: string;
  'allowed-host'?: string[];
  'control-token'?: string;
  'max-streams'?: string;
  json?: boolean;
}

/** Environment variable from which the address of a server comes: `PORT` or `HOST`; absent for a flag or a default. */
export interface AddressSource {
  port?: 'PORT';
  host?: 'HOST';
}

/** A server's options and its log, as flags and the environment select them. */
export interface Listening {
  log: LogFormat;
  options: ListenOptions;
  writeLine: WriteLine;
  addressFrom: AddressSource;
}

/**
 * Converts a server's flags to its options, and creates a function that writes log lines to standard output. Without
 * `--port` and `--host`, the environment variables PORT and HOST apply.
 * @throws {UsageError} for an invalid flag or PORT
 */
export function readListenFlags(flags: ListenFlags, environment = process.env): Listening {
  const addressFrom: AddressSource = {};
  const { PORT } = environment;
  if (flags.port === undefined && PORT) addressFrom.port = 'PORT';
  const port =
    addressFrom.port === undefined
      ? wholeNumber('--port', flags.port ?? '4010', 65_535)
      : wholeNumber('the environment variable PORT', PORT as string, 65_535);
  const host = flags.host ?? hostFrom(environment);
  if (flags.host === undefined && host !== undefined) addressFrom.host = 'HOST';
  const log = flags.log ?? (flags.json || isAgent() ? 'json' : 'pretty');
  if (!isLogFormat(log)) throw new UsageError(`expected --log ${logFormats.join(', ')}, got ${JSON.stringify(log)}`);
  const writeLine = createOutputLines((count) => droppedLine(log, count));
  const onAnswer = createRequestLog(log, writeLine);
  if (blockedPorts.has(port)) {
    printNote(`browsers and fetch do not connect to port ${port}; for these clients, pass another --port`);
  }
  const options: ListenOptions = {
    port,
    ...(host !== undefined && { host }),
    ...(flags['public-url'] !== undefined && { publicUrl: flags['public-url'] }),
    allowedHosts: flags['allowed-host'] ?? [],
    controlToken: readControlToken(flags['control-token'], environment),
    ...(flags['max-streams'] !== undefined && {
      maximumStreams: wholeNumber('--max-streams', flags['max-streams'], 1_000),
    }),
    ...(onAnswer && { onAnswer }),
  };
  return { log, options, writeLine, addressFrom };
}

/**
 * Reads the environment variable HOST, if it is an address to listen on. Shells and package managers also set HOST, to
 * the machine's name or to a platform such as `x86_64-conda-linux-gnu`; a name is ignored, with a note.
 */
function hostFrom({ HOST }: NodeJS.ProcessEnv): string | undefined {
  if (!HOST || HOST === 'localhost' || isIP(HOST) !== 0) return HOST || undefined;
  const name = JSON.stringify(HOST);
  printNote(`ignored the environment variable HOST, because ${name} is no IP address; --host ${HOST} listens there`);
  return undefined;
}

/**
 * Stops the server and ends the process on a signal, after it has finished the active responses. The exit code is 0
 * after SIGINT or SIGTERM, which are the usual ways to stop a server. A second signal ends the process immediately.
 * @returns a function that also stops the server
 */
export function stopOnSignal(server: Pick<RunningServer, 'close'>): () => Promise<void> {
  let stopping = false;
  const stop = async (signal?: StopSignal) => {
    if (stopping) process.exit(1);
    stopping = true;
    await server.close();
    process.exit(signal === 'SIGHUP' || signal === 'SIGQUIT' ? stopSignals[signal] : 0);
  };
  onStopSignal(stop);
  return () => stop();
}

/** Whether an AI agent reads the output. Agents get JSON, which is shorter than the text for people. */
const isAgent = () => Boolean(process.env.AI_AGENT || process.env.AGENT);

const isLogFormat = (text: string): text is LogFormat => (logFormats as readonly string[]).includes(text);

/**
 * Parses a flag's value as a whole number from 0 to `maximum`.
 * @throws {UsageError} for any other text
 */
export function wholeNumber(flag: string, text: string, maximum: number): number {
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= maximum) return value;
  throw new UsageError(`expected ${flag} to be a whole number from 0 to ${maximum}, got ${JSON.stringify(text)}`);
}
