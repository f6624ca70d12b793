import { coreOf } from '../simulator/simulator.js';
import { captureMachine } from './capture-machine.js';
import type { Command, SentCommand } from './command.js';
import { toJsonCommand } from './command-json.js';
import { type CommandCallback, CommandQueues, type PendingCommand, type PendingEntry } from './command-queues.js';
import type { CommandResult, HandledRequest } from './command-result.js';
import { type Log, type LogEntry, LogUnavailableError, type NewEntry, type ResponseHash } from './log.js';
import { OutageLog } from './outage-log.js';
import { emptyHash } from './response-hash.js';
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

/**
 * Appends each command to the server's log, and applies the command to the simulators only after that. The commands of
 * one event-loop turn share a log entry, in which the sandboxes' commands alternate.
 */
export class Sequencer {
  readonly #machine: StateMachine;
  readonly #log: Log;
  readonly #host: SequencerHost;
  readonly #queues = new CommandQueues();
  readonly #deliveries = new PendingDeliveries();
  #answered: ResponseHash[] = [];
  #isDeferred = false;
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
  /**
   * Pending commands of the log entries that this server sent to Redis. Reading an entry back from Redis completes its
   * commands.
   */
  readonly #written = new WeakMap<NewEntry, PendingEntry>();
  readonly outages: OutageLog;
  /** Whether the last append to the log failed. Further failures are then not reported. */
  #isUnavailable = false;
  readonly #hashes = new RecentHashes();

