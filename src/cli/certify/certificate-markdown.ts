import { isBusy } from '../../judge/lag.js';
import { describeRemedy } from '../../judge/report/wording.js';
import { groupBy } from '../../values/group-by.js';
import { sanitizeLines, sanitizeText } from '../../values/sanitize-text.js';
import { outcomeWord, reasonsOf } from '../gauntlet-run.js';
import {
  type Certificate,
  circumstances,
  countsText,
  legend,
  minuteOf,
  mostPerCall,
  type NotPassed,
  notPassedOf,
  outcomeSymbols,
  outcomes,
  passedPercent,
} from './certificate.js';
import { type Changes, changesText, type OutcomeChange } from './changes.js';

/** Formats the test results of API clients (SDKs) from the command `certify` as Markdown. */
export function certificateMarkdown(certificate: Certificate, changes?: Changes): string {
  const { counts, sdks } = certificate;
  const { failed, undecided } = notPassedOf(sdks);
  const parts = [
    '# Petstore client certificate',
    `**${passedPercent(counts)}%: ${countsText(counts)}.** ${escaped(circumstances(certificate))}.`,
    table(
      ['SDK', 'Version', 'Result', 'Most requests', 'Command'],
      sdks.map((sdk) => [
        escaped(sdk.name),
        escaped(sdk.version ?? ''),
        countsText(sdk.counts),
        escaped(mostPerCall(sdk)),
        code(sdk.command),
      ]),
    ),
    ...(changes === undefined ? [] : changesParts(changes)),
    '## Scenarios',
    matrix(certificate),
    outcomes.map((outcome) => `${outcomeSymbols[outcome]} ${legend[outcome]}`).join(' · '),
    ...(failed.length === 0 ? [] : ['## Failures']),
    ...[...groupBy(failed, ({ sdk }) => sdk)].flatMap(([sdk, runs]) => [
      ...listOf(
        `### ${escaped(sdk)}`,
        reasonsOf(runs).map(
          ({ code, text, where }) => `\`${code}\`${where && ` (${escaped(where)})`}: ${escaped(text)}`,
        ),
      ),
      ...runs.flatMap(failureParts),
    ]),
    ...listOf(
      '## Settings that end the failures',
      sdks.flatMap(({ name, remedies }) => remedies.map((remedy) => escaped(`${name}: ${describeRemedy(remedy)}`))),
    ),
    ...(undecided.length === 0
      ? []
      : [
          '## Runs without a conclusion',
          table(
            ['SDK', 'Scenario', 'Outcome', 'Reason'],
            undecided.map(({ sdk, scenarios, outcome, detail }) => [
              escaped(sdk),
              escaped(scenarios),
              outcomeWord(outcome),
              escaped(detail),
            ]),
          ),
        ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

const failureParts = ({ sdk, scenarios, outcome, detail, findings, timeline, errorLines, repeat = '' }: NotPassed) => [
  `#### ${escaped(`${sdk}: ${scenarios}`)}`,
  outcome === 'error' ? escaped(detail) : findings.map(({ code, requests }) => `\`${code}\` (${requests})`).join(', '),
  // Two spaces before a line break start a new line.
  ...(errorLines ? [['Output of the command:', ...errorLines.map(escaped)].join('  \n')] : []),
  ...(timeline ? [fenced(timeline.join('\n'), 'text')] : []),
  fenced(repeat),
];

const listOf = (heading: string, items: readonly string[]) =>
  items.length === 0 ? [] : [heading, items.map((item) => `- ${item}`).join('\n')];

function changesParts(changes: Changes): string[] {
  const { since, worse, better } = changes;
  const rows = (several: readonly OutcomeChange[]) =>
    table(
      ['SDK', 'Scenario', 'Before', 'Now', ''],
      several.map(({ sdk, scenario, before, now, detail }) => [
        escaped(sdk),
        escaped(scenario),
        outcomeWord(before),
        outcomeWord(now),
        escaped(detail),
      ]),
    );
  return [
    `## Since ${escaped(minuteOf(since))}`,
    `${changesText(changes)}.`,
    ...(worse.length === 0 ? [] : ['**Worse**', rows(worse)]),
    ...(better.length === 0 ? [] : ['**Better**', rows(better)]),
  ];
}

function matrix({ scenarios, sdks }: Certificate): string {
  const rows = scenarios.map(({ name }) => [
    escaped(name),
    ...sdks.map(({ results }) => {
      const run = results.find(({ scenario }) => scenario === name);
      if (run === undefined) return '';
      const isExplained = run.outcome === 'fail' || isBusy(run);
      return `${outcomeSymbols[run.outcome]}${isExplained ? ` ${escaped(run.detail)}` : ''}`;
    }),
  ]);
  return table(['Scenario', ...sdks.map(({ name }) => escaped(name))], rows);
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** Escapes a text for Markdown and HTML, on one line. */
const escaped = (text: string) => sanitizeText(text.replace(/\s+/g, ' ')).replace(/[\\`*_[\]<>|&#~]/g, '\\$&');

/** Formats code for a cell of a Markdown table. */
const code = (text: string) => {
  const plain = sanitizeText(text.replace(/\s+/g, ' ')).replaceAll('|', '\\|');
  return plain.includes('`') ? `\`\` ${plain} \`\`` : `\`${plain}\``;
};

const fenced = (text: string, language = 'sh') => `\`\`\`\`${language}\n${sanitizeLines(text)}\n\`\`\`\``;
