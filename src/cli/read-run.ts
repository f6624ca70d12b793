import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foundInstead } from '../control-api/node/file-kind.js';
import { version } from '../control-api/run-report.js';
import { type FoundEntry, type FoundSnapshot, LogOpenError } from '../persistence/log.js';
import { openFileLog } from '../persistence/node/folder/file-log.js';
import { readLines } from '../persistence/node/folder/lines.js';
import { readRecordedLog } from '../persistence/node/folder/recording.js';
import { recordedSandboxes } from '../persistence/node/recording-engine.js';
import { type Replay, type ReplayUntil, replayLog } from '../persistence/replay-log.js';
import { generatePets } from '../petstore/generate-pets.js';
import { scenarioFields } from '../petstore/scenario-schema.js';
import { servedPetstore } from '../petstore/served-petstore.js';
import type { SandboxesOptions } from '../sandboxes/sandboxes.js';
import { readShippedScenarios } from '../scenario-files/shipped-scenarios.js';
import { UsageError } from '../validation/usage-error.js';
import { parseInstant } from '../values/instant.js';
import { printNotes } from './print-error.js';

/** A recorded run, read from a recording or from the folder of `--data`. */
export interface LoadedRun {
  /** Version of this program that recorded the run. If there were several, the last one. */
  readonly version: string;
  readonly snapshot: FoundSnapshot | undefined;
  readonly entries: readonly FoundEntry[];
  readonly notices: readonly string[];
  /** Number of entries of the recorded run that follow the last one in `entries` and could not be read. */
  readonly leftOut: number;
  readonly sandboxes: SandboxesOptions | undefined;
}

/** Result of `--until`: a point of a recorded run, and the state at this point. */
export interface ReplayedRun extends Replay {
  readonly run: LoadedRun;
  /**
   * Number of unreadable log entries, if the replay ran out of readable entries before the point that `--until` names;
   * 0 if the replay is complete.
   */
  readonly leftOut: number;
}

/**
 * Reads a recorded run from a recording or a folder, and replays it. Prints notes about the recording.
 * @param until value of `--until`. Default: the end of the run
 * @param isServed whether the replayed state is served afterwards, so that its clock must continue after the last entry
 * @throws {UsageError} if the path has no run, and for a point that the run does not contain
 */
export async function replayFrom(path: string, until: string | undefined, isServed = false): Promise<ReplayedRun> {
  const point: ReplayUntil = until === undefined ? {} : parseUntil(until);
  const run = await readRun(path);
  printNotes(run.notices);
  const done = await replayRun(run, point, isServed);
  return { ...done, run, leftOut: isComplete(run, done, point) ? 0 : run.leftOut };
}

/** Reads a recorded run from a recording or a folder. @throws {UsageError} if the path has no run */
async function readRun(path: string): Promise<LoadedRun> {
  try {
    const isFolder = (await stat(path)).isDirectory();
    return isFolder ? await readFolder(path) : readFile(path);
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined && !(error instanceof LogOpenError)) throw error;
    const found = foundInstead({ file: path }, ['run'], scenarioFields);
    if (found !== undefined)
      throw new UsageError(`${path}: expected a file from --record, or the folder of --data, got ${found}`);
    throw new UsageError(
      syscall === undefined
        ? message
        : `expected a file from --record, or the folder of --data, got ${JSON.stringify(path)}: ${message}`,
    );
  }
}

function readFile(path: string): LoadedRun {
  const { version, entries, notice, leftOut } = readRecordedLog(path);
  const notices = notice === undefined ? [] : [notice];
  return { version, snapshot: undefined, entries, notices, leftOut, sandboxes: recordedSandboxes };
}

/** Reads a copy of the folder: opening a log repairs its files, and a server may be using the folder. */
async function readFolder(path: string): Promise<LoadedRun> {
  const copy = await mkdtemp(join(tmpdir(), 'petstore-sim-replay-'));
  try {
    const isOfLog = (source: string) => !/[/\\](?:lock-|set-aside-)[^/\\]*$/.test(source);
    await cp(path, copy, { recursive: true, filter: isOfLog });
    const { log, isNew, snapshot, entries, notices } = await openFileLog(copy, {
      version,
      scenario: { name: '', hash: '' },
    });
    try {
      if (isNew) throw new LogOpenError(`expected ${path} to contain the log of a server with --data, got none`);
      const pieces: unknown[] = [];
      for await (const piece of snapshot?.pieces ?? []) pieces.push(piece);
      const found: FoundEntry[] = [];
      for await (const entry of entries) found.push(entry);
      return {
        version: found.at(-1)?.version ?? snapshot?.version ?? version,
        snapshot: snapshot && { ...snapshot, pieces: streamOf(pieces) },
        entries: found,
        notices: notices.filter((notice) => !notice.startsWith('The log was written by')),
        leftOut: await countEntriesSetAside(copy),
        sandboxes: undefined,
      };
    } finally {
      await log.close();
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/**
 * Counts the unreadable log entries in a folder. When a log is opened, its unreadable entries are moved to files named
 * `set-aside-NUMBER-log-…`.
 */
async function countEntriesSetAside(folder: string): Promise<number> {
  let count = 0;
  for (const name of await readdir(folder)) {
    if (!/^set-aside-\d+-log-/.test(name)) continue;
    for (const line of readLines(join(folder, name))) if (!line.startsWithField('file')) count++;
  }
  return count;
}

async function* streamOf<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

/**
 * Whether the replay of a recorded run has applied all log entries before the end that the option `--until` names.
 * Unreadable log entries follow the readable ones, so a replay that ends before the last readable entry misses none.
 */
const isComplete = ({ entries, leftOut }: LoadedRun, { last }: Replay, { position }: ReplayUntil): boolean =>
  leftOut === 0 || last !== entries.at(-1) || (last !== undefined && last.position === position);

/**
 * Replays a recorded run up to an entry or a time.
 * @throws {UsageError} if `until` is an entry before the stored snapshot, because the folder no longer contains the
 * entries before the snapshot
 */
async function replayRun(
  { snapshot, entries, sandboxes }: LoadedRun,
  until: ReplayUntil,
  isServed: boolean,
): Promise<Replay> {
  const { position = Number.POSITIVE_INFINITY } = until;
  if (snapshot !== undefined && position < snapshot.position) {
    throw new UsageError(
      `expected --until at entry ${snapshot.position} or later, where the folder's snapshot is, got ${position}`,
    );
  }
  return replayLog(
    { snapshot, entries },
    {
      service: servedPetstore,
      scenarios: readShippedScenarios,
      generatePets,
      sandboxes,
      onWarning: () => {},
      // `performance.now()` is far below the last log entry's time. The log's clock treats such a time as a machine
      // clock that was set back, and advances from the last entry's time.
      ...(isServed && { readMs: () => performance.now() }),
    },
    until,
  );
}

/**
 * Parses the flag `--until`: the number of a log entry, or a point in time of the recorded run.
 * @throws {UsageError} if the value is neither
 */
function parseUntil(text: string): { position: number } | { atMs: number } {
  if (/^[1-9]\d{0,15}$/.test(text)) return { position: Number(text) };
  try {
    return { atMs: parseInstant(text) };
  } catch (error) {
    throw new UsageError(`expected --until to be the number of an entry or an instant: ${(error as Error).message}`);
  }
}
