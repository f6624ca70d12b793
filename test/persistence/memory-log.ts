import type { LogHealth } from '../../src/control-api/control-operation.js';
import type { Scenario } from '../../src/index.js';
import type { Command } from '../../src/persistence/command.js';
import {
  type FoundEntry,
  type Log,
  type LogEntry,
  LogUnavailableError,
  type NewEntry,
  type SharedLog,
} from '../../src/persistence/log.js';
import { createLoggedSimulators } from '../../src/persistence/logged-simulators.js';
import { Sequencer, type SequencerHost } from '../../src/persistence/sequencer.js';
import { type MachineOptions, startMachine } from '../../src/persistence/start-machine.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { readStart } from '../../src/scenario/read-start.js';
import { generatePets } from '../../src/seed.js';
import { serveState } from '../../src/server/serve-state.js';
import type { ListenOptions } from '../../src/server/server.js';
import { jsonText, parseJson } from '../../src/values/json.js';

/** A log that keeps its entries as JSON in memory; it can be made to refuse them, and be one that others write to as well. */
export class MemoryLog implements Log {
  readonly entries: FoundEntry[] = [];
  snapshots: { position: number; pieces: unknown[] }[] = [];
  snapshotIsDue = false;
  /** While it is set, nothing can be written; or no entry with such a command. */
  refuses: boolean | Command['kind'] = false;
  /** Promise that delays `append`. */
  delay: Promise<unknown> = Promise.resolve();
  /** In a shared log: whether appended entries are late. */
  isLate = false;
  /** In a shared log: promise that delays `catchUp` before it reads the entries of others. */
  catchUpDelay: Promise<unknown> = Promise.resolve();
  /** Unread entries of other writers. */
  readonly unread: NewEntry[] = [];
  /** In a shared log: reported positions of entries to which another writer responded differently, with the writer. */
  readonly disagreements: [position: number, writer: string][] = [];
  readonly shared: SharedLog | undefined;
  #onEntry: ((entry: LogEntry, own: NewEntry | undefined) => void) | undefined;

  constructor({ isShared = false } = {}) {
    this.shared = isShared ? this.#share() : undefined;
  }

  get position(): number {
    return this.entries.length;
  }

  get snapshotPosition(): number {
    return this.snapshots.at(-1)?.position ?? 0;
  }

  async append(entry: NewEntry): Promise<LogEntry> {
    const { refuses } = this;
    const isRefused = refuses === true || entry.commands.some((command) => (command as Command).kind === refuses);
    if (isRefused) throw new LogUnavailableError('the disk is full');
    const written = this.#write(entry, 'memory');
    await this.delay;
    this.#onEntry?.(this.isLate ? { ...written, isLate: true } : written, entry);
    return written;
  }

  #write(entry: NewEntry, writer: string): FoundEntry {
    const position = this.entries.length + 1;
    const written = { ...entry, position, writer, incarnation: 1, sequence: position, version: '1.0.0' };
    const stored = parseJson(jsonText(written), 64) as unknown as FoundEntry;
    this.entries.push(stored);
    return stored;
  }

  #share(): SharedLog {
    return {
      writer: 'memory',
      follow: (onEntry) => {
        this.#onEntry = onEntry;
      },
      catchUp: async () => {
        await this.catchUpDelay;
        for (const entry of this.unread.splice(0)) this.#onEntry?.(this.#write(entry, 'other'), undefined);
      },
      reportDisagreement: (position, writer) => this.disagreements.push([position, writer]),
    };
  }

  async writeSnapshot(position: number, pieces: Iterable<unknown>): Promise<void> {
    this.snapshotIsDue = false;
    this.snapshots.push({ position, pieces: parseJson(jsonText([...pieces]), 64) as unknown[] });
  }

  async setAside(): Promise<string> {
    throw new Error('not in memory');
  }

  async close(): Promise<void> {}
}

/** All entries as a log gives them out when it is opened. */
export async function* found(entries: readonly FoundEntry[]): AsyncGenerator<FoundEntry> {
  yield* entries;
}

export const host: SequencerHost = {
  defer: setImmediate,
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  onError(error) {
    throw error;
  },
};

/** A server behind a log in memory. */
export async function serveLogged(
  scenario: Scenario = {},
  options: ListenOptions & Partial<MachineOptions> & { isShared?: boolean; health?: Partial<LogHealth> } = {},
) {
  const resolved = resolveScenario(scenario, generatePets, readStart);
  const machine = startMachine(resolved, Date.now(), {
    service: servedPetstore,
    readMs: () => Date.now(),
    generatePets,
    ...options,
  });
  const log = new MemoryLog(options);
  const sequencer = new Sequencer(machine, log, host);
  const health = () => ({
    position: log.position,
    snapshotPosition: log.snapshotPosition,
    notices: [],
    ...options.health,
  });
  const simulators = createLoggedSimulators(machine, sequencer, health);
  await new Promise((resolve) => sequencer.submit({ kind: 'begin', scenario: resolved.scenario, hash: 'h' }, resolve));
  const server = await serveState(
    { open: async () => ({ simulators, close: async () => {} }) },
    { port: 0, ...options },
  );
  return {
    machine,
    log,
    sequencer,
    ...server,
    async close() {
      await server.close({ graceMs: 0 });
      await sequencer.close();
    },
  };
}
