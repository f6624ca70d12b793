import { coreOf } from '../simulator/simulator.js';
import { emptyHash } from './answer-hash.js';
import { captureMachine } from './capture-machine.js';
import type { Command, SentCommand } from './command.js';
import { toJsonCommand } from './command-json.js';
import { CommandQueues, type Done, type Waiting, type Written } from './command-queues.js';
import type { CommandResult, HandledRequest } from './command-result.js';
import { type AnswerHash, type Log, type LogEntry, LogUnavailableError, type NewEntry } from './log.js';
import { OutageLog } from './outage-log.js';
import { RecentHashes } from './recent-hashes.js';
import { SentNotes } from './sent-notes.js';
import type { StateMachine } from './state-machine.js';
import { TickTimer } from './tick-timer.js';

/** What a sequencer needs of the process that it runs in. */
export interface SequencerHost {
  /** Calls back at the end of this turn of the event loop. */
  defer(run: () => void): void;
  /** Calls back after a time; the function that it gives stops that. */
  after(ms: number, run: () => void): () => void;
  /** Told what could not be done in the background: a snapshot that was not written. */
  onError(error: unknown): void;
}

/** When answers were sent is written with the next command, or at the latest after this. */
const longestNoteMs = 1_000;

/**
 * Stands between a server and its state: writes each command down, and applies it when it is written. What comes in one
 * turn of the event loop is one entry, of each sandbox in turn.
 */
export class Sequencer {
  readonly #machine: StateMachine;
  readonly #log: Log;
  readonly #host: SequencerHost;
  readonly #queues = new CommandQueues();
  readonly #sent = new SentNotes();
  #answered: AnswerHash[] = [];
  #isDeferred = false;
  /** Requests that are written or wait for it, and are not applied yet, by sandbox. */
  readonly #arriving = new Map<string, number>();
  #lastAtMs = 0;
  #stopNoting: (() => void) | undefined;
  readonly #tick: TickTimer;
  /** How many commands were handed in, and how many of them are applied or have failed. */
  #handedIn = 0;
  #done = 0;
  #settled: { count: number; resolve: () => void }[] = [];
  #snapshot: Promise<void> = Promise.resolve();
  /** Of a shared log, by what was handed in: what is to be answered when it comes. */
  readonly #written = new WeakMap<NewEntry, Written>();
  readonly away: OutageLog;
  /** Whether the last entry of a log of its own could not be written, which is told once. */
  #isUnavailable = false;
  readonly #hashes = new RecentHashes();

  /** @param away what was refused before, and is to be told in the log */
  constructor(machine: StateMachine, log: Log, host: SequencerHost, away = new OutageLog()) {
    away.requeue();
    this.away = away;
    this.#machine = machine;
    this.#log = log;
    this.#host = host;
    this.#lastAtMs = machine.time.lastMs;
    this.#tick = new TickTimer(machine, host.after, () => this.submit({ kind: 'tick' }));
    log.shared?.follow((entry, own) => this.#applyShared(entry, own && this.#written.get(own)));
    this.#tick.set();
  }

  /**
   * Has a command written and then applied.
   * @param done called with what it gave; with a {LogUnavailableError} when it could not be written, and nothing happened
   */
  submit(command: Command, done?: Done): void {
    const name = sandboxOf(command);
    this.#handedIn++;
    this.#queues.add(name, { command, done });
    if (command.kind === 'request') this.#arriving.set(name, (this.#arriving.get(name) ?? 0) + 1);
    this.#deferWrite();
  }

  /** Notes how an answer was sent. It is written with the next command. */
  note(sandbox: string | undefined, id: number, delivery: SentCommand['answers'][number][1]): void {
    this.#sent.add(sandbox, id, delivery);
    this.#stopNoting ??= this.#host.after(longestNoteMs, () => this.#deferWrite());
  }

  /** The id of the last request that has arrived in a sandbox, also of one that is not applied yet. */
  lastArrivedId(sandbox: string | undefined): number {
    const sim = this.#machine.simOf(sandbox);
    const lastId = sim === undefined ? 0 : coreOf(sim).state.journal.lastId;
    return lastId + (this.#arriving.get(sandbox ?? '') ?? 0);
  }

  /** Resolves when everything that was handed in before is applied; `undefined` when it is. */
  settled(): Promise<void> | undefined {
    const { shared } = this.#log;
    const own = this.#settledOwn();
    return shared === undefined ? own : Promise.all([shared.catchUp(), own]).then(() => {});
  }

  #settledOwn(): Promise<void> | undefined {
    const count = this.#handedIn;
    return count === this.#done ? undefined : new Promise((resolve) => this.#settled.push({ count, resolve }));
  }

  /** Writes what was noted, and waits until everything is applied and no snapshot is being written. */
  async close(): Promise<void> {
    if (!this.#sent.isEmpty) this.#deferWrite();
    await new Promise<void>((resolve) => this.#host.defer(resolve));
    await this.#settledOwn();
    this.#stopNoting?.();
    this.#tick.stop();
    await this.#snapshot;
  }

  #deferWrite(): void {
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    this.#host.defer(() => {
      this.#isDeferred = false;
      this.#write();
    });
  }

