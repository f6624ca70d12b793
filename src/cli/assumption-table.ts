import { type Assumption, assumptions } from '../petstore/assumptions.js';
import { wrap } from '../values/wrap.js';

/** Formats a value for a table: text unchanged, any other value as JSON. */
export const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Creates table rows of the assumptions, which are settings for API behavior that the documentation leaves open. */
export function assumptionRows() {
  return Object.entries<Assumption<unknown>>(assumptions).map(([id, assumption]) => {
    const listed = assumption.alternatives.map(shown).join(', ') || '-';
    return {
      id,
      question: assumption.question,
      byDefault: shown(assumption.default),
      alternatives: assumption.form === undefined ? listed : `${assumption.form}, such as ${listed}`,
      documentQuote: assumption.documentQuote,
    };
  });
}

/**
 * Formats all assumptions as lines for a terminal.
 * @param columns width of the lines, in characters
 */
export function assumptionLines(columns: number): string[] {
  const intro =
    'Assumptions of the simulator about questions that the interface document leaves open. Set them in a scenario, under "assumptions".';
  const rows = assumptionRows().flatMap(({ id, question, byDefault, alternatives, documentQuote }) => [
    ...wrap(`${id}: ${byDefault}`, columns),
    ...wrap(question, columns, 2),
    ...wrap(`or: ${alternatives}`, columns, 2),
    ...wrap(`The document: ${documentQuote}`, columns, 2),
    '',
  ]);
  return [...wrap(intro, columns), '', ...rows.slice(0, -1)];
}
