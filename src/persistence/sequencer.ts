import { longestTimerMs } from '../clock/simulated-clock.js';
import { coreOf } from '../simulator/simulator.js';
import { captureMachine } from './capture-machine.js';
import type { Command, SentCommand } from './command.js';
import { toJsonCommand } from './command-json.js';
import { type CommandCallback, CommandQueues, type PendingCommand } from './command-queues.js';
import type { CommandResult } from './command-result.js';
import { type Log, type LogEntry, LogUnavailableError, type NewEntry, type ResponseHash } from './log.js';
import type { StateMachine } from './state-machine.js';

/** Timers and error callback that a server gives to its sequencer, which orders the commands of a log. */
export interface SequencerHost {
  /** Calls a function in the same way as Node's `setImmediate`. */
  defer(run: () => void): void;
  /**
   * Calls a function after a delay.
   * @returns a function that cancels the call
   */
  after(ms: number, run: () => void): () => void;
  /** Called with an error of a background task, such as a failed snapshot. */
  onError(error: unknown): void;
}

/**
 * Maximum delay after which the sending times of responses are appended to the server's log. An entry that is appended
 * earlier, such as for a new request, includes the collected sending times.
 */
const deliveryDelayMs = 1_000;

/** Minimum number of commands in a log entry after which the next entry collects commands for two event-loop turns. */
const fewestTogether = 3;

/**
 * Appends each command to the server's log, and applies the command to the simulators only after that. The commands of
 * one event-loop turn, or of two under load, share a log entry, in which the sandboxes' commands alternate.
 */
export class Sequencer {
  readonly #machine: StateMachine;
  readonly #log: Log;
  readonly #host: SequencerHost;
  readonly #queues = new CommandQueues();
  readonly #deliveries = new PendingDeliveries();
  #answered: ResponseHash[] = [];
  #isDeferred = false;
  #isBusy = false;
  /**
   * Number of API requests that are submitted to the server's log but not applied to the simulator yet, by sandbox
   * name.
   */
  readonly #arriving = new Map<string, number>();
  #lastAtMs = 0;
  #cancelDeliveries: (() => void) | undefined;
  readonly #tick: TickTimer;
  /**
   * Number of submitted commands, and number of applied or failed ones. A command is one change of the
   * server's state, such as a request, that is stored in a log first.
   */
  #submittedCount = 0;
  #doneCount = 0;
  #settled: { count: number; resolve: () => void }[] = [];
  #snapshot: Promise<void> = Promise.resolve();
  /** Whether the last append to the log failed. Further failures are then not reported. */
  #isUnavailable = false;

  /** Creates the sequencer, which writes the server's commands to the log and then applies them in order. */
  constructor(machine: StateMachine, log: Log, host: SequencerHost) {
    this.#machine = machine;
    this.#log = log;
    this.#host = host;
    this.#lastAtMs = machine.time.lastMs;
    this.#tick = new TickTimer(machine, host.after, () => this.submit({ kind: 'tick' }));
    this.#tick.set();
  }

  /**
   * Queues a command for the server's log. The command is applied after the log has stored it.
   * @param done called with the result, or with a {LogUnavailableError} if the log did not store the command
   */
  submit(command: Command, done?: CommandCallback): void {
    const name = sandboxOf(command);
    this.#submittedCount++;
    this.#queues.add(name, { command, done });
    if (command.kind === 'request') this.#arriving.set(name, (this.#arriving.get(name) ?? 0) + 1);
    this.#deferWrite();
  }

  /** Notes when and how a response was sent, for the next entry of the server's append-only log. */
  noteDelivery(sandbox: string | undefined, id: number, delivery: SentCommand['answers'][number][1]): void {
    this.#deliveries.add(sandbox, id, delivery);
    this.#cancelDeliveries ??= this.#host.after(deliveryDelayMs, () => this.#deferWrite());
  }

  /**
   * Returns the id of the last request that arrived for a simulator. Includes requests that wait to be written to the
   * server's log and have no effect on the simulator yet.
   */
  lastArrivedId(sandbox: string | undefined): number {
    const sim = this.#machine.simOf(sandbox);
    const lastId = sim === undefined ? 0 : coreOf(sim).state.journal.lastId;
    return lastId + (this.#arriving.get(sandbox ?? '') ?? 0);
  }

  /**
   * Returns a promise that resolves when all commands submitted to the log so far are applied, and no other server can
   * have appended any. Returns `undefined` if there is nothing to wait for.
   * @throws {LogUnavailableError} by a rejection, if the store refuses to tell
   */
  settled(): Promise<void> | undefined {
    const confirmed = this.#log.confirm?.();
    const applied = this.#applied();
    return confirmed === undefined ? applied : confirmed.then(() => applied);
  }

  #applied(): Promise<void> | undefined {
    const count = this.#submittedCount;
    return count === this.#doneCount ? undefined : new Promise((resolve) => this.#settled.push({ count, resolve }));
  }

  /**
   * Ends the writing to the server's log. First appends the remaining notes of when responses were sent. Then waits
   * until all submitted commands are applied and an unfinished snapshot is stored.
   */
  async close(): Promise<void> {
    this.#write();
    await this.#applied();
    this.stop();
    await this.#snapshot;
  }

  /** Stops the timers at once. Submitted commands may stay without a result. */
  stop(): void {
    this.#cancelDeliveries?.();
    this.#tick.stop();
  }

