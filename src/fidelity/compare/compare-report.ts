import { type JunitCase, junitXml } from '../../judge/report/junit-xml.js';
import type { Style } from '../../judge/report/style.js';
import { groupBy } from '../../values/group-by.js';
import type { Comparison } from './compare.js';

/** Formats the result of the command `compare` for a terminal: the differences between the real API and a scenario. */
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
  const failed = groupBy(differences, ({ about }) => about);
  const cases: JunitCase[] = [
    ...(outcome === 'could not check'
      ? [{ name: 'the comparison', error: { type: 'could-not-check', message: reason } }]
      : []),
    ...[...failed].map(([about, found]) => {
      const texts = found.map(
        ({ kind, service, simulator, place }) =>
          `${kind}: the service ${service}, the simulator ${simulator} (${place})`,
      );
      const failure = { type: found[0]?.kind ?? '', message: texts[0] ?? '', text: texts.join('\n') };
      return { name: about, failure };
    }),
    ...confirmed.filter((about) => !failed.has(about)).map((about) => ({ name: about })),
    ...unchecked.map((about) => ({ name: about, skipped: 'The responses reveal nothing about it.' })),
  ];
  return junitXml('petstore-sim', [{ name, className: name, cases }]);
}
