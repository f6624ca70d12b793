import type { Style } from '../../judge/report/style.js';
import { placeOf } from '../../traffic-files/exchange.js';
import { describeUnknown, shownValue } from './knowledge-costs.js';
import type { Learner } from './learner.js';
import type { Knowledge, KnowledgeState } from './observation.js';

const colors = { certain: 'green', likely: 'yellow', contradicted: 'red', 'not asked': 'dim' } as const;
const order: readonly KnowledgeState[] = ['contradicted', 'certain', 'likely', 'not asked'];

/**
 * Formats the settings deduced from the real API's responses, one per line: contradicted ones first, unknown ones last.
 */
export function knowledgeLines(learner: Learner, style: Style = (_, text) => text): string[] {
  const rows = learner.knowledge();
  const width = Math.max(...rows.map(({ about }) => about.length));
  const lines = order.flatMap((state) =>
    rows
      .filter((row) => row.state === state)
      .map((row) => `  ${row.about.padEnd(width)}  ${style(colors[state], state.padEnd(12))}  ${detail(row)}`),
  );
  const documents = contradictionTexts(learner).map((text) => `  ${style('red', text)}`);
  const heading = documents.length > 0 ? ['', 'Responses that contradict the document:', ...documents] : [];
  return [...lines, ...heading, ...unseenLines(learner), '', sumLine(learner)];
}

/**
 * Explains why the learned rate limits are uncertain: X-RateLimit-Remaining of the real API fell by more than the
 * number of sent requests. Returns an empty list if the fall matches the number of requests.
 */
export function unseenLines({ limits: { unaccounted } }: Learner): string[] {
  if (unaccounted === 0) return [];
  return [
    '',
    `Remaining fell by ${unaccounted} more than the number of requests: other clients use this key, a request costs more than one, or several instances count separately.`,
  ];
}

function detail(row: Knowledge): string {
  const { state, value, evidence, left } = row;
  if (state === 'not asked') return describeUnknown(row);
  const last = evidence.at(-1) ?? '';
  if (state === 'contradicted') return last;
  const others = left.filter((each) => each !== value).map(shownValue);
  return `${shownValue(value)}${others.length > 0 ? ` (else ${others.join(', ')})` : ''}  ${last}`;
}

/** Describes the responses that contradict the API document, each with its first request. */
export const contradictionTexts = ({ contradictions }: Learner): string[] => {
  const first = new Map(
    contradictions.map(({ observation, exchange }) => [observation.description, exchange] as const).reverse(),
  );
  return [...first].reverse().map(([says, exchange]) => `${placeOf(exchange)}: ${says}`);
};

/**
 * Counts assumptions about the API's behavior by state: `15 certain, 1 likely, 12 not asked, 1 contradicted`. The state
 * `not asked` means that no response has decided the assumption.
 */
export function sumLine(learner: Learner): string {
  const rows = learner.knowledge();
  const count = (state: KnowledgeState) => rows.filter((row) => row.state === state).length;
  const broken = count('contradicted') + contradictionTexts(learner).length;
  return `${count('certain')} certain, ${count('likely')} likely, ${count('not asked')} not asked, ${broken} contradicted`;
}
