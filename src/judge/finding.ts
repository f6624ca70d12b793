import type { FindingCode } from '../scenario/expectation.js';
import type { JudgedRequest, KnownRequest, Run } from './run.js';

export type Severity = 'fail' | 'warn' | 'info' | 'praise';

/** One thing that the client did, wrong or right. */
export interface Finding {
  code: FindingCode;
  severity: Severity;
  /** When, in ISO 8601 of the simulator's clock. */
  at: string;
  /** The ids of the requests in the journal. */
  requests: number[];
  /** What was measured, and what would have been allowed. */
  measured: string;
  allowed: string;
  /** What happened and what to do, in a sentence or two. */
  text: string;
}

/** What a rule says of a run: whether the run put the client to that test, and what it found. */
export interface Judgement {
  exercised: boolean;
  findings: Finding[];
  /** Why nobody can tell whether the client is at fault, where that is so: one sentence. */
  doubt?: string | undefined;
}

/** A rule that goes by what can be observed of requests and answers alone: it judges recorded traffic, too. */
export interface WireRule {
  readonly needs: 'wire';
  // A function and no method: of a method the compiler would not see that it takes too much.
  readonly judge: (run: Run) => Judgement;
}

/** A rule that needs what only the simulator knows, so that a log of the wire is not enough. */
export interface SimulatorRule {
  readonly needs: 'simulator';
  readonly judge: (run: Run<KnownRequest>) => Judgement;
}

/** One rule of the judge. What it is given has no more than it says it needs, so that the compiler holds it to that. */
export type Rule = WireRule | SimulatorRule;

/** A finding about some requests, dated by the first. */
export function finding(
  code: FindingCode,
  severity: Severity,
  requests: readonly JudgedRequest[],
  { measured, allowed, text }: Pick<Finding, 'measured' | 'allowed' | 'text'>,
): Finding {
  return {
    code,
    severity,
    at: new Date(requests[0]?.arrivedAtMs ?? 0).toISOString(),
    requests: requests.map(({ id }) => id),
    measured,
    allowed,
    text,
  };
}

/** `80 ms`, `12.4 s`, `2.5 min`, `12.5 h`, `30 days`. */
export function span(ms: number): string {
  const size = Math.abs(ms);
  if (size < 1_000) return `${Math.round(ms)} ms`;
  if (size < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  const [unit, length] =
    size < 7_200_000 ? ['min', 60_000] : size < 172_800_000 ? ['h', 3_600_000] : ['days', 86_400_000];
  return `${Number((ms / length).toFixed(1))} ${unit}`;
}

/** `once`, `twice`, `3 times`. */
export const times = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

/** Words before the measure of the first of several requests; empty for a single one. */
export const theFirst = (requests: readonly unknown[]) => (requests.length > 1 ? 'the first ' : '');

/** `GET /pets?limit=5`. */
export const target = ({ method, path, query }: JudgedRequest) => `${method} ${path}${query && `?${query}`}`;
