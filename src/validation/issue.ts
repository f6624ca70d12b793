/** The name of a field or the position in a list. */
export type Step = string | number;

/** One thing that is wrong with a value, and where. */
export interface Issue {
  /** Where: `keys.free-key.plan`, `pets[3].id`; empty for the value as a whole. A long name is cut. */
  readonly path: string;
  /** What was expected and what was found. */
  readonly message: string;
  /** `path` as field names and list positions, from the outermost inwards. */
  readonly steps: readonly Step[];
  /** Whether the name of the field is wrong, and not its value. */
  readonly onName?: boolean;
  /** The file, or the flag of the command line; only for a scenario that was read from one. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in UTF-16 units. */
  readonly column?: number;
}

/** A name for a message: a longer one would leave no room for the rest. */
export const cut = (name: string) => (name.length > 80 ? `${name.slice(0, 80)}…` : name);

/** An issue at the end of `steps`. */
export function issueAt(steps: readonly Step[], message: string, onName = false): Issue {
  const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${cut(step)}`)).join('');
  return { path: path.replace(/^\./, ''), message, steps, ...(onName && { onName }) };
}

/** How many issues a text lists before it only counts the rest, and how many characters of each it shows. */
const maximumLines = 100;
const maximumLineLength = 500;

/**
 * Issues as text, one line each: `FILE:LINE:COL: PATH: expected ..., got ...`, the form that editors and terminals link.
 * @param subject what has the issues, where they came from no file: `scenario`
 */
export function formatIssues(issues: readonly Issue[], subject: string): string {
  const more = issues.length - maximumLines;
  return [
    ...issues.slice(0, maximumLines).map((issue) => formatIssue(issue, subject)),
    ...(more > 0 ? [`and ${more} more`] : []),
  ].join('\n');
}

/** How many issues one line lists, and how many characters it has. */
const maximumInLine = 10;
const maximumLength = 1_000;

/**
 * Issues as one line: `PATH: expected ..., got ...; PATH: ...`.
 * @param prefix in front of each path: `scenario.`
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

/** Text of a file with what a terminal acts upon escaped: control characters, line breaks of Unicode, changes of direction. */
export const escaped = (text: string) =>
  text.replace(/[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu, (char) =>
    char < ' ' ? JSON.stringify(char).slice(1, -1) : `\\u{${char.charCodeAt(0).toString(16)}}`,
  );
