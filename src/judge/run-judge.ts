import type { Outage } from '../journal/outage.js';
import type { UnrecordedRequests } from '../journal/unrecorded.js';
import type { Delivery, ReportedOutcome, RequestRecord } from '../requests/request-record.js';
import type { Deprecations } from '../requests/service.js';
import { runToEnd, type Steps } from '../values/steps.js';
import type { Expectation } from './conclude.js';
import { judgeRunInSteps, type Verdict } from './judge-run.js';
import type { ClientNeeds } from './needs.js';
import { type AnalyzedRequests, analyzeInSteps, type ClientEnd, type KnownRequest } from './run.js';

/** Properties of a run that stay constant during the run. */
export interface RunScenario {
  /** Name of the run's scenario. */
  readonly scenario: string;
  readonly expect?: Expectation | undefined;
  /** Requirements of the scenario on its client. */
  readonly needs?: ClientNeeds | undefined;
  /** Deprecated operations of the simulator's services. Default: none. */
  readonly deprecations?: Deprecations | undefined;
  /** Whether the client is a page of another origin that cannot read the rate-limit headers. */
  readonly areHeadersHidden?: boolean | undefined;
}

/** Data for a verdict that changes during a run. */
export interface RunProgress {
  /** Current time, in Unix milliseconds of the simulator's clock. */
  readonly nowMs: number;
  /** Number of records that the journal dropped to limit memory. A run with dropped records cannot pass. Default 0. */
  readonly dropped?: number | undefined;
  /** Periods in which a server refused requests without recording them. Default: none. */
  readonly outages?: readonly Outage[] | undefined;
  /** Requests that the journal counted without a record. Default: none. */
  readonly unrecorded?: readonly UnrecordedRequests[] | undefined;
  /** Sentence about a part of the scenario that had no effect so far; `undefined` without such a part. */
  readonly idle?: string | undefined;
  /** Number of requests that have no response yet. Default 0. */
  readonly pending?: number | undefined;
  /** Whether the client has ended, so that no retry can follow. Default `false`: the client may still be waiting. */
  readonly isOver?: boolean | undefined;
  /** How the client's process ended, if known. */
  readonly end?: ClientEnd | undefined;
}

/** Judges a run while its requests arrive. Caches its work: without new records, requests are not analyzed again. */
export class RunJudge {
  readonly #scenario: RunScenario;
  readonly #entries: RequestRecord[] = [];
  readonly #outcomes: ReportedOutcome[] = [];
  #read: AnalyzedRequests<KnownRequest> | undefined;
  #last: { progress: RunProgress; verdict: Verdict } | undefined;
  #changes = 0;

  constructor(scenario: RunScenario) {
    this.#scenario = scenario;
  }

  /** Adds a record. Records may arrive out of order, because a request is recorded when its response is sent. */
  add(entry: RequestRecord): void {
    let index = this.#entries.length;
    while (index > 0 && (this.#entries[index - 1]?.id ?? 0) > entry.id) index--;
    if (index === this.#entries.length) this.#entries.push(entry);
    else this.#entries.splice(index, 0, entry);
    this.#change();
  }

  /** Adds to a record when and how its response was sent. Has no effect if the record is missing. */
  complete(id: number, delivery: Partial<Delivery>): void {
    const index = this.#entries.findLastIndex((each) => each.id === id);
    const entry = this.#entries[index];
    if (entry === undefined) return;
    this.#entries[index] = { ...entry, ...delivery };
    this.#change();
  }

  /** Adds an outcome that the client reported for one of its calls. */
  report(outcome: ReportedOutcome): void {
    this.#outcomes.push(outcome);
    this.#changes++;
    this.#last = undefined;
  }

  /** Computes the verdict on all records so far. */
  verdict(progress: RunProgress): Verdict {
    return runToEnd(this.verdictInSteps(progress));
  }

  /**
   * Computes the verdict on all records so far, in steps. Records added between two steps count only in the next
   * verdict.
   */
  *verdictInSteps(progress: RunProgress): Steps<Verdict> {
    if (this.#last !== undefined && isSame(this.#last.progress, progress)) return this.#last.verdict;
    const { needs, deprecations, areHeadersHidden, scenario, expect } = this.#scenario;
    const { nowMs, dropped = 0, outages = [], unrecorded, pending = 0, isOver = false, end, idle } = progress;
    const outcomes = [...this.#outcomes];
    const changes = this.#changes;
    const reading = { callers: needs?.parallel, calls: needs?.calls, areHeadersHidden };
    const read = this.#read ?? (yield* analyzeInSteps([...this.#entries], reading));
    const run = { ...read, endMs: nowMs, pending, isOver, end, dropped, outcomes, idle, needs, deprecations };
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
