import { roundUpToSecond } from '../clock/round-up-to-second.js';
import { ControlError } from '../control-api/control-error.js';
import type { AnyControlOperation } from '../control-api/control-operation.js';
import { perform } from '../control-api/perform.js';
import { noSandbox } from '../control-api/sandbox-operations.js';
import type { ServedService } from '../control-api/served-service.js';
import { judge } from '../judge/judge.js';
import type { Verdict } from '../judge/judge-run.js';
import type { Delivery } from '../requests/request-record.js';
import { SandboxError } from '../sandboxes/sandbox-error.js';
import { recreatedHeaders, type Sandbox, type Sandboxes } from '../sandboxes/sandboxes.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { coreOf, type Simulator, type SimulatorCore } from '../simulator/simulator.js';
import { jsonText } from '../values/json.js';
import type { Command, ControlCommand, RequestCommand } from './command.js';
import { fromJsonCommand } from './command-json.js';
import type { AppliedEntry, CommandResult, HandledRequest } from './command-result.js';
import type { LogEntry } from './log.js';
import type { LogTime } from './log-time.js';
import type { ServerPiece } from './piece.js';
import { createResponseHash } from './response-hash.js';

/** State of a server outside its simulators. */
export type MachineState = Pick<ServerPiece, 'scenarioHash' | 'runEnd'>;

export interface MachineParts {
  /** Simulated main API (the Petstore), and the definitions of the control operations. */
  readonly service: ServedService;
  readonly sim: Simulator;
  readonly time: LogTime;
  readonly onError: (error: unknown) => void;
  /**
   * Creates the collection of the server's sandboxes, which are isolated simulators at their own URLs.
   * @param onMade called with each new or restored sandbox
   */
  readonly makeSandboxes: (onMade: (sandbox: Sandbox) => void) => Sandboxes;
  readonly state?: MachineState | undefined;
}

/**
 * State of a server, which depends only on the entries of its log. The same entries in the same order produce the same
 * state, responses and journal.
 */
export class StateMachine {
  readonly service: ServedService;
  readonly sim: Simulator;
  readonly sandboxes: Sandboxes;
  readonly time: LogTime;
  /** Called with each new sandbox. */
  onSandbox: (sandbox: Sandbox) => void = () => {};
  readonly #onError: (error: unknown) => void;
  readonly #answers = createResponseHash();
  /** For each sandbox, the number of API requests in the current log entry that have not been handled yet. */
  #notYetHandled = new Map<string, number>();
  readonly #due = new DueRequests(() => this.#sims());
  #scenarioHash: string | undefined;
  #runEnd: ServerPiece['runEnd'];

