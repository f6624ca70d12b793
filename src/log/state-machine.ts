import type { Answer } from '../adapters/api-call.js';
import { fromPlainCall } from '../adapters/plain-call.js';
import { ControlError } from '../control/control-error.js';
import type { AnyControlOperation } from '../control/control-operation.js';
import { controlOperations } from '../control/control-operations.js';
import { perform } from '../control/perform.js';
import { noSandbox, sandboxOperations } from '../control/sandbox-operations.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import { recreatedHeaders, SandboxError, type Sandboxes } from '../simulator/sandboxes.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';
import { jsonText } from '../values/json.js';
import { judge } from '../verdict/judge.js';
import type { Verdict } from '../verdict/judge-run.js';
import { createAnswerHash } from './answer-hash.js';
import { countRequests, takeOne } from './arrived-behind.js';
import type { Command, ControlCommand, RequestCommand } from './command.js';
import { fromJsonCommand } from './command-json.js';
import type { LogEntry } from './log.js';
import type { LogTime } from './log-time.js';
import type { ServerPiece } from './piece.js';
import { startAgain } from './start-again.js';

/** What became of a request: its answer, at once or later, and where its entry in the journal is. */
export interface HandledRequest {
  readonly sim: Simulator;
  readonly id: number;
  /** When it was handled, by the simulator's clock. */
  readonly atMs: number;
  readonly answer: Answer | Promise<Answer>;
}

/** What a command gave, or why it could not be done. */
export type CommandResult = { readonly value: unknown } | { readonly error: unknown };

/** What an entry did. */
export interface AppliedEntry {
  /** One for each command; empty for an entry that had been applied before. */
  readonly results: readonly CommandResult[];
  /** Of everything that was answered, delayed requests too. */
  readonly hash: string;
}

/** What a state machine has beside its simulators. */
export type MachineState = Pick<ServerPiece, 'applied' | 'scenarioHash' | 'runEnd'>;

export interface MachineParts {
  readonly sim: Simulator;
  readonly time: LogTime;
  readonly onError: (error: unknown) => void;
  /** @param onMade to be called with every sandbox that there is and that will be */
  readonly makeSandboxes: (onMade: (sim: Simulator) => void) => Sandboxes;
  readonly state?: MachineState | undefined;
}

/**
 * The state of a server as a function of a log: its simulator and its sandboxes. Entries are applied in their order, and
 * nothing else changes it, so the same entries lead to the same state, answers and journal.
 */
export class StateMachine {
  readonly sim: Simulator;
  readonly sandboxes: Sandboxes;
  readonly time: LogTime;
  readonly #onError: (error: unknown) => void;
  readonly #answers = createAnswerHash();
  readonly #applied: Record<string, readonly [incarnation: number, sequence: number]>;
  /** How many requests of the entry are still to come, by sandbox. */
  #behind = new Map<string, number>();
  #scenarioHash: string | undefined;
  #runEnd: ServerPiece['runEnd'];

