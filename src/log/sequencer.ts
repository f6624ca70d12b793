import { jsonText } from '../values/json.js';
import { captureMachine } from './capture-machine.js';
import type { Command, SentCommand } from './command.js';
import { toJsonCommand } from './command-json.js';
import { type AnswerHash, type Log, type LogEntry, LogUnavailableError, maximumEntryBytes } from './log.js';
import type { CommandResult, StateMachine } from './state-machine.js';

/** What a sequencer needs of the process that it runs in. */
export interface SequencerHost {
  /** Calls back at the end of this turn of the event loop. */
  defer(run: () => void): void;
  /** Calls back after a time; the function that it gives stops that. */
  after(ms: number, run: () => void): () => void;
  /** Told what could not be done in the background: a snapshot that was not written. */
  onError(error: unknown): void;
}

type Done = (result: CommandResult) => void;

interface Waiting {
  readonly command: Command;
  readonly done: Done | undefined;
}

/** What a command takes beside the texts in it. */
const commandBytes = 1_000;
/** A character takes at most so many bytes: `\u0000`. */
const characterBytes = 6;
/** What one answer takes among those that were sent. */
const sentBytes = 200;
/** When answers were sent is written with the next command, or at the latest after this. */
const longestNoteMs = 1_000;
/** A timer that is later is set anew when it fires. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * Stands between a server and its state: writes each command down, and applies it when it is written. What comes in one
 * turn of the event loop is one entry, of each sandbox in turn.
 */
export class Sequencer {
  readonly #machine: StateMachine;
  readonly #log: Log;
  readonly #host: SequencerHost;
  /** What was handed in, by sandbox. */
  readonly #queues = new Map<string, Waiting[]>();
  /** What was sent, for the next entry. */
  #sent = new Map<string, [id: number, delivery: SentCommand['answers'][number][1]][]>();
  #answered: AnswerHash[] = [];
  #isDeferred = false;
  /** Requests that are written or wait for it, and are not applied yet, by sandbox. */
  readonly #arriving = new Map<string, number>();
  #lastAtMs = 0;
  #stopNoting: (() => void) | undefined;
  #stopTicking: (() => void) | undefined;
  #tickMs = Number.POSITIVE_INFINITY;
  /** How many commands were handed in, and how many of them are applied or have failed. */
  #handedIn = 0;
  #done = 0;
  #settled: { count: number; resolve: () => void }[] = [];
  #snapshot: Promise<void> = Promise.resolve();

  constructor(machine: StateMachine, log: Log, host: SequencerHost) {
    this.#machine = machine;
    this.#log = log;
    this.#host = host;
    this.#lastAtMs = machine.time.lastMs;
    this.#awaitTick();
  }

  /**
   * Has a command written and then applied.
   * @param done called with what it gave; with a {LogUnavailableError} when it could not be written, and nothing happened
   */
  submit(command: Command, done?: Done): void {
    const name = sandboxOf(command);
    const queue = this.#queues.get(name);
    this.#handedIn++;
    if (queue === undefined) this.#queues.set(name, [{ command, done }]);
    else queue.push({ command, done });
    if (command.kind === 'request') this.#arriving.set(name, (this.#arriving.get(name) ?? 0) + 1);
    this.#deferWrite();
  }

  /** Notes how an answer was sent. It is written with the next command. */
  note(sandbox: string | undefined, id: number, delivery: SentCommand['answers'][number][1]): void {
    const name = sandbox ?? '';
    const noted = this.#sent.get(name);
    if (noted === undefined) this.#sent.set(name, [[id, delivery]]);
    else noted.push([id, delivery]);
    this.#stopNoting ??= this.#host.after(longestNoteMs, () => this.#deferWrite());
  }

