import { type Assumption, type AssumptionId, assumptions } from '../contract/assumptions.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { merge } from '../values/plain-data.js';
import { type ClientRun, runOnce } from './client-run.js';
import { inParallel } from './in-parallel.js';

/** One choice that the interface document leaves to the service, and how the client fared with it. */
export interface MatrixResult extends ClientRun {
  /** `undefined` for the run with every default. */
  id: AssumptionId | undefined;
  value: unknown;
  /** Whether the client fares worse than with the defaults: another exit code, or a verdict that fails. */
  breaks: boolean;
}

/** Every alternative of the named assumptions, each as a scenario of its own on top of another. */
export function matrixCases(only: readonly AssumptionId[] | undefined): { id: AssumptionId; value: unknown }[] {
  return Object.entries<Assumption<unknown>>(assumptions)
    .filter(([id]) => only === undefined || only.includes(id as AssumptionId))
    .flatMap(([id, { alternatives }]) => alternatives.map((value) => ({ id: id as AssumptionId, value })));
}

/**
 * Runs a client once with the defaults and once with every alternative, each against a simulator of its own.
 * @param onDone told how many runs are over
 */
export async function runMatrix(
  command: readonly string[],
  scenario: Scenario,
  options: { only?: readonly AssumptionId[] | undefined; timeoutMs: number; onDone: (done: number) => void },
): Promise<MatrixResult[]> {
  const cases = [{ id: undefined, value: undefined }, ...matrixCases(options.only)];
  const results = await inParallel(
    cases,
    async ({ id, value }) => {
      const assumed = id === undefined ? {} : { assumptions: { [id]: value } };
      return { id, value, ...(await runOnce(command, merge(scenario, assumed as Scenario), options.timeoutMs)) };
    },
    options.onDone,
  );
  const [baseline] = results;
  return results.map((result) => ({
    ...result,
    breaks: result.code !== baseline?.code || (result.outcome === 'fail' && baseline.outcome !== 'fail'),
  }));
}

/** Which undocumented choices break the client, each with the sentence of the document that leaves it open. */
export function matrixLines(
  results: readonly MatrixResult[],
  style: (format: 'red' | 'green', text: string) => string,
): string[] {
  const [baseline, ...others] = results;
  const breaking = others.filter(({ breaks }) => breaks);
  const failed = ({ findings }: MatrixResult) => [
    ...new Set(findings.filter(({ severity }) => severity === 'fail').map(({ code }) => code)),
  ];
  const lines = breaking.flatMap((result) => {
    const { id, value, code } = result;
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    const why = code === baseline?.code ? `the verdict fails: ${failed(result).join(', ')}` : `exit code ${code}`;
    const lastLine = result.output.trim().split('\n').at(-1) ?? '';
    return [
      `  ${style('red', `${id}: ${shown}`)}  ${why}`,
      `    ${assumptions[id as AssumptionId].question}`,
      ...(lastLine === '' ? [] : [`    the command's last line: ${lastLine.slice(0, 100)}`]),
    ];
  });
  const summary =
    breaking.length === 0
      ? style('green', `None of ${others.length} choices that the document leaves open breaks this client.`)
      : `${breaking.length} of ${others.length} choices that the document leaves open would break this client.`;
  return [...lines, ...(lines.length > 0 ? [''] : []), summary];
}
