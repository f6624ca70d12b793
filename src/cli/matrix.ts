import { type Assumption, type AssumptionId, assumptions } from '../contract/assumptions.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { merge } from '../values/plain-data.js';
import type { Verdict } from '../verdict/judge-run.js';
import { resolveForClient, runClient } from './client-run.js';
import { inParallel } from './in-parallel.js';
import { lastError } from './last-error.js';
import { type RecordedCall, replay } from './replay.js';

/** One choice that the interface document leaves to the service, and how the client fared with it. */
export interface MatrixResult {
  /** `undefined` for the run with every default. */
  id: AssumptionId | undefined;
  value: unknown;
  code: number;
  outcome: Verdict['outcome'];
  findings: Verdict['findings'];
  output: string;
  /** Whether the client did anything that this choice decides: without, the run says nothing of it. */
  isMet: boolean;
  /** Whether the client fares worse than with the defaults: another exit code, or a verdict that fails. */
  breaks: boolean;
}

export interface MatrixOptions {
  only?: readonly AssumptionId[] | undefined;
  timeoutMs: number;
  /** Aborted when no further run shall begin. */
  stopped?: AbortSignal | undefined;
  apiKey?: string | undefined;
  onDone: (done: number) => void;
}

/** Every alternative of the named assumptions, each as a scenario of its own on top of another. */
export function matrixCases(only: readonly AssumptionId[] | undefined): { id: AssumptionId; value: unknown }[] {
  return Object.entries<Assumption<unknown>>(assumptions)
    .filter(([id]) => only === undefined || only.includes(id as AssumptionId))
    .flatMap(([id, { alternatives }]) => alternatives.map((value) => ({ id: id as AssumptionId, value })));
}

/**
 * Runs a client once with the defaults and once with every alternative, each against a simulator of its own.
 * @param read.scenario what the alternatives are put on, and checked with
 * @param options.onDone called with how many runs are over
 */
export async function runMatrix(
  command: readonly string[],
  { scenario, resolved }: { scenario: Scenario; resolved: ResolvedScenario },
  { only, timeoutMs, apiKey, stopped, onDone }: MatrixOptions,
): Promise<MatrixResult[]> {
  const cases = [{ id: undefined, value: undefined }, ...matrixCases(only)];
  const results = await inParallel(
    cases,
    async ({ id, value }) => {
      const calls: RecordedCall[] = [];
      const assumed = id === undefined ? resolved : resolveForClient(withAssumption(scenario, id, value));
      const record = (call: RecordedCall) => void calls.push(call);
      const run = await runClient(command, assumed, { output: 'keep', timeoutMs, stopped, apiKey, record });
      const { end, output, verdict } = run;
      const isMet = id === undefined || isDecided(id, resolved, assumed, calls);
      return { id, value, code: end.exitCode, output, outcome: verdict.outcome, findings: verdict.findings, isMet };
    },
    { onDone, stopped },
  );
  const [baseline] = results;
  return results
    .flatMap((result) => result ?? [])
    .map((result) => ({
      ...result,
      breaks: result.code !== baseline?.code || (result.outcome === 'fail' && baseline.outcome !== 'fail'),
    }));
}

const withAssumption = (scenario: Scenario, id: AssumptionId, value: unknown) =>
  merge(scenario, { assumptions: { [id]: value } } as Scenario);

/** Whether the calls of the client are answered otherwise with this choice than with the default. */
function isDecided(
  id: AssumptionId,
  resolved: ResolvedScenario,
  assumed: ResolvedScenario,
  calls: readonly RecordedCall[],
): boolean {
  // Who may read an answer in a browser is decided outside of it.
  if (id === 'cors') return calls.some(({ call }) => call.header('origin') !== undefined);
  const byDefault = replay(resolved, calls);
  return replay(assumed, calls).some((answer, index) => answer !== byDefault[index]);
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Which undocumented choices break the client, each with the sentence of the document that leaves it open. */
export function matrixLines(
  results: readonly MatrixResult[],
  style: (format: 'red' | 'green' | 'yellow', text: string) => string,
): string[] {
  const [baseline, ...others] = results;
  const breaking = others.filter(({ breaks }) => breaks);
  const met = others.filter(({ isMet, breaks }) => isMet || breaks);
  const failed = ({ findings }: MatrixResult) => [
    ...new Set(findings.filter(({ severity }) => severity === 'fail').map(({ code }) => code)),
  ];
  const lines = breaking.flatMap((result) => {
    const { id, value, code } = result;
    const why = code === baseline?.code ? `the verdict fails: ${failed(result).join(', ')}` : `exit code ${code}`;
    const reason = lastError(result.output);
    return [
      `  ${style('red', `${id}: ${shown(value)}`)}  ${why}`,
      `    ${assumptions[id as AssumptionId].question}`,
      ...(reason === '' ? [] : [`    the command said: ${reason}`]),
    ];
  });
  return [...lines, ...(lines.length > 0 ? [''] : []), ...summary(others, met, breaking, style)];
}

function summary(
  all: readonly MatrixResult[],
  met: readonly MatrixResult[],
  breaking: readonly MatrixResult[],
  style: (format: 'red' | 'green' | 'yellow', text: string) => string,
): string[] {
  const unmet = all.filter((result) => !met.includes(result));
  const count = `${met.length} of ${all.length} choices that the document leaves open`;
  const isPartlyMet = (id: string | undefined) => met.some((each) => each.id === id);
  const names = unmet.map(({ id, value }) => (isPartlyMet(id) ? `${id}: ${shown(value)}` : id));
  const ids = [...new Set(names)].join(', ');
  const rest = unmet.length === 0 ? [] : [`Not met, because the client did nothing that they decide: ${ids}.`];
  if (met.length === 0) return [style('yellow', `The client met none of the ${all.length} choices.`), ...rest];
  const verdict =
    breaking.length === 0
      ? style('green', `The client met ${count}; none breaks it.`)
      : `The client met ${count}; ${breaking.length} would break it.`;
  return [verdict, ...rest];
}
