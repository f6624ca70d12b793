import type { FindingCode } from '../scenario/finding-codes.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { readShippedScenarios } from '../scenario-files/shipped-scenarios.js';
import { type GauntletCase, type GauntletResult, stateOf } from './gauntlet-run.js';

/** Class of retry bugs in the literature, with the rules that find it. */
interface RetryClass {
  readonly name: string;
  readonly codes: readonly FindingCode[];
  /** Shipped scenarios that bring a client into the situation. Empty if the requests cannot show the bug. */
  readonly scenarios: readonly string[];
  /** Expectation that the scenarios lack, because a client may pass them without it. */
  readonly expect?: Scenario['expect'];
}

/**
 * Classes of retry bugs: of WASABI (SOSP 2024), NChecker (EuroSys 2016), Google's SRE book and AWS Well-Architected
 * (REL05-BP03). docs/judging-clients.md has the shares and sources.
 */
export const retryClasses: readonly RetryClass[] = [
  {
    name: 'retries what cannot succeed',
    codes: ['retried-4xx', 'retried-401'],
    scenarios: ['own-mistake', 'revoked-mid-run', '401-loop'],
  },
  { name: 'does not retry', codes: ['gave-up', 'lost-write'], scenarios: ['minute-wall', 'flaky-5xx', 'post-429'] },
  { name: 'retries for a caller that left', codes: ['late-request'], scenarios: ['abort-while-waiting'] },
  { name: 'retries without a delay', codes: ['no-delay', 'early-retry'], scenarios: ['backoff-only', 'flaky-5xx'] },
  { name: 'retries without a cap', codes: ['retry-storm', 'no-backoff-growth'], scenarios: ['stubborn-429'] },
  {
    name: 'sends a retry with other content',
    codes: ['body-changed', 'changed-request'],
    scenarios: ['post-body-lost'],
  },
  { name: 'loses track of its jobs', codes: [], scenarios: [] },
  {
    name: 'repeats a write that may be stored',
    codes: ['duplicate-write'],
    scenarios: ['post-stored-answer-lost', 'post-ambiguous'],
  },
  { name: 'retries in several layers', codes: ['retry-storm'], scenarios: ['nested-retries'] },
  {
    name: 'has no retry budget',
    codes: ['amplification'],
    scenarios: ['retry-budget'],
    expect: { amplification: 1.3 },
  },
  { name: 'retries all at once, without jitter', codes: ['no-jitter'], scenarios: ['thundering-herd'] },
  { name: 'has a timeout below the latency', codes: ['impatient', 'retry-storm'], scenarios: ['slow'] },
  { name: 'has no timeout', codes: ['gave-up'], scenarios: ['hang'] },
  {
    name: 'reads the wait in a wrong unit or form',
    codes: ['early-retry', 'overslept'],
    scenarios: ['http-date', 'fractional', 'ms-in-retry-after', 'reset-as-delta'],
  },
  { name: 'retries a quota that is gone for good', codes: ['retried-permanent'], scenarios: ['quota-gone-for-good'] },
  { name: "does not read the service's own header", codes: ['early-retry'], scenarios: ['vendor-wait'] },
];

/** Lists the shipped scenarios of all classes, each once, with what the classes expect of a client. */
export function casesOfClasses(): GauntletCase[] {
  const shipped = readShippedScenarios();
  const expected = new Map(retryClasses.flatMap(({ scenarios, expect }) => scenarios.map((name) => [name, expect])));
  return [...expected].map(([name, expect]) => {
    const scenario = shipped[name] as Scenario;
    return { name, scenario: expect === undefined ? scenario : { ...scenario, expect } };
  });
}

/** Result of a client in a class of retry bugs. */
export interface ClassResult extends Pick<RetryClass, 'name' | 'scenarios'> {
  readonly outcome: 'passed' | 'failed' | 'not reached' | 'not on the wire';
  /** Rules of the class that found the bug. */
  readonly codes: readonly FindingCode[];
}

/**
 * Sums up the runs of a client by class. A class is not reached if the client did not do what its scenarios need, or if
 * no run of a scenario with expectations is conclusive.
 */
export function classResults(results: readonly GauntletResult[]): ClassResult[] {
  const shipped = readShippedScenarios();
  // A scenario that expects nothing of a client is passed by a run without a finding of the class.
  const isWithoutExpectation = (name: string) => shipped[name]?.expect === undefined;
  return retryClasses.map(({ name, scenarios, codes }) => {
    const runs = results.filter(({ scenario }) => scenarios.includes(scenario));
    const blamed = runs.flatMap(({ findings }) => findings.filter(({ severity }) => /fail|warn/.test(severity)));
    const found = codes.filter((code) => blamed.some((finding) => finding.code === code));
    const isPassed = runs.some(
      (run) => stateOf(run) === 'pass' || (isWithoutExpectation(run.scenario) && run.requests > 0),
    );
    const outcome =
      scenarios.length === 0 ? 'not on the wire' : found.length > 0 ? 'failed' : isPassed ? 'passed' : 'not reached';
    return { name, scenarios, outcome, codes: found };
  });
}
