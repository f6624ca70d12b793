/** Name of a field, or position in a list. */
export type Step = string | number;

/** One mistake in a value, with its position. */
export interface Issue {
  /** Position such as `keys.free-key.plan` or `pets[3].id`; empty for the value as a whole. Long names are cut. */
  readonly path: string;
  /** Expected and actual value. */
  readonly message: string;
  /** `path` as field names and list positions, outermost first. */
  readonly steps: readonly Step[];
  /** Whether the field's name is wrong, instead of its value. */
  readonly onName?: boolean;
  /** File or command-line flag that contained the scenario, if any. */
  readonly file?: string;
  /** Line number, from 1. */
  readonly line?: number;
  /** Column, from 1, in UTF-16 units. */
  readonly column?: number;
}

/** Cuts a name for a message, to leave room for the rest. */
export const cut = (name: string) => (name.length > 80 ? `${name.slice(0, 80)}…` : name);

/** Creates an issue for the position `steps`. */
export function issueAt(steps: readonly Step[], message: string, onName = false): Issue {
  const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${cut(step)}`)).join('');
  return { path: path.replace(/^\./, ''), message, steps, ...(onName && { onName }) };
}

/** Maximum number of issues in a text, and of characters per issue. Further issues are only counted. */
const maximumLines = 100;
const maximumLineLength = 500;

/**
 * Formats issues, one per line: `FILE:LINE:COL: PATH: expected ..., got ...`, a form that editors and terminals turn
 * into links.
 * @param subject name of the invalid value if it is not from a file: `scenario`
 */
export function formatIssues(issues: readonly Issue[], subject: string): string {
  const more = issues.length - maximumLines;
  return [
    ...issues.slice(0, maximumLines).map((issue) => formatIssue(issue, subject)),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n');
}

/** Maximum number of issues in one line, and of characters in that line. */
const maximumInLine = 10;
const maximumLength = 1_000;

/**
 * Formats issues in one line: `PATH: expected ..., got ...; PATH: ...`.
 * @param prefix text before each path: `scenario.`
 */
export function joinIssues(issues: readonly Issue[], prefix: string): string {
  const parts = issues
    .slice(0, maximumInLine)
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
