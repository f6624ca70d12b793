import type { RequestRecord } from '../../requests/request-record.js';
import { type FindingCode, findingCodes } from '../../scenario/finding-codes.js';
import type { Finding } from '../finding.js';
import type { Verdict } from '../judge-run.js';
import type { RunFailure, RunResult } from '../run-result.js';
import { formatRequestIds, selectFindings } from '../select-findings.js';
import { createFindingKeys } from './key-names.js';
import { type Markup, markup } from './markup.js';
import { timelineOf } from './timeline.js';
import { countsLine, hiddenLine, since } from './wording.js';

/**
 * Formats a verdict as JUnit XML. Each rule of the judge is a test case, skipped if the run did not exercise it. Other
 * failures of the run are test cases, too. Jenkins' schema allows no `skipped` in `testsuites`.
 * @param entries the judged journal, in order of arrival
 */
export function junitReport(entries: readonly RequestRecord[], verdict: Verdict | RunResult): string {
  const { startMs, lastMs, rows } = timelineOf(entries);
  const {
    failures = [],
    exitCode,
    headline = verdict.outcome.toUpperCase(),
    command,
    about,
  }: Partial<RunResult> = verdict;
  const seconds = ((command?.durationMs ?? lastMs - startMs) / 1000).toFixed(3);
  const keysOf = createFindingKeys(entries);
  const named = (finding: Finding) => `${keysOf(finding) && `${keysOf(finding)}: `}${finding.text}`;
  const cases = [
    ...failures.map(({ code, text }) => ({ code, kind: 'failed', body: failureOf(code, text, text) })),
    ...findingCodes.map((code) => ({ code, ...outcome(code, verdict, startMs, named) })),
  ];
  const count = (kind: string) => cases.filter((each) => each.kind === kind).length;
  const totals = markup`tests="${cases.length}" failures="${count('failed')}" errors="0"`;
  const timestamp =
    rows.length === 0 ? undefined : markup` timestamp="${new Date(startMs).toISOString().slice(0, 19)}"`;
  const properties = Object.entries({
    headline,
    verdict: verdict.outcome,
    reason: verdict.reason,
    counts: countsLine(verdict),
    ...(exitCode !== undefined && { 'exit-code': String(exitCode) }),
    ...(about !== undefined && { about }),
  }).map(([name, value]) => markup`      <property name="${name}" value="${value}"/>\n`);
  const page = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="petstore-sim" ${totals} time="${seconds}">
  <testsuite name="${verdict.scenario}" ${totals} skipped="${count('skipped')}" time="${seconds}"${timestamp}>
    <properties>
${properties}    </properties>
${cases.map(({ code, body }) => markup`    <testcase classname="petstore-sim.${verdict.scenario}" name="${code}" time="0">${body}</testcase>\n`)}  </testsuite>
</testsuites>
`;
  return page.markup;
}

/**
 * Formats the result of a hunt (a search for scenarios that break a client) as JUnit XML. Each found scenario is a
 * failed test case. Each exercised rule without a found scenario is a passed test case.
 */
export function huntReport(
  exercised: readonly FindingCode[],
  finds: readonly { code: string; text: string; repeat: string }[],
): string {
  const kept = exercised.filter((code) => finds.every((find) => find.code !== code));
  const cases = [
    ...finds.map(({ code, text, repeat }) => ({
      code,
      body: markup`<failure type="${code}" message="${text}">${text}\n${repeat}</failure>`,
    })),
    ...kept.map((code) => ({ code, body: markup`` })),
  ];
  const totals = markup`tests="${cases.length}" failures="${finds.length}" errors="0"`;
  const page = markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="petstore-sim" ${totals} time="0">
  <testsuite name="hunt" ${totals} skipped="0" time="0">
${cases.map(({ code, body }) => markup`    <testcase classname="petstore-sim.hunt" name="${code}" time="0">${body}</testcase>\n`)}  </testsuite>
</testsuites>
`;
  return page.markup;
}

/** @param named formats a finding's text, after the names of its API keys */
function outcome(
  code: FindingCode,
  { findings, exercised }: Verdict,
  startMs: number,
  named: (finding: Finding) => string,
): { kind: string; body: Markup } {
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
  const failure = first === undefined ? undefined : failureOf(code, named(first), describe(failed));
  const notes =
    others.length === 0
      ? undefined
      : markup`<system-out>${describe(others, ({ severity }) => `${severity}: `)}</system-out>`;
  if (failure !== undefined) return { kind: 'failed', body: markup`${failure}${notes}` };
  if (found.length === 0 && !exercised.includes(code)) {
    return { kind: 'skipped', body: markup`<skipped message="The run did not put this rule to the test."/>` };
  }
  return { kind: 'passed', body: markup`${notes}` };
}

const failureOf = (code: FindingCode | RunFailure['code'], message: string, text: string): Markup =>
  markup`<failure type="${code}" message="${message}">${text}</failure>`;
