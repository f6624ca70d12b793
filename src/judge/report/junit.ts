import type { RequestRecord } from '../../requests/request-record.js';
import { type FindingCode, findingCodes } from '../../scenario/finding-codes.js';
import type { Finding, Remedy } from '../finding.js';
import type { Verdict } from '../judge-run.js';
import { busyMark } from '../lag.js';
import type { RunResult } from '../run-result.js';
import { formatRequestIds, selectFindings } from '../select-findings.js';
import { type JunitCase, junitXml } from './junit-xml.js';
import { createFindingKeys, type NameKey } from './key-names.js';
import { timelineOf } from './timeline.js';
import { countsLine, describeRemedy, hiddenLine, since } from './wording.js';

/**
 * Formats a verdict as JUnit XML. Each rule of the judge is a test case, skipped if the run did not exercise it. Other
 * failures of the run are test cases, too.
 * @param entries the judged journal, in order of arrival
 */
export function junitReport(
  entries: readonly RequestRecord[],
  verdict: Verdict | RunResult,
  { nameKey }: { nameKey?: NameKey | undefined } = {},
): string {
  const { startMs, lastMs, rows } = timelineOf(entries);
  const {
    failures = [],
    exitCode,
    headline = verdict.outcome.toUpperCase(),
    command,
    about,
    remedies = [],
  }: Partial<RunResult> = verdict;
  const keysOf = createFindingKeys(entries, nameKey);
  const named = (finding: Finding) => `${keysOf(finding) && `${keysOf(finding)}: `}${finding.text}`;
  const suite = {
    name: verdict.scenario,
    ms: command?.durationMs ?? lastMs - startMs,
    date: rows.length === 0 ? undefined : new Date(startMs).toISOString(),
    properties: {
      headline,
      verdict: verdict.outcome,
      reason: verdict.reason,
      lag: verdict.lagMs === undefined ? undefined : busyMark(verdict.lagMs),
      counts: countsLine(verdict),
      'exit-code': exitCode?.toString(),
      about,
    },
    cases: [
      ...failures.map(({ code, text }) => ({ name: code, failure: { type: code, message: text, text } })),
      ...withAdvice(
        findingCodes.map((code) => caseOf(code, verdict, startMs, named)),
        remedies,
      ),
    ],
  };
  return junitXml('petstore-sim', [suite]);
}

/**
 * Formats the result of the bug search `hunt` as JUnit XML. Each found bug is a failed test case, and each tested rule
 * without a bug is a passed one.
 */
export function huntReport(
  exercised: readonly FindingCode[],
  finds: readonly { code: string; text: string; repeat: string }[],
  remedies: readonly Remedy[],
): string {
  const kept = exercised.filter((code) => finds.every((find) => find.code !== code));
  const failed = finds.map(({ code, text, repeat }) => ({
    name: code,
    failure: { type: code, message: text, text: `${text}\n${repeat}` },
  }));
  return junitXml('petstore-sim', [
    { name: 'hunt', cases: [...withAdvice(failed, remedies), ...kept.map((name) => ({ name }))] },
  ]);
}

/** Ends the text of the first failure with the remedies, because viewers of JUnit files show little else. */
export function withAdvice(cases: readonly JunitCase[], remedies: readonly Remedy[]): JunitCase[] {
  const first = cases.find(({ failure }) => failure !== undefined);
  const advice = remedies.map((remedy) => `${describeRemedy(remedy)}\n`).join('');
  return cases.map((each) =>
    each === first && each.failure && advice !== ''
      ? { ...each, failure: { ...each.failure, text: `${each.failure.text?.trimEnd()}\n${advice}` } }
      : each,
  );
}

/**
 * Creates the JUnit test case of one rule of the judge, with the rule's findings.
 * @param named formats a finding's text, preceded by the names of the finding's API keys
 */
function caseOf(
  code: FindingCode,
  { findings, exercised }: Verdict,
  startMs: number,
  named: (finding: Finding) => string,
): JunitCase {
  const found = findings.filter((finding) => finding.code === code);
  const failed = found.filter(({ severity }) => severity === 'fail');
  const others = found.filter(({ severity }) => severity !== 'fail');
  const describe = (several: readonly Finding[], label: (finding: Finding) => string = () => '') =>
    selectFindings(several)
      .map(({ finding, hidden }) => {
        const measured = `${finding.measured}; allowed: ${finding.allowed}`;
        const more = hidden.length > 0 ? `\n${hiddenLine(hidden, startMs)}\n` : '';
        return `${label(finding)}${named(finding)}\n${measured}\n${since(finding, startMs)}, ${formatRequestIds(finding)}\n${more}`;
      })
      .join('\n');
  const [first] = failed;
  const isTested = found.length > 0 || exercised.includes(code);
  return {
    name: code,
    failure: first && { type: code, message: named(first), text: describe(failed) },
    skipped: isTested ? undefined : 'The run did not put this rule to the test.',
    output: others.length === 0 ? undefined : describe(others, ({ severity }) => `${severity}: `),
  };
}