  /**
   * Creates the sequencer, which writes the server's commands to the log and then applies them in order.
   * @param outages outages of Redis that are not recorded in the log yet
   */
  constructor(machine: StateMachine, log: Log, host: SequencerHost, outages = new OutageLog()) {
    outages.requeue();
    this.outages = outages;
    this.#machine = machine;
    this.#log = log;
    this.#host = host;
    this.#lastAtMs = machine.time.lastMs;
    this.#tick = new TickTimer(machine, host.after, () => this.submit({ kind: 'tick' }));
    log.shared?.follow((entry, ownEntry) => this.#applyShared(entry, ownEntry && this.#written.get(ownEntry)));
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
   * Returns a promise that resolves when all commands submitted to the log so far are applied. If several servers share
   * the log, the promise also waits for their entries. Returns `undefined` if there is nothing to wait for.
   */
  settled(): Promise<void> | undefined {
    const { shared } = this.#log;
    const ownSettled = this.#settledOwn();
    return shared === undefined ? ownSettled : Promise.all([shared.catchUp(), ownSettled]).then(() => {});
  }

  #settledOwn(): Promise<void> | undefined {
    const count = this.#submittedCount;
    return count === this.#doneCount ? undefined : new Promise((resolve) => this.#settled.push({ count, resolve }));
  }

  /**
   * Ends the writing to the server's log. First appends the remaining notes of when responses were sent. Then waits
   * until all submitted commands are applied and an unfinished snapshot is stored.
   */
  async close(): Promise<void> {
    if (!this.#deliveries.isEmpty) this.#deferWrite();
    await new Promise<void>((resolve) => this.#host.defer(resolve));
    await this.#settledOwn();
    this.#cancelDeliveries?.();
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
    while (!this.#queues.isEmpty || !this.#deliveries.isEmpty) {
      const deliveries = this.#takeDeliveries();
      const waiting = [...deliveries, ...this.#queues.take(deliveries)];
      const atMs = Math.max(this.#lastAtMs, Math.floor(this.#machine.time.liveMs()));
      this.#lastAtMs = atMs;
      const answered = this.#answered;
      this.#answered = [];
      const commands = waiting.map(({ command }) => command);
      const entry: NewEntry = { atMs, answered, commands: commands.map(toJsonCommand) };
      const written: PendingEntry = { waiting, atMs, isTimedOut: false };
      if (this.#log.shared !== undefined) this.#written.set(entry, written);
      this.#log.append(entry).then(
        (done) => this.#log.shared ?? this.#apply(done, commands, waiting),
        (error) => this.#fail(error, written),
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
    this.#afterEntry(entry);
  }

  /**
   * Applies an entry of a log that several replicas share.
   * @param written the entry's commands whose callers wait for results; only if this server submitted the entry
   */
  #applyShared(entry: LogEntry, written: PendingEntry | undefined): void {
    const submitted = written?.waiting.map(({ command }) => command);
    const { results, hash } = this.#machine.apply(entry, submitted);
    this.#compare(entry, hash);
    // Passes results to the waiting callers if this server wrote the log entry. A repeated copy of an entry has no
    // results.
    if (written !== undefined && results.length > 0) {
      if (hash !== emptyHash) this.#answered.push([entry.position, hash]);
      const nowMs = this.#machine.time.liveMs();
      if (written.isTimedOut) this.#markLost(written.waiting, results);
      else {
        if (entry.isLate) this.outages.refuse(written.waiting, written.atMs, nowMs);
        this.#finish(written.waiting, (index) => results[index] as CommandResult);
      }
      const ended = this.outages.end(nowMs, (sandbox) => this.#machine.simOf(sandbox) !== undefined);
      for (const command of ended) this.submit(command, (commandResult) => this.outages.settle(command, commandResult));
    }
    this.#afterEntry(entry);
  }

  /**
   * Compares hashes of earlier responses: those that another server stored in this log entry, and those that this
   * server computed. Reports each difference, because all servers that share a log must respond equally.
   */
  #compare({ position, writer, answered = [] }: LogEntry, hash: string): void {
    for (const [earlier, expected] of answered) {
      if (this.#hashes.differs(earlier, expected)) this.#log.shared?.reportDisagreement(earlier, writer);
    }
    this.#hashes.add(position, hash);
  }

  #afterEntry(entry: LogEntry): void {
    if (this.#log.snapshotIsDue) this.#writeSnapshot(entry.position);
    this.#tick.set();
  }

  #fail(error: unknown, written: PendingEntry): void {
    written.isTimedOut = true;
    if (error instanceof LogUnavailableError && this.#log.shared !== undefined) {
      this.outages.refuse(written.waiting, written.atMs, this.#lastAtMs);
    } else if (!(error instanceof LogUnavailableError) || !this.#isUnavailable) this.#host.onError(error);
    this.#isUnavailable = true;
    this.#finish(written.waiting, () => ({ error }));
  }

  /**
   * Marks the requests of a log entry as lost, because their clients received a 503 before the entry was applied. The
   * journal then shows that the clients did not receive the recorded responses.
   */
  #markLost(waiting: readonly PendingCommand[], results: readonly CommandResult[]): void {
    for (const [index, { command }] of waiting.entries()) {
      const commandResult = results[index] as CommandResult;
      if (command.kind === 'storeAway') this.outages.settle(command, commandResult);
      if (command.kind !== 'request' || 'error' in commandResult) continue;
      const { id, answer } = commandResult.value as HandledRequest;
      this.outages.found(command.sandbox);
      this.noteDelivery(command.sandbox, id, { isLost: true });
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

/** Number of recent log entries whose response hashes stay in memory, for comparison with other replicas. */
const maximumHashes = 4_096;

/**
 * Hashes of the responses that the most recent log entries produced, by the entry's position. Replicas compare these
 * hashes.
 */
class RecentHashes {
  readonly #hashes = new Map<number, string>();

  add(position: number, hash: string): void {
    this.#hashes.set(position, hash);
    this.#hashes.delete(position - maximumHashes);
  }

  /**
   * Whether this server and another replica responded differently to the requests of a log entry, by the hash of the
   * responses. Returns `false` if this server's hash is not in memory.
   */
  differs(position: number, hash: string): boolean {
    const own = this.#hashes.get(position);
    return own !== undefined && own !== hash;
  }
}

/** Maximum delay of a timer in Node. Longer delays are divided. */
const longestTimerMs = 2 ** 31 - 1;

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