  /** The id of the last request that has arrived in a sandbox, also of one that is not applied yet. */
  lastArrivedId(sandbox: string | undefined): number {
    const { lastId = 0 } = this.#machine.simOf(sandbox)?.journal ?? {};
    return lastId + (this.#arriving.get(sandbox ?? '') ?? 0);
  }

  /** Resolves when everything that was handed in before is applied; `undefined` when it is. */
  settled(): Promise<void> | undefined {
    const count = this.#handedIn;
    return count === this.#done ? undefined : new Promise((resolve) => this.#settled.push({ count, resolve }));
  }

  /** Writes what was noted, and waits until everything is applied and no snapshot is being written. */
  async close(): Promise<void> {
    if (this.#sent.size > 0) this.#deferWrite();
    await new Promise<void>((resolve) => this.#host.defer(resolve));
    await this.settled();
    this.#stopNoting?.();
    this.#stopTicking?.();
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
    while (this.#queues.size > 0 || this.#sent.size > 0) {
      const sent = this.#takeSent();
      const waiting = [...sent, ...this.#takeTurns(sent)];
      const atMs = Math.max(this.#lastAtMs, Math.floor(this.#machine.time.liveMs()));
      this.#lastAtMs = atMs;
      const answered = this.#answered;
      this.#answered = [];
      const commands = waiting.map(({ command }) => command);
      this.#log.append({ atMs, answered, commands: commands.map(toJsonCommand) }).then(
        (entry) => this.#apply(entry, commands, waiting),
        (error) => this.#fail(error, waiting),
      );
    }
  }

  #takeSent(): Waiting[] {
    this.#stopNoting?.();
    this.#stopNoting = undefined;
    const sent = this.#sent;
    if (sent.size === 0) return [];
    this.#sent = new Map();
    this.#handedIn += sent.size;
    return Array.from(sent, ([name, answers]) => ({
      command: { kind: 'sent', ...(name !== '' && { sandbox: name }), answers },
      done: undefined,
    }));
  }

  /** Of each sandbox one command in turn, until an entry is full. @param first what is in it already */
  #takeTurns(first: readonly Waiting[]): Waiting[] {
    const taken: Waiting[] = [];
    let bytes = 0;
    for (const { command } of first) bytes += bytesOf(command);
    if (this.#queues.size === 1) {
      // Mostly there is one, and no turns to take.
      const [[name, queue]] = this.#queues as unknown as [[string, Waiting[]]];
      let count = 0;
      for (; count < queue.length; count++) {
        bytes += bytesOf((queue[count] as Waiting).command);
        if (bytes > maximumEntryBytes && count + first.length > 0) break;
      }
      if (count === queue.length) this.#queues.delete(name);
      return queue.splice(0, count);
    }
    while (this.#queues.size > 0) {
      for (const [name, queue] of this.#queues) {
        bytes += bytesOf((queue[0] as Waiting).command);
        if (bytes > maximumEntryBytes && taken.length + first.length > 0) return taken;
        taken.push(queue.shift() as Waiting);
        if (queue.length === 0) this.#queues.delete(name);
      }
    }
    return taken;
  }

  #apply(entry: LogEntry, commands: readonly Command[], waiting: readonly Waiting[]): void {
    const { results, hash } = this.#machine.apply(entry, commands);
    this.#answered.push([entry.position, hash]);
    this.#finish(waiting, (index) => results[index] as CommandResult);
    if (this.#log.snapshotIsDue) this.#writeSnapshot(entry.position);
    this.#awaitTick();
  }

  #fail(error: unknown, waiting: readonly Waiting[]): void {
    if (!(error instanceof LogUnavailableError)) this.#host.onError(error);
    this.#finish(waiting, () => ({ error }));
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

  /** A delayed request goes on in a quiet time, too. */
  #awaitTick(): void {
    const dueMs = this.#machine.nextDueMs();
    if (dueMs === this.#tickMs) return;
    this.#tickMs = dueMs;
    this.#stopTicking?.();
    this.#stopTicking = undefined;
    if (dueMs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(0, dueMs - this.#machine.time.liveMs());
    this.#stopTicking = this.#host.after(Math.min(waitMs, longestTimerMs), () => {
      this.#tickMs = Number.POSITIVE_INFINITY;
      if (dueMs > this.#machine.time.liveMs()) this.#awaitTick();
      else this.submit({ kind: 'tick' });
    });
  }
}

const sandboxOf = (command: Command): string => ('sandbox' in command ? (command.sandbox ?? '') : '');

/** At most, so that an entry is never too long. */
function bytesOf(command: Command): number {
  if (command.kind === 'sent') return commandBytes + command.answers.length * sentBytes;
  if (command.kind === 'control') return commandBytes + jsonText(command.input).length * characterBytes;
  if (command.kind !== 'request') return commandBytes;
  const { path, query, baseUrl, body, headers } = command.call;
  let length = path.length + query.length + baseUrl.length + (body?.length ?? 0);
  for (const name in headers) length += (headers[name] as string).length;
  return commandBytes + length * characterBytes;
}