  #write(): void {
    while (!this.#queues.isEmpty || !this.#sent.isEmpty) {
      const sent = this.#takeSent();
      const waiting = [...sent, ...this.#queues.take(sent)];
      const atMs = Math.max(this.#lastAtMs, Math.floor(this.#machine.time.liveMs()));
      this.#lastAtMs = atMs;
      const answered = this.#answered;
      this.#answered = [];
      const commands = waiting.map(({ command }) => command);
      const entry: NewEntry = { atMs, answered, commands: commands.map(toJsonCommand) };
      const written: Written = { waiting, atMs, isGivenUp: false };
      if (this.#log.shared !== undefined) this.#written.set(entry, written);
      this.#log.append(entry).then(
        (done) => this.#log.shared ?? this.#apply(done, commands, waiting),
        (error) => this.#giveUp(error, written),
      );
    }
  }

  #takeSent(): Waiting[] {
    this.#stopNoting?.();
    this.#stopNoting = undefined;
    const sent = this.#sent.take();
    this.#handedIn += sent.length;
    return sent;
  }

  #apply(entry: LogEntry, commands: readonly Command[], waiting: readonly Waiting[]): void {
    const { results, hash } = this.#machine.apply(entry, commands);
    this.#isUnavailable = false;
    this.#answered.push([entry.position, hash]);
    this.#finish(waiting, (index) => results[index] as CommandResult);
    this.#goOn(entry);
  }

  /** An entry of a log that others write to as well. @param written what it was here, if it was written here */
  #applyShared(entry: LogEntry, written: Written | undefined): void {
    const handedIn = written?.waiting.map(({ command }) => command);
    const { results, hash } = this.#machine.apply(entry, handedIn);
    this.#compare(entry, hash);
    // An entry that was sent twice is applied once.
    if (written !== undefined && results.length > 0) {
      if (hash !== emptyHash) this.#answered.push([entry.position, hash]);
      const nowMs = this.#machine.time.liveMs();
      if (written.isGivenUp) this.#lose(written.waiting, results);
      else {
        if (entry.isLate) this.away.refuse(written.waiting, written.atMs, nowMs);
        this.#finish(written.waiting, (index) => results[index] as CommandResult);
      }
      const told = this.away.end(nowMs, (sandbox) => this.#machine.simOf(sandbox) !== undefined);
      for (const command of told) this.submit(command, (result) => this.away.settle(command, result));
    }
    this.#goOn(entry);
  }

  /** Whoever wrote an entry notes later what it answered; here the answers must be the same. */
  #compare({ position, writer, answered = [] }: LogEntry, hash: string): void {
    for (const [earlier, expected] of answered) {
      if (this.#hashes.isOther(earlier, expected)) this.#log.shared?.onDisagreement(earlier, writer);
    }
    this.#hashes.add(position, hash);
  }

  #goOn(entry: LogEntry): void {
    if (this.#log.snapshotIsDue) this.#writeSnapshot(entry.position);
    this.#tick.set();
  }

  #giveUp(error: unknown, written: Written): void {
    written.isGivenUp = true;
    if (error instanceof LogUnavailableError && this.#log.shared !== undefined) {
      this.away.refuse(written.waiting, written.atMs, this.#lastAtMs);
    } else if (!(error instanceof LogUnavailableError) || !this.#isUnavailable) this.#host.onError(error);
    this.#isUnavailable = true;
    this.#finish(written.waiting, () => ({ error }));
  }

  /** What is done after all, though its clients were told that it is not. */
  #lose(waiting: readonly Waiting[], results: readonly CommandResult[]): void {
    for (const [index, { command }] of waiting.entries()) {
      const result = results[index] as CommandResult;
      if (command.kind === 'storeAway') this.away.settle(command, result);
      if (command.kind !== 'request' || 'error' in result) continue;
      const { id, answer } = result.value as HandledRequest;
      this.away.found(command.sandbox);
      this.note(command.sandbox, id, { isLost: true });
      if (answer instanceof Promise) this.submit({ kind: 'left', sandbox: command.sandbox, id });
    }
  }

  #arrived(command: Command): void {
    if (command.kind !== 'request') return;
    const name = sandboxOf(command);
    const left = (this.#arriving.get(name) ?? 1) - 1;
    if (left === 0) this.#arriving.delete(name);
    else this.#arriving.set(name, left);
  }

  #finish(waiting: readonly Waiting[], resultOf: (index: number) => CommandResult): void {
    for (const { command } of waiting) this.#arrived(command);
    for (const [index, { done }] of waiting.entries()) {
      try {
        done?.(resultOf(index));
      } catch (error) {
        this.#host.onError(error);
      }
    }
    this.#done += waiting.length;
    while ((this.#settled[0]?.count ?? Number.POSITIVE_INFINITY) <= this.#done) this.#settled.shift()?.resolve();
  }

  #writeSnapshot(position: number): void {
    this.#snapshot = this.#log
      .writeSnapshot(position, captureMachine(this.#machine))
      .catch((error) => this.#host.onError(error));
  }
}

const sandboxOf = (command: Command): string => ('sandbox' in command ? (command.sandbox ?? '') : '');
