import type { Scenario } from '../../src/entries/index.js';
import { generatePets } from '../../src/entries/seed.js';
import type { Command } from '../../src/persistence/command.js';
import {
  type FoundEntry,
  type Log,
  type LogEntry,
  LogUnavailableError,
  type NewEntry,
} from '../../src/persistence/log.js';
import { createLoggedSimulators } from '../../src/persistence/logged-simulators.js';
import { Sequencer, type SequencerHost } from '../../src/persistence/sequencer.js';
import { type MachineOptions, startMachine } from '../../src/persistence/start-machine.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { readStart } from '../../src/scenario/read-start.js';
import { serveState } from '../../src/server/serve-state.js';
import type { ListenOptions } from '../../src/server/server.js';
import { jsonText, parseJson } from '../../src/values/json.js';

/** A log that keeps its entries as JSON in memory, and can be made to refuse them. */
export class MemoryLog implements Log {
  readonly entries: FoundEntry[] = [];
  snapshots: { position: number; pieces: unknown[] }[] = [];
  snapshotIsDue = false;
  /** While it is set, nothing can be written; or no entry with such a command. */
  refuses: boolean | Command['kind'] = false;
  /** Promise that delays `append`. */
  delay: Promise<unknown> = Promise.resolve();
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
    const written = { ...entry, position: this.entries.length + 1, version: '1.0.0' };
    const stored = parseJson(jsonText(written), 64) as unknown as FoundEntry;
    this.entries.push(stored);
    await this.delay;
    return stored;
  }

  async writeSnapshot(position: number, pieces: Iterable<unknown>): Promise<void> {
    this.snapshotIsDue = false;
    this.snapshots.push({ position, pieces: parseJson(jsonText([...pieces]), 64) as unknown[] });
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
export async function serveLogged(scenario: Scenario = {}, options: ListenOptions & Partial<MachineOptions> = {}) {
  const resolved = resolveScenario(scenario, generatePets, readStart);
  const machine = startMachine(resolved, Date.now(), {
    service: servedPetstore,
    readMs: () => Date.now(),
    generatePets,
    ...options,
  });
  const log = new MemoryLog();
  const sequencer = new Sequencer(machine, log, host);
  const health = () => ({
    position: log.position,
    snapshotPosition: log.snapshotPosition,
    notices: [],
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
