/** Step of a path to a nested value: a field name or a list index. */
export type Step = string | number;

/** Mistake in a value, with the position of the mistake. */
export interface Issue {
  /**
   * Path to the wrong value, such as `keys.free-key.plan` or `pets[3].id`; empty for the whole value. Long names are
   * shortened.
   */
  readonly path: string;
  /** Description of a mistake in a checked value (such as a scenario): the expected value, and the actual one. */
  readonly message: string;
  /** Path to the wrong value, as field names and list indexes. */
  readonly steps: readonly Step[];
  /** Whether the name of the field is wrong, instead of its value. */
  readonly onName?: boolean;
  /** Source of the scenario, if any: the name of a file or a command-line flag. */
  readonly file?: string;
  /** Line number of the mistake, from 1. */
  readonly line?: number;
  /** Column of the mistake, from 1, in UTF-16 units. */
  readonly column?: number;
}

/** Shortens a name of more than 80 characters for a message, and marks the cut with `…`. */
export const cut = (name: string) => (name.length > 80 ? `${name.slice(0, 80)}…` : name);

/**
 * Creates the description of a mistake at a field of a scenario.
 * @param steps field names and list indexes from the outermost value to the field
 */
export function issueAt(steps: readonly Step[], message: string, onName = false): Issue {
  const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${cut(step)}`)).join('');
  return { path: path.replace(/^\./, ''), message, steps, ...(onName && { onName }) };
}

/**
 * Maximum number of issues that a message lists, one per line (first constant), and maximum length of a line in
 * characters (second). The message only counts further issues, and cuts longer lines.
 */
const maximumLines = 100;
const maximumLineLength = 500;

/**
 * Formats issues, one per line: `FILE:LINE:COL: PATH: expected ..., got ...`. Editors and terminals turn this form into
 * links.
 * @param subject name of the invalid value if it is not from a file: `scenario`
 */
export function formatIssues(issues: readonly Issue[], subject: string): string {
  const more = issues.length - maximumLines;
  return [
    ...issues.slice(0, maximumLines).map((issue) => formatIssue(issue, subject)),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n');
}

/** Maximum number of validation mistakes that a one-line message lists. */
const maximumIssuesInLine = 10;
const maximumLength = 1_000;

/**
 * Formats issues in one line: `PATH: expected ..., got ...; PATH: ...`.
 * @param prefix text before each path, such as `scenario.`
 */
export function joinIssues(issues: readonly Issue[], prefix: string): string {
  const parts = issues
    .slice(0, maximumIssuesInLine)
    .map(({ path, message }) => (path === '' ? message : `${prefix}${path}: ${message}`));
  const text = parts.join('; ');
  return text.length > maximumLength ? `${text.slice(0, maximumLength).toWellFormed()}…` : text;
}

function formatIssue({ path, message, file, line, column }: Issue, subject: string): string {
  const place =
    file === undefined ? `${subject}${path && ` at ${path}`}` : [file, line, column].filter(Boolean).join(':');
  const text = [place, ...(file === undefined ? [] : [path]), message].filter(Boolean).join(': ');
  return escaped(text.length > maximumLineLength ? `${text.slice(0, maximumLineLength)}…` : text);
}

/**
 * Escapes characters that a terminal interprets: control characters, Unicode line breaks, changes of text direction.
 */
export const escaped = (text: string) =>
  text.replace(/[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu, (char) =>
    char < ' ' ? JSON.stringify(char).slice(1, -1) : `\\u{${char.charCodeAt(0).toString(16)}}`,
  );
