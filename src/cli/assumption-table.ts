import { type Assumption, assumptions } from '../petstore/assumptions.js';

/** One value as the table shows it: a word as it is, anything else as JSON. */
const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** The table of assumptions as rows of text: id, question, default, alternatives, where else it may be set. */
export function assumptionRows(): {
  id: string;
  question: string;
  byDefault: string;
  alternatives: string;
  documentQuote: string;
}[] {
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

/** The table for a terminal. */
export function assumptionLines(): string[] {
  const intro = [
    'Where the interface document says nothing, the simulator assumes. Set any of these in a scenario, under "assumptions".',
    '',
  ];
  const rows = assumptionRows().flatMap(({ id, question, byDefault, alternatives, documentQuote }) => [
    `${id}: ${byDefault}`,
    `  ${question}`,
    `  or: ${alternatives}`,
    `  The document: ${documentQuote}`,
    '',
  ]);
  return [...intro, ...rows.slice(0, -1)];
}
