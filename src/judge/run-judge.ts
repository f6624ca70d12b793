import type { Outage } from '../journal/outage.js';
import type { UnrecordedRequests } from '../journal/unrecorded.js';
import type { Delivery, ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import { runToEnd, type Steps } from '../values/steps.js';
import type { Expectation } from './conclude.js';
import { judgeRunInSteps, type Verdict } from './judge-run.js';
import type { ClientNeeds } from './needs.js';
import { type ClientEnd, type KnownRequest, type ReadRequests, readInSteps } from './run.js';

/** Constant properties of a run. */
export interface RunScenario {
  /** Name of the scenario. */
  readonly scenario: string;
  readonly expect?: Expectation | undefined;
  /** Requirements of the scenario on its client. */
  readonly needs?: ClientNeeds | undefined;
  /** Whether the client is a page of another origin that cannot read the rate-limit headers. */
  readonly areHeadersHidden?: boolean | undefined;
}

/** State of a run at the time of a verdict. */
export interface RunProgress {
  /** Current time, in Unix milliseconds of the simulator's clock. */
  readonly nowMs: number;
  /** Number of entries dropped from the journal. A run with gaps cannot pass. Default 0. */
  readonly dropped?: number | undefined;
  /** Outages during which requests were refused without a journal entry. Default: none. */
  readonly outages?: readonly Outage[] | undefined;
  /** Requests that the journal does not contain. Default: none. */
  readonly unrecorded?: readonly UnrecordedRequests[] | undefined;
  /** Part of the scenario that had no effect so far, if known, in one sentence. */
  readonly idle?: string | undefined;
  /** Number of requests without a response so far. Default 0. */
  readonly pending?: number | undefined;
  /** Whether the client has ended and will send no further requests. Default `false`: it may still be waiting. */
  readonly isOver?: boolean | undefined;
  /** End of the client's process, if known. */
  readonly end?: ClientEnd | undefined;
}

/**
 * Judges a run in progress. Verdicts are incremental: without new entries, requests are not read again, and at the same
 * time the verdict is cached.
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

  /** Adds an entry. Entries may arrive out of order, because a request is recorded with its response. */
  add(entry: RequestRecord): void {
    let at = this.#entries.length;
    while (at > 0 && (this.#entries[at - 1]?.id ?? 0) > entry.id) at--;
    if (at === this.#entries.length) this.#entries.push(entry);
    else this.#entries.splice(at, 0, entry);
    this.#change();
  }

  /** Records when and how a response was sent. Has no effect if the entry is missing. */
  complete(id: number, delivery: Partial<Delivery>): void {
    const at = this.#entries.findLastIndex((each) => each.id === id);
    const entry = this.#entries[at];
    if (entry === undefined) return;
    this.#entries[at] = { ...entry, ...delivery };
    this.#change();
  }

  /** Records an outcome that the client reported for its own calls. */
  report(outcome: ReportedOutcome): void {
    this.#outcomes.push(outcome);
    this.#changes++;
    this.#last = undefined;
  }

  /** Current verdict on all entries so far. */
  verdict(progress: RunProgress): Verdict {
    return runToEnd(this.verdictInSteps(progress));
  }

  /** Computes the current verdict in steps. Entries added in between count in the next verdict. */
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