  constructor({ service, sim, time, onError, makeSandboxes, state }: MachineParts) {
    const hashAnswersOf = ({ journal }: Simulator) => journal.listen((entry) => this.#answers.addRecord(entry));
    const onMade = (sandbox: Sandbox) => {
      hashAnswersOf(sandbox.sim);
      this.onSandbox(sandbox);
    };
    this.service = service;
    this.sim = sim;
    this.time = time;
    this.#onError = onError;
    this.#scenarioHash = state?.scenarioHash;
    this.#runEnd = state?.runEnd;
    hashAnswersOf(sim);
    this.sandboxes = makeSandboxes(onMade);
  }

  get state(): MachineState {
    return { scenarioHash: this.#scenarioHash, runEnd: this.#runEnd };
  }

  /** Returns the machine time at which the next delayed response is due; Infinity without one. */
  nextDueMs(): number {
    return this.#due.nextMs();
  }

  /** Returns a sandbox's simulator, or the server's own simulator if `sandbox` is undefined. */
  simOf(sandbox: string | undefined): Simulator | undefined {
    return sandbox === undefined ? this.sim : this.sandboxes.find(sandbox)?.sim;
  }

  /**
   * Judges the client's requests so far. After the end of the run, the verdict also depends on how the client's command
   * ended.
   */
  judge(): Verdict {
    return judge(this.sim, this.#runEnd && { isOver: true, end: this.#runEnd });
  }

  /**
   * Applies a log entry to the server's state: runs the entry's commands as of the time at which the entry was written.
   * @param submitted the entry's parsed commands, if this server submitted the entry
   */
  apply(entry: LogEntry, submitted?: readonly Command[]): AppliedEntry {
    const { atMs, commands } = entry;
    const beforeMs = this.time.lastMs;
    const { operations } = coreOf(this.sim).state.shared;
    const { acceptsAll } = operations;
    // Accepts unknown operation names in scenarios and fault rules from the log. The server that appended the log entry
    // checked the names, and may have custom routes that this server lacks.
    operations.acceptsAll = true;
    const applied = this.time.at(atMs, () => {
      // Completes due delayed requests before the commands of the log entry, because the requests were due before the
      // time of the entry.
      this.#due.complete();
      const all = submitted ?? commands.map(fromJsonCommand);
      this.#notYetHandled = countParallelRequests(all);
      const results = all.map((command) => this.#run(command, beforeMs));
      return { results, hash: this.#answers.take() };
    });
    operations.acceptsAll = acceptsAll;
    return applied;
  }

  #run(command: Command, beforeMs: number): CommandResult {
    try {
      const value = this.#do(command, beforeMs);
      if (command.kind === 'control') this.#answers.addText(jsonText(value));
      return { value };
    } catch (error) {
      const isMistake =
        error instanceof ControlError || error instanceof SandboxError || error instanceof ScenarioError;
      if (!isMistake) this.#onError(error);
      this.#answers.addText(String(error));
      return { error };
    }
  }

  #do(command: Command, beforeMs: number): unknown {
    switch (command.kind) {
      case 'request':
        return this.#handle(command);
      case 'control':
        return runControl(this.service, this.sim, this.sandboxes, command);
      case 'sent': {
        const sim = this.simOf(command.sandbox);
        for (const [id, delivery] of command.answers) if (sim) coreOf(sim).state.journal.complete(id, delivery);
        return;
      }
      case 'left': {
        const sim = this.simOf(command.sandbox);
        if (sim) coreOf(sim).waiting.leave(command.id);
        return;
      }
      case 'routeEnded': {
        const sim = this.simOf(command.sandbox);
        if (sim) coreOf(sim).waiting.finishRoute(command.id, command.outcome);
        this.#due.add();
        return;
      }
      case 'scenario':
        this.sim.load(command.scenario, { reseed: command.reseed ?? false });
        this.#scenarioHash = command.hash;
        return;
      case 'touch':
        return (
          this.sandboxes.use(command.sandbox) ?? (command.make && this.sandboxes.createForRequest(command.sandbox))
        );
      case 'alignClock':
        return roundUpToSecond(coreOf(this.sim).state.clock);
      case 'begin':
        // Resets the simulator, because its clock must start at the time of the log's first entry, `begin`.
        this.sim.reset();
        this.#scenarioHash = command.hash;
        return;
      case 'runEnded':
        this.#runEnd = { isInterrupted: command.isInterrupted, hasFailed: command.hasFailed };
        return;
      case 'started':
        for (const sim of this.#sims()) afterRestart(coreOf(sim), this.time.lastMs - beforeMs);
        return;
      case 'tick':
        return;
    }
  }

  #handle({ sandbox, call }: RequestCommand): HandledRequest {
    const box =
      sandbox === undefined ? undefined : (this.sandboxes.use(sandbox) ?? this.sandboxes.createForRequest(sandbox));
    const sim = box?.sim ?? this.sim;
    const { journal, clock } = coreOf(sim).state;
    const isFirst = box?.isRecreated && journal.lastId === 0;
    const atMs = clock.now();
    call.arrivedBehind = subtractRequest(this.#notYetHandled, sandbox);
    call.sendsUtf8 = true;
    const answer = sim.handle(isFirst ? { ...call, adapterHeaders: recreatedHeaders } : call);
    if (answer instanceof Promise) {
      this.#due.add();
      // Prevents an unhandled rejection, which would end the process, if a delayed response fails and no code awaits
      // it.
      answer.catch(() => {});
    }
    return { sim, id: journal.lastId, atMs, answer };
  }

  *#sims(): Generator<Simulator> {
    yield this.sim;
    yield* this.sandboxes.sims();
  }
}

/**
 * Marks a simulator's unfinished requests as abandoned after a server restart, because their clients have disconnected.
 * The simulated clock counts the downtime at speed 1, but not at any other speed.
 */
function afterRestart({ state, waiting }: SimulatorCore, downMs: number): void {
  const { clock, delayed, running, journal, resolved } = state;
  if ((resolved.clock.speed ?? 1) !== 1) clock.anchor.machineMs += downMs;
  for (const { exchange } of delayed) exchange.isOrphaned = true;
  for (const id of running.keys()) waiting.abandonRoute(id);
  for (const id of [...journal.held.keys()]) journal.complete(id, notSent);
}

/** Completes the delayed requests whose delays have ended, on a server's own simulator and its sandboxes. */
class DueRequests {
  readonly #sims: () => Iterable<Simulator>;
  /**
   * Whether any simulator of the server may have a delayed request. If false, no simulator is searched: with 1,000
   * sandboxes, the search would take 100 us for each log entry.
   */
  #mayHaveAny = true;

  /**
   * Creates the object that completes the delayed requests of all simulators of a server when their delays end.
   * @param sims returns all simulators, always in the same order
   */
  constructor(sims: () => Iterable<Simulator>) {
    this.#sims = sims;
  }

  /** Notes that a simulator may have a delayed request, so that `nextMs` and `complete` search the simulators. */
  add(): void {
    this.#mayHaveAny = true;
  }

  /** Returns the machine time at which the next delayed response is due; Infinity without one. */
  nextMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    if (!this.#mayHaveAny) return nextMs;
    this.#mayHaveAny = false;
    for (const sim of this.#sims()) {
      const { clock, delayed, resolved } = coreOf(sim).state;
      const [next] = delayed;
      if (next === undefined) continue;
      this.#mayHaveAny = true;
      if (clock.frozen) continue;
      const { anchorMs, machineMs } = clock.anchor;
      nextMs = Math.min(nextMs, Math.ceil(machineMs + (next.dueMs - anchorMs) / (resolved.clock.speed ?? 1)));
    }
    return nextMs;
  }

  /** Completes every delayed request whose delay has ended, in the server's own simulator and in its sandboxes. */
  complete(): void {
    if (!this.#mayHaveAny) return;
    for (const sim of this.#sims()) {
      const { waiting, state } = coreOf(sim);
      if (state.delayed.length > 0) waiting.complete(sim.clock.now());
    }
  }
}

/**
 * Counts the requests in one entry of the server's append-only log, per sandbox. All these requests arrived before the
 * first of them got a response, so the judge can treat them as parallel.
 */
function countParallelRequests(commands: readonly Command[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const command of commands) {
    if (command.kind !== 'request') continue;
    const { sandbox = '' } = command;
    counts.set(sandbox, (counts.get(sandbox) ?? 0) + 1);
  }
  return counts;
}

/**
 * Subtracts one handled request from a sandbox's count of parallel requests.
 * @returns number of the parallel requests that are not handled yet
 */
function subtractRequest(counts: Map<string, number>, sandbox = ''): number {
  const left = (counts.get(sandbox) ?? 1) - 1;
  counts.set(sandbox, left);
  return left;
}

/**
 * Runs the control operation that a log entry contains, such as a change of the simulated clock. The log stores all
 * changes of the server's state for a restart.
 * @throws {ControlError} for a mistake in the operation's input
 */
function runControl(
  { operations, sandboxOperations }: ServedService,
  server: Simulator,
  sandboxes: Sandboxes,
  { sandbox, operation: name, input, origin = '', client }: ControlCommand,
): unknown {
  const caller = { name: client };
  if (Object.hasOwn(sandboxOperations, name)) {
    const operation = sandboxOperations[name] as AnyControlOperation;
    return perform(operation, { sim: server, sandboxes, origin }, input, caller);
  }
  const sim = sandbox === undefined ? server : sandboxes.use(sandbox)?.sim;
  if (sim === undefined) throw noSandbox();
  return perform(operations[name] as AnyControlOperation, sim, input, caller);
}

/** Delivery of a response whose server stopped before it sent the response. */
const notSent: Partial<Delivery> = { isAbandoned: true, wire: { kind: 'close' } };