  constructor({ sim, time, onError, makeSandboxes, state }: MachineParts) {
    const hashAnswersOf = ({ journal }: Simulator) => journal.listen((entry) => this.#answers.addRecord(entry));
    this.sim = sim;
    this.time = time;
    this.#onError = onError;
    this.#applied = { ...state?.applied };
    this.#scenarioHash = state?.scenarioHash;
    this.#runEnd = state?.runEnd;
    hashAnswersOf(sim);
    this.sandboxes = makeSandboxes(hashAnswersOf);
  }

  get state(): MachineState {
    return { applied: { ...this.#applied }, scenarioHash: this.#scenarioHash, runEnd: this.#runEnd };
  }

  /** The machine's instant at which the next delayed request goes on; Infinity where nothing waits for time. */
  nextDueMs(): number {
    let nextMs = Number.POSITIVE_INFINITY;
    for (const sim of this.#sims()) {
      const { clock, delayed, resolved } = coreOf(sim).state;
      const [next] = delayed;
      if (next === undefined || clock.frozen) continue;
      const { anchorMs, machineMs } = clock.anchor;
      nextMs = Math.min(nextMs, Math.ceil(machineMs + (next.dueMs - anchorMs) / (resolved.clock.speed ?? 1)));
    }
    return nextMs;
  }

  /** The simulator of a sandbox, or the server's own. */
  simOf(sandbox: string | undefined): Simulator | undefined {
    return sandbox === undefined ? this.sim : this.sandboxes.find(sandbox)?.sim;
  }

  /** The verdict on the client: of a run that has ended, as its command said. */
  judge(): Verdict {
    return judge(this.sim, this.#runEnd && { isOver: true, end: this.#runEnd });
  }

  /**
   * Does what an entry says, at its instant.
   * @param handedIn its commands where they were handed in here, so that they need not be read
   */
  apply({ atMs, commands, writer, incarnation, sequence }: LogEntry, handedIn?: readonly Command[]): AppliedEntry {
    const [life, last] = this.#applied[writer] ?? [0, 0];
    if (incarnation < life || (incarnation === life && sequence <= last)) return { results: [], hash: '' };
    this.#applied[writer] = [incarnation, sequence];
    const beforeMs = this.time.lastMs;
    return this.time.at(atMs, () => {
      this.#completeDue();
      const read = handedIn ?? commands.map(fromJsonCommand);
      this.#behind = countRequests(read);
      const results = read.map((command) => this.#run(command, beforeMs));
      return { results, hash: this.#answers.take() };
    });
  }

  /** What is due by the instant of an entry goes on before it; later ones complete with the clock that a command moves. */
  #completeDue(): void {
    for (const sim of this.#sims()) {
      const { delayed, state } = coreOf(sim);
      if (state.delayed.length > 0) delayed.complete(sim.clock.now());
    }
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
        return this.#control(command);
      case 'sent': {
        const sim = this.simOf(command.sandbox);
        for (const [id, delivery] of command.answers) if (sim) coreOf(sim).state.journal.complete(id, delivery);
        return;
      }
      case 'left': {
        const sim = this.simOf(command.sandbox);
        if (sim) coreOf(sim).delayed.leave(command.id);
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
      case 'alignClock': {
        const { clock } = this.sim;
        clock.restore({ ...clock.state(), nowMs: Math.ceil(clock.now() / 1000) * 1000 });
        return;
      }
      case 'begin':
        // So that its clock begins at the instant of this entry.
        this.sim.reset();
        this.#scenarioHash = command.hash;
        return;
      case 'runEnded':
        this.#runEnd = { isInterrupted: command.isInterrupted, hasFailed: command.hasFailed };
        return;
      case 'started':
        for (const state of this.#cores()) startAgain(state, this.time.lastMs - beforeMs);
        return;
      case 'tick':
        return;
    }
  }

  #handle({ sandbox, call, waitedMs = 0 }: RequestCommand): HandledRequest {
    const box =
      sandbox === undefined ? undefined : (this.sandboxes.use(sandbox) ?? this.sandboxes.createForRequest(sandbox));
    const sim = box?.sim ?? this.sim;
    const { journal, clock, resolved } = coreOf(sim).state;
    const isFirst = box?.isRecreated && journal.lastId === 0;
    const atMs = clock.now();
    const waitedByClockMs = clock.frozen ? 0 : waitedMs * (resolved.clock.speed ?? 1);
    const context = {
      adapterHeaders: isFirst ? recreatedHeaders : undefined,
      arrivedBehind: takeOne(this.#behind, sandbox),
      arrivedAtMs: waitedByClockMs > 0 ? Math.floor(atMs - waitedByClockMs) : undefined,
    };
    const answer = sim.handle(fromPlainCall(call, context));
    // Somebody may wait for a delayed answer; nobody has to.
    if (answer instanceof Promise) answer.catch(() => {});
    return { sim, id: journal.lastId, atMs, answer };
  }

  #control({ sandbox, operation: name, input, origin = '', client }: ControlCommand): unknown {
    const caller = { name: client };
    if (Object.hasOwn(sandboxOperations, name)) {
      const operation = sandboxOperations[name as keyof typeof sandboxOperations] as AnyControlOperation;
      return perform(operation, { sim: this.sim, sandboxes: this.sandboxes, origin }, input, caller);
    }
    const sim = sandbox === undefined ? this.sim : this.sandboxes.use(sandbox)?.sim;
    if (sim === undefined) throw noSandbox();
    return perform(
      controlOperations[name as keyof typeof controlOperations] as AnyControlOperation,
      sim,
      input,
      caller,
    );
  }

  *#sims(): Generator<Simulator> {
    yield this.sim;
    yield* this.sandboxes.sims();
  }

  *#cores() {
    for (const sim of this.#sims()) yield coreOf(sim).state;
  }
}
