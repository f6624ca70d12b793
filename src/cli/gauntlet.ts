import type { Scenario } from '../scenario/scenario-schema.js';
import type { Verdict } from '../verdict/judge-run.js';
import { runOnce } from './client-run.js';
import { inParallel } from './in-parallel.js';

/** How a client fared in one shipped scenario. */
export interface GauntletResult {
  scenario: string;
  outcome: Verdict['outcome'];
  /** The exit code of the command; it does not count, but explains. */
  code: number;
  findings: Verdict['findings'];
  output: string;
}

/**
 * Runs a client against every scenario that says what it expects of one.
 * @param onDone told how many runs are over
 */
export function runGauntlet(
  command: readonly string[],
  scenarios: readonly Scenario[],
  options: { timeoutMs: number; onDone: (done: number) => void },
): Promise<GauntletResult[]> {
  return inParallel(
    scenarios.filter(({ expect }) => expect !== undefined),
    async (scenario) => ({
      scenario: scenario.name ?? '',
      ...(await runOnce(command, scenario, options.timeoutMs)),
    }),
    options.onDone,
  );
}

/** One line a scenario, and the score: how many of those that were put to the test the client passed. */
export function gauntletLines(
  results: readonly GauntletResult[],
  style: (format: 'red' | 'green' | 'yellow', text: string) => string,
): string[] {
  const width = Math.max(...results.map(({ scenario }) => scenario.length), 0);
  const colours = { pass: 'green', fail: 'red', inconclusive: 'yellow' } as const;
  const lines = results.map(({ scenario, outcome, findings, code }) => {
    const codes = [...new Set(findings.filter(({ severity }) => severity === 'fail').map((found) => found.code))];
    const detail = codes.join(', ') || (outcome === 'inconclusive' ? `not put to the test (exit code ${code})` : '');
    return `  ${scenario.padEnd(width)}  ${style(colours[outcome], outcome.padEnd(12))}  ${detail}`.trimEnd();
  });
  const count = (outcome: Verdict['outcome']) => results.filter((result) => result.outcome === outcome).length;
  const score = `${count('pass')} of ${results.length} passed, ${count('fail')} failed, ${count('inconclusive')} inconclusive`;
  return [...lines, '', score];
}
