import { ScenarioError } from '../scenario/scenario-error.js';
import type { Scenario } from '../scenario/schema.js';
import { createSimulator, type Simulator } from '../simulator.js';
import { readHandlers } from './handlers-file.js';
import { createRequestLog, type LogForm, listeningLines, logForms } from './request-log.js';
import { readScenario } from './scenario-files.js';
import { listen, type RunningServer } from './server.js';
import { UsageError } from './usage-error.js';

/** The options of `petstore-sim serve`, as the command line gives them. */
export interface ServeFlags {
  port?: string;
  host?: string;
  scenario?: string;
  handlers?: string;
  seed?: string;
  log?: string;
  'no-limits'?: boolean;
  'allowed-host'?: string[];
  'control-token'?: string;
}

/**
 * Runs the server until SIGINT or SIGTERM.
 * @throws {UsageError} for a bad flag, a bad scenario, or an address that cannot be had
 */
export async function serve(flags: ServeFlags): Promise<void> {
  const port = wholeNumber('--port', flags.port ?? '4010', 65_535);
  const log = flags.log ?? 'pretty';
  if (!isLogForm(log)) throw new UsageError(`expected --log ${logForms.join(', ')}, got ${JSON.stringify(log)}`);
  const sim = await buildSimulator(flags);
  const write = (line: string) => {
    process.stdout.write(`${line}\n`);
  };
  // Whoever reads the log may go away (`petstore-sim | head`); the server goes on without it.
  process.stdout.on('error', () => {});
  const onAnswer = createRequestLog(log, sim, write);
  const server = await startServer(sim, {
    port,
    ...(flags.host !== undefined && { host: flags.host }),
    allowedHosts: flags['allowed-host'] ?? [],
    controlToken: flags['control-token'],
    ...(flags.handlers !== undefined && { handlers: await readHandlers(flags.handlers, sim) }),
    ...(onAnswer && { onAnswer }),
  });
  stopOnSignal(server);
  for (const line of listeningLines(log, sim, server, flags['control-token'] !== undefined)) write(line);
}

async function buildSimulator(flags: ServeFlags): Promise<Simulator> {
  try {
    const scenario: Scenario = { ...(await readScenario(flags.scenario ?? 'default')) };
    if (flags.seed !== undefined) scenario.seed = wholeNumber('--seed', flags.seed, Number.MAX_SAFE_INTEGER);
    if (flags['no-limits']) scenario.limits = 'off';
    const generates = scenario.pets !== undefined && 'generate' in scenario.pets;
    return createSimulator({ scenario, ...(generates && { generatePets: (await import('../seed.js')).generatePets }) });
  } catch (error) {
    if (error instanceof ScenarioError) throw new UsageError(error.message);
    throw error;
  }
}

async function startServer(...args: Parameters<typeof listen>): Promise<RunningServer> {
  try {
    return await listen(...args);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const { port, host = 'localhost' } = args[1] ?? {};
    if (code === 'EADDRINUSE')
      throw new UsageError(`port ${port} is taken; stop what listens there, or pass --port 0 for a free one`);
    if (code === 'EACCES') throw new UsageError(`port ${port} needs more rights; pass --port with a number above 1023`);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new UsageError(`expected --host to be an address of this machine, got ${host}`);
    if (error instanceof RangeError) throw new UsageError(message);
    throw error;
  }
}

function stopOnSignal(server: RunningServer): void {
  let stopping = false;
  const stop = async () => {
    if (stopping) process.exit(1);
    stopping = true;
    await server.close();
    process.exit(0);
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
}

const isLogForm = (text: string): text is LogForm => (logForms as readonly string[]).includes(text);

function wholeNumber(flag: string, text: string, maximum: number): number {
  const value = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= maximum) return value;
  throw new UsageError(`expected ${flag} to be a whole number from 0 to ${maximum}, got ${JSON.stringify(text)}`);
}
