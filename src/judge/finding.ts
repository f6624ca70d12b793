import type { FindingCode } from '../scenario/finding-codes.js';
import type { JudgedRequest, KnownRequest, Run } from './run.js';

export type Severity = 'fail' | 'warn' | 'info' | 'praise';

/** One observed behavior of the client, wrong or right. */
export interface Finding {
  code: FindingCode;
  severity: Severity;
  /** Time of the first request, in ISO 8601 of the simulator's clock. */
  at: string;
  /** Ids of the requests in the journal. */
  requests: number[];
  /** Measured value, and allowed value. */
  measured: string;
  allowed: string;
  /** Description with advice, in one or two sentences. */
  text: string;
}

/** A rule's result for a run: whether the run tested the rule, and the findings. */
export interface Judgement {
  exercised: boolean;
  findings: Finding[];
  /** Reason why the rule cannot decide whether the client is at fault, in one sentence. */
  doubt?: string | undefined;
}

/** A rule that needs only observable requests and responses, so it also judges recorded traffic. */
export interface WireRule {
  readonly needs: 'wire';
  // A function property, because the compiler checks the parameters of methods less strictly.
  readonly judge: (run: Run) => Judgement;
}

/** A rule that needs internal knowledge of the simulator. A log of the wire is not enough. */
export interface SimulatorRule {
  readonly needs: 'simulator';
  readonly judge: (run: Run<KnownRequest>) => Judgement;
}

/** A rule of the judge. The type of its input is limited to its declared needs. */
export type Rule = WireRule | SimulatorRule;

/** Creates a finding about requests, dated by the first. */
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

/** Formats a duration: `80 ms`, `12.4 s`, `2.5 min`, `12.5 h`, `30 days`. */
export function span(ms: number): string {
  const size = Math.abs(ms);
  if (size < 1_000) return `${Math.round(ms)} ms`;
  if (size < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  const [unit, length] =
    size < 7_200_000 ? ['min', 60_000] : size < 172_800_000 ? ['h', 3_600_000] : ['days', 86_400_000];
  return `${Number((ms / length).toFixed(1))} ${unit}`;
}

/** Formats a number of occurrences: `once`, `twice`, `3 times`. */
export const times = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

/** Text before a measurement of the first request: `the first ` if there are several, otherwise empty. */
export const theFirst = (requests: readonly unknown[]) => (requests.length > 1 ? 'the first ' : '');

/** Formats a request as method and target: `GET /pets?limit=5`. */
export const target = ({ method, path, query }: JudgedRequest) => `${method} ${path}${query && `?${query}`}`;
