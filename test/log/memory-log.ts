import type { Scenario } from '../../src/index.js';
import { type FoundEntry, type Log, type LogEntry, LogUnavailableError, type NewEntry } from '../../src/log/log.js';
import { createLoggedBackend } from '../../src/log/logged-backend.js';
import { Sequencer, type SequencerHost } from '../../src/log/sequencer.js';
import { type MachineOptions, startMachine } from '../../src/log/start-machine.js';
import { type ListenOptions, listenTo } from '../../src/node/http/server.js';
import { readStart } from '../../src/scenario/read-start.js';
import { resolveScenario } from '../../src/scenario/resolve-scenario.js';
import { generatePets } from '../../src/seed.js';
import { jsonText, parseJson } from '../../src/values/json.js';

/** A log that keeps its entries as JSON in memory; it can be made to refuse them. */
export class MemoryLog implements Log {
  readonly entries: FoundEntry[] = [];
  snapshots: { position: number; pieces: unknown[] }[] = [];
  snapshotIsDue = false;
  /** While it is set, nothing can be written. */
  refuses = false;
  /** What `append` waits for. */
  delay: Promise<unknown> = Promise.resolve();

  get position(): number {
    return this.entries.length;
  }

  get snapshotPosition(): number {
    return this.snapshots.at(-1)?.position ?? 0;
  }

  async append(entry: NewEntry): Promise<LogEntry> {
    if (this.refuses) throw new LogUnavailableError('the disk is full');
    const position = this.entries.length + 1;
    const written = { ...entry, position, writer: 'memory', incarnation: 1, sequence: position, version: '1.0.0' };
    this.entries.push(parseJson(jsonText(written), 64) as unknown as FoundEntry);
    await this.delay;
    return written;
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
export async function serveLogged(scenario: Scenario = {}, options: ListenOptions & Partial<MachineOptions> = {}) {
  const resolved = resolveScenario(scenario, generatePets, readStart);
  const machine = startMachine(resolved, Date.now(), { readMs: () => Date.now(), generatePets, ...options });
  const log = new MemoryLog();
  const sequencer = new Sequencer(machine, log, host);
  const health = () => ({ position: log.position, snapshotPosition: log.snapshotPosition, notices: [] });
  const backend = createLoggedBackend(machine, sequencer, health);
  await new Promise((resolve) => sequencer.submit({ kind: 'begin', scenario: resolved.scenario, hash: 'h' }, resolve));
  const server = await listenTo(backend, { port: 0, ...options });
  return {
    machine,
    log,
    sequencer,
    backend,
    ...server,
    async close() {
      await server.close({ graceMs: 0 });
      await sequencer.close();
    },
  };
}
