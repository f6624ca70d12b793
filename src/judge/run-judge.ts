import type { Outage } from '../journal/outage.js';
import type { UnrecordedRequests } from '../journal/unrecorded.js';
import type { Delivery, ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import { inOneGo, type Steps } from '../values/steps.js';
import type { Expectation } from './conclude.js';
import { judgeRunInSteps, type Verdict } from './judge-run.js';
import type { ClientNeeds } from './needs.js';
import { type ClientEnd, type KnownRequest, type ReadRequests, readInSteps } from './run.js';

/** What is the same for the whole run. */
export interface RunScenario {
  /** The name of the scenario. */
  readonly scenario: string;
  readonly expect?: Expectation | undefined;
  /** What the scenario needs of a client so that it is met. */
  readonly needs?: ClientNeeds | undefined;
  /** Whether the client is a page of another origin that is shown no header of the limits. */
  readonly areHeadersHidden?: boolean | undefined;
}

/** How far the run has come when it is judged. */
export interface RunProgress {
  /** The instant, in Unix milliseconds of the simulator's clock. */
  readonly nowMs: number;
  /** How many entries the journal has lost; a run with gaps cannot pass. Default 0. */
  readonly dropped?: number | undefined;
  /** When requests were refused that the journal does not show. Default: never. */
  readonly outages?: readonly Outage[] | undefined;
  /** The requests that arrived and that the journal does not have. Default: none. */
  readonly unrecorded?: readonly UnrecordedRequests[] | undefined;
  /** What in the scenario had no effect so far, where that is known: one sentence. */
  readonly idle?: string | undefined;
  /** How many requests are not answered yet. Default 0. */
  readonly pending?: number | undefined;
  /**
   * Whether the client has ended and will send nothing more, so that what it has not done yet it never does. Default
   * `false`: it may still wait.
   */
  readonly isOver?: boolean | undefined;
  /** How the client's process ended, where somebody waited for it. */
  readonly end?: ClientEnd | undefined;
}

/**
 * Judges a run while it goes on: it takes the entries as they come and gives the verdict so far whenever it is asked.
 * Requests are read anew only after a change, because a later one can show that earlier ones ran side by side; asking
 * again without a change costs the rules alone, and at the same instant nothing.
 */
export class RunJudge {
  readonly #scenario: RunScenario;
  readonly #entries: RequestRecord[] = [];
  readonly #outcomes: ReportedOutcome[] = [];
  #read: ReadRequests<KnownRequest> | undefined;
  #last: { progress: RunProgress; verdict: Verdict } | undefined;
  #changes = 0;

  constructor(scenario: RunScenario) {
    this.#scenario = scenario;
  }

  /** Adds an entry, in any order: a request that is answered late comes late, too. */
  add(entry: RequestRecord): void {
    let at = this.#entries.length;
    while (at > 0 && (this.#entries[at - 1]?.id ?? 0) > entry.id) at--;
    if (at === this.#entries.length) this.#entries.push(entry);
    else this.#entries.splice(at, 0, entry);
    this.#change();
  }

  /** Notes when and how an answer was sent; without an effect when its entry is not there. */
  complete(id: number, delivery: Partial<Delivery>): void {
    const at = this.#entries.findLastIndex((each) => each.id === id);
    const entry = this.#entries[at];
    if (entry === undefined) return;
    this.#entries[at] = { ...entry, ...delivery };
    this.#change();
  }

  /** Notes what the client said of its calls. */
  report(outcome: ReportedOutcome): void {
    this.#outcomes.push(outcome);
    this.#changes++;
    this.#last = undefined;
  }

  /** The verdict on what has come so far. */
  verdict(progress: RunProgress): Verdict {
    return inOneGo(this.verdictInSteps(progress));
  }

  /** The same in steps. What comes between them counts from the next verdict on. */
  *verdictInSteps(progress: RunProgress): Steps<Verdict> {
    if (this.#last !== undefined && isSame(this.#last.progress, progress)) return this.#last.verdict;
    const { needs, areHeadersHidden, scenario, expect } = this.#scenario;
    const { nowMs, dropped = 0, outages = [], unrecorded, pending = 0, isOver = false, end, idle } = progress;
    const outcomes = [...this.#outcomes];
    const changes = this.#changes;
    const reading = { callers: needs?.parallel, areHeadersHidden };
    const read = this.#read ?? (yield* readInSteps([...this.#entries], reading));
    const run = { ...read, endMs: nowMs, pending, isOver, end, dropped, outcomes, idle, needs };
    const verdict = yield* judgeRunInSteps(run, { scenario, dropped, outages, unrecorded, expect });
    if (changes !== this.#changes) return verdict;
    this.#read = read;
    this.#last = { progress, verdict };
    return verdict;
  }

  #change(): void {
    this.#changes++;
    this.#read = undefined;
    this.#last = undefined;
  }
}

const isSame = (one: RunProgress, other: RunProgress) =>
  one.nowMs === other.nowMs &&
  one.dropped === other.dropped &&
  one.outages === other.outages &&
  one.unrecorded === other.unrecorded &&
  one.pending === other.pending &&
  one.isOver === other.isOver &&
  one.idle === other.idle &&
  one.end === other.end;
