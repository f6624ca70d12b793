import { LogOpenError, LogUnavailableError } from '../persistence/log.js';
import { dataEngine, isRedisAddress } from '../persistence/node/data-engine.js';
import type { LoggedState } from '../persistence/node/logged-state.js';
import type { RecordingOptions } from '../persistence/node/recording-engine.js';
import { servedPetstore } from '../petstore/served-petstore.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { nameOfScenario } from '../scenario-files/scenario-files.js';
import { readShippedScenarios } from '../scenario-files/shipped-scenarios.js';
import type { Engine, OpenedState } from '../server/serve-state.js';
import { UsageError } from '../validation/usage-error.js';
import { generateAtStart } from './generated-pets.js';
import { checkEnding, unwritable } from './output-files.js';
import { printError, printMistake, printNote } from './print-error.js';
import { program } from './program.js';

/** Command-line flags that select the storage of a server's state: a folder, Redis or a recording file. */
export interface DataFlags {
  data?: string;
  'data-reset'?: boolean;
  fsync?: boolean;
  advertise?: string;
  record?: string;
}

/** State of one or more simulators that a command of petstore-sim serves over HTTP. */
export interface ServableState extends OpenedState, Pick<LoggedState, 'load'> {
  /** Folder of `--data` from which the state was loaded; undefined for a new state. */
  readonly resumedFrom?: string | undefined;
}

/**
 * Creates the storage engine for a server's state: with `--data` a folder or a Redis store, with `--record` a recording
 * file. The engine's `open` prints problems of the stored state on standard error.
 * @throws {UsageError} for a malformed Redis address; `open` throws a {UsageError} for stored state that cannot be used
 */
export async function loggedEngine(
  resolved: ResolvedScenario,
  { scenario = 'default', data, record, 'data-reset': reset, fsync, advertise }: DataFlags & { scenario?: string },
): Promise<Engine<ServableState>> {
  const common = {
    service: servedPetstore,
    resolved,
    scenarioName: nameOfScenario(scenario),
    scenarios: readShippedScenarios,
    generatePets: generateAtStart,
  };
  if (data === undefined) return recordedEngine({ ...common, file: record as string });
  const engine = await dataEngine(data, { ...common, reset, fsync, advertise }).catch(refuse);
  return {
    ...engine,
    async open(host) {
      const state = await engine.open(host).catch(refuse);
      for (const notice of state.notices) printError(notice);
      if (!('role' in state)) return { ...state, resumedFrom: state.isResumed ? data : undefined };
      printNote(state.role);
      return state;
    },
  };
}

/**
 * Converts an error into a `UsageError` if the server's log cannot be opened or written, or its Redis store is
 * unreachable.
 * @throws {UsageError}, or any other error unchanged
 */
function refuse(error: Error): never {
  const isOfLog = error instanceof LogOpenError || error instanceof LogUnavailableError;
  throw isOfLog || error.name === 'StoreUnavailableError' ? new UsageError(error.message) : error;
}

/**
 * Creates the `Engine` of the flag `--record`. The engine's `open` creates the server's state and a new file, in which
 * all changes are recorded. `open` throws a `UsageError` if the file cannot be created.
 */
export async function recordedEngine(options: RecordingOptions): Promise<Engine<LoggedState>> {
  const { file } = options;
  checkEnding('--record', file, 'JSON Lines');
  const { recordingEngine } = await import('../persistence/node/recording-engine.js');
  const onLost = (message: string) => {
    printMistake(`petstore-sim: ${message}`);
    options.onLost?.(message);
  };
  const engine = recordingEngine({ ...options, onLost });
  return {
    async open() {
      const state = await engine.open().catch((error: NodeJS.ErrnoException) => {
        if (error.syscall === undefined) throw error;
        if (error.code === 'EEXIST') {
          throw new UsageError(
            `expected --record to name a new file, got ${JSON.stringify(file)}, which exists; use another name, or remove the file`,
          );
        }
        throw unwritable('--record', file, error);
      });
      printNote(`recording to ${file}: with bodies, without tokens that the scenario lacks`);
      return state;
    },
  };
}

/** Checks the flags of a server that writes a log. @throws {UsageError} for flags that exclude each other */
export function checkDataFlags({ data, 'data-reset': reset, fsync, advertise, record }: DataFlags): void {
  if (data !== undefined && record !== undefined) {
    throw new UsageError(`expected either --data or --record; ${program} replay accepts the folder of --data too`);
  }
  if (data === undefined && reset)
    throw new UsageError('expected --data FOLDER or --data URL with --data-reset, got no --data');
  if (data === undefined && fsync) throw new UsageError('expected --data FOLDER with --fsync, got no --data');
  if (data !== undefined && !isRedisAddress(data) && /^[a-z][a-z0-9+.-]*:\/\//i.test(data)) {
    throw new UsageError(
      `expected --data with a folder, or the address of a store (redis://127.0.0.1:6379/0?name=staging, for Valkey as well), got ${JSON.stringify(data)}`,
    );
  }
  if (advertise !== undefined && !isRedisAddress(data ?? ''))
    throw new UsageError('expected --data redis://... with --advertise, which several servers share');
  if (fsync && isRedisAddress(data ?? '')) {
    throw new UsageError('expected --fsync with a folder, got a store, which has its own setting for flushes');
  }
}
