import type { FindingCode } from '../scenario/finding-codes.js';
import type { Missing } from '../traffic-files/exchange.js';
import type { JudgedRequest, KnownRequest, Run } from './run.js';

export type Severity = 'fail' | 'warn' | 'info' | 'praise';

/** A finding: one observed behavior of the client, wrong or right. */
export interface Finding {
  code: FindingCode;
  severity: Severity;
  /** Time of the finding's first request, in ISO 8601 of the simulator's clock. */
  at: string;
  /** Journal ids of the finding's requests. */
  requests: number[];
  /** Measured value and allowed value of the broken rule, as text: `2 s` and `at least 60 s`. */
  measured: string;
  allowed: string;
  /** Description of the client's wrong behavior, with advice, in one or two sentences. */
  text: string;
}

/** A client's HTTP library, with the settings that end its findings. */
export interface Remedy {
  /** Name of the library. */
  client: string;
  /** Whether the requests name the library. If not, it is a dependency of the client's project, or its runtime's own. */
  isCertain: boolean;
  /** Settings in Markdown. */
  settings: readonly string[];
  /** Argument of the command `petstore-sim fix`, which prints the code with these settings. */
  fix: string;
}

/** Finding as a rule of the judge creates it, without the field `code` (the rule's name), which is added later. */
export interface RuleFinding extends Omit<Finding, 'code'> {
  /** Whether a scenario's field `expect` can make the finding fail. Default: true. */
  canFail?: false;
}

/** Result of one rule for a run: its findings, and whether the run exercised the rule. */
export interface Judgement {
  exercised: boolean;
  findings: RuleFinding[];
  /**
   * Reason why the rule cannot decide whether the client behaved correctly, in one sentence; `undefined` if the rule
   * can decide.
   */
  doubt?: string | undefined;
}

/**
 * Parts that an exchange of a recording must have so that a rule can use it. A rule judges the exchanges that have
 * them; the others are gaps between these exchanges (see `Gaps`). `answer headers` and `milliseconds` count for
 * refusals and their retries, `request body` for writes, and headers for responses
 * that ask for a wait.
 */
export type RestsOn = readonly Missing[];

/** Facts about a rule and its findings. */
interface RuleFacts {
  readonly restsOn: RestsOn;
  /** Behavior of the client, in words that follow "The client". */
  readonly words: string;
  /** Whether the rule is about error handling. A run that exercised no such rule is inconclusive. */
  readonly isConclusive?: true;
  /** Whether each finding fails the run, in every scenario. */
  readonly alwaysFails?: true;
  /** Whether findings mostly follow from another finding in the same run, as a ban follows from early retries. */
  readonly isConsequence?: true;
  /**
   * Callers that findings blame. A finding about a refused caller is wrong if another caller received the refusal; one
   * about all callers is wrong if they are several clients.
   */
  readonly blames?: 'refused caller' | 'all callers';
  /** Maximum number of requests per assumed caller up to which several callers excuse a finding. Default: no limit. */
  readonly maximumRequestsPerCaller?: number;
  /**
   * Text that a finding shows instead of `orError` if the scenario requires a successful response. Only then does a
   * call that the client gave up and reported as an error fail.
   */
  readonly endingIfServed?: string;
}

/**
 * A rule that needs only requests and responses, as on the wire. Such a rule also judges recorded traffic of other
 * services.
 */
export interface WireRule extends RuleFacts {
  readonly needs: 'wire';
  // Property instead of a method, because TypeScript checks the parameters of methods less strictly.
  readonly judge: (run: Run) => Judgement;
}

/** Rule of the judge that needs the simulator's internal state, which recorded traffic lacks. */
export interface SimulatorRule extends RuleFacts {
  readonly needs: 'simulator';
  readonly judge: (run: Run<KnownRequest>) => Judgement;
}

/**
 * A rule of the judge, for recorded traffic or for simulated runs. TypeScript rejects a rule for recorded traffic that
 * reads the simulator's internal state.
 */
export type Rule = WireRule | SimulatorRule;

/** Lists the codes of findings, each once. */
export const codesOf = (findings: readonly Finding[]): FindingCode[] => [...new Set(findings.map(({ code }) => code))];

/** Creates a finding about requests. The first request determines its time. */
export const finding = (
  severity: Severity,
  requests: readonly JudgedRequest[],
  words: Pick<Finding, 'measured' | 'allowed' | 'text'>,
): RuleFinding => ({
  severity,
  at: new Date(requests[0]?.arrivedAtMs ?? 0).toISOString(),
  requests: requests.map(({ id }) => id),
  ...words,
});

/** Formats a number of occurrences: `once`, `twice`, `3 times`. */
export const formatTimes = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);

/**
 * Returns `the first ` for several requests, and an empty text for one request. A finding contains the text before a
 * duration that applies only to its first request: `2 requests, the first 3 s after`.
 */
export const firstPrefix = (requests: readonly unknown[]) => (requests.length > 1 ? 'the first ' : '');