  #deferWrite(): void {
    if (this.#isDeferred) return;
    this.#isDeferred = true;
    const write = () => {
      this.#isDeferred = false;
      this.#write();
    };
    // Larger entries take a tenth less processor time per request under load (measured with wrk and 32 connections).
    this.#host.defer(this.#isBusy ? () => this.#host.defer(write) : write);
  }

  #write(): void {
    this.#isBusy = false;
    while (!this.#queues.isEmpty || !this.#deliveries.isEmpty) {
      const deliveries = this.#takeDeliveries();
      const waiting = [...deliveries, ...this.#queues.take(deliveries)];
      const atMs = Math.max(this.#lastAtMs, Math.floor(this.#machine.time.liveMs()));
      this.#lastAtMs = atMs;
      const answered = this.#answered;
      this.#answered = [];
      const commands = waiting.map(({ command }) => command);
      this.#isBusy ||= commands.length >= fewestTogether;
      const entry: NewEntry = { atMs, answered, commands: commands.map(toJsonCommand) };
      this.#log.append(entry).then(
        (done) => this.#apply(done, commands, waiting),
        (error) => this.#fail(error, waiting),
      );
    }
  }

  #takeDeliveries(): PendingCommand[] {
    this.#cancelDeliveries?.();
    this.#cancelDeliveries = undefined;
    const deliveries = this.#deliveries.take();
    this.#submittedCount += deliveries.length;
    return deliveries;
  }

  #apply(entry: LogEntry, commands: readonly Command[], waiting: readonly PendingCommand[]): void {
    const { results, hash } = this.#machine.apply(entry, commands);
    this.#isUnavailable = false;
    this.#answered.push([entry.position, hash]);
    this.#finish(waiting, (index) => results[index] as CommandResult);
    if (this.#log.snapshotIsDue) this.#writeSnapshot(entry.position);
    this.#tick.set();
  }

  #fail(error: unknown, waiting: readonly PendingCommand[]): void {
    if (!(error instanceof LogUnavailableError && this.#isUnavailable)) this.#host.onError(error);
    this.#isUnavailable = true;
    this.#finish(waiting, () => ({ error }));
  }

  #arrived(command: Command): void {
    if (command.kind !== 'request') return;
    const name = sandboxOf(command);
    const left = (this.#arriving.get(name) ?? 1) - 1;
    if (left === 0) this.#arriving.delete(name);
    else this.#arriving.set(name, left);
  }

  #finish(waiting: readonly PendingCommand[], resultOf: (index: number) => CommandResult): void {
    for (const { command } of waiting) this.#arrived(command);
    for (const [index, { done }] of waiting.entries()) {
      try {
        done?.(resultOf(index));
      } catch (error) {
        this.#host.onError(error);
      }
    }
    this.#doneCount += waiting.length;
    while ((this.#settled[0]?.count ?? Number.POSITIVE_INFINITY) <= this.#doneCount) this.#settled.shift()?.resolve();
  }

  #writeSnapshot(position: number): void {
    this.#snapshot = this.#log
      .writeSnapshot(position, captureMachine(this.#machine))
      .catch((error) => this.#host.onError(error));
  }
}

const sandboxOf = (command: Command): string => ('sandbox' in command ? (command.sandbox ?? '') : '');

type Delivery = SentCommand['answers'][number];

/** Collects records of sent responses until the server appends them to its log (`--data`). */
class PendingDeliveries {
  #pending = new Map<string, Delivery[]>();

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  add(sandbox: string | undefined, ...delivery: Delivery): void {
    const name = sandbox ?? '';
    const list = this.#pending.get(name);
    if (list === undefined) this.#pending.set(name, [delivery]);
    else list.push(delivery);
  }

  /** Returns the records of sent responses for the server's log, and clears this collection. */
  take(): PendingCommand[] {
    if (this.isEmpty) return [];
    const pending = this.#pending;
    this.#pending = new Map();
    return Array.from(pending, ([name, answers]) => ({
      command: { kind: 'sent', ...(name !== '' && { sandbox: name }), answers },
      done: undefined,
    }));
  }
}

/**
 * Calls a function after a delay.
 * @returns a function that cancels the call
 */
type After = (ms: number, run: () => void) => () => void;

/**
 * Timer that calls back when the next delayed request is due. The server then appends a log entry, which completes the
 * request even if no other request arrives.
 */
class TickTimer {
  readonly #machine: StateMachine;
  readonly #after: After;
  readonly #onDue: () => void;
  #dueMs = Number.POSITIVE_INFINITY;
  #stop: (() => void) | undefined;

  constructor(machine: StateMachine, after: After, onDue: () => void) {
    this.#machine = machine;
    this.#after = after;
    this.#onDue = onDue;
  }

  /** Sets the timer to the time at which the next delayed request is due. Stops the timer if no request is delayed. */
  set(): void {
    const dueMs = this.#machine.nextDueMs();
    if (dueMs === this.#dueMs) return;
    this.stop();
    this.#dueMs = dueMs;
    if (dueMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(0, dueMs - this.#machine.time.liveMs());
    this.#stop = this.#after(Math.min(waitMs, longestTimerMs), () => {
      this.#dueMs = Number.POSITIVE_INFINITY;
      if (dueMs > this.#machine.time.liveMs()) this.set();
      else this.#onDue();
    });
  }

  stop(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}
