import { markup } from '../../judge/report/markup.js';
import type { Comparison } from './compare.js';
import type { ServiceDifference } from './difference.js';

type Style = (format: 'green' | 'yellow' | 'red' | 'dim', text: string) => string;

/** Formats the differences between a service and a scenario for a terminal. */
export function compareLines(
  { outcome, reason, differences, confirmed, unchecked }: Comparison,
  scenario: string,
  style: Style = (_, text) => text,
): string[] {
  const color = ({ same: 'green', differs: 'red', 'could not check': 'yellow' } as const)[outcome];
  const rows = differences.map(({ kind, about, service, simulator, place }) => {
    const mark = kind === 'drift' ? style('red', 'drift     ') : style('yellow', 'assumption');
    return `  ${mark}  ${about}: the service ${service}, the simulator ${simulator}${place && ` (${place})`}`;
  });
  return [
    `${style(color, outcome.toUpperCase())}  ${scenario}`,
    `  ${reason}`,
    ...rows,
    style('dim', `  confirmed: ${confirmed.join(', ') || 'nothing'}`),
    style('dim', `  not checked: ${unchecked.join(', ') || 'nothing'}`),
  ];
}

/**
 * Formats the differences between a service and a scenario as JUnit XML, with a test case for each checked point.
 * Unchecked points are skipped; if the comparison failed, the only test case is an error.
 */
export function compareJunit(
  { outcome, reason, differences, confirmed, unchecked }: Comparison,
  scenario: string,
): string {
  const name = `petstore-sim compare ${scenario}`;
  const failed = new Map<string, ServiceDifference[]>();
  for (const difference of differences)
    failed.set(difference.about, [...(failed.get(difference.about) ?? []), difference]);
  const isError = outcome === 'could not check';
  const passed = confirmed.filter((about) => !failed.has(about));
  const tests = failed.size + passed.length + unchecked.length + (isError ? 1 : 0);
  const totals = markup`tests="${tests}" failures="${failed.size}" errors="${isError ? 1 : 0}"`;
  const testcase = (about: string, body: ReturnType<typeof markup> | undefined) =>
    markup`    <testcase classname="${name}" name="${about}" time="0">${body}</testcase>\n`;
  const failures = [...failed].map(([about, found]) => {
    const text = found.map(
      ({ kind, service, simulator, place }) => `${kind}: the service ${service}, the simulator ${simulator} (${place})`,
    );
    return testcase(about, markup`<failure type="${found[0]?.kind}" message="${text[0]}">${text.join('\n')}</failure>`);
  });
  const error = isError
    ? testcase('the comparison', markup`<error type="could-not-check" message="${reason}"/>`)
    : undefined;
  return markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="petstore-sim" ${totals} time="0">
  <testsuite name="${name}" ${totals} skipped="${unchecked.length}" time="0">
${error}${failures}${passed.map((about) => testcase(about, undefined))}${unchecked.map((about) => testcase(about, markup`<skipped message="The responses reveal nothing about it."/>`))}  </testsuite>
</testsuites>
`.markup;
}
