/** One mistake in a scenario. */
export interface Problem {
  /** Where: `keys.free-key.plan`, `pets[3].id`; empty for the scenario as a whole. */
  readonly path: string;
  /** What was expected and what was found. */
  readonly message: string;
  /** `path` as the names and positions to go down by. */
  readonly steps: readonly Step[];
  /** Whether the name of the field is the mistake, and not its value. */
  readonly onName?: boolean;
  /** The file with the mistake, or the flag of the command line; only for a scenario that came from there. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in UTF-16 units. */
  readonly column?: number;
}

/** The name of a field or the position in a list. */
export type Step = string | number;

/** A mistake at the end of `steps`. */
export function problemAt(steps: readonly Step[], message: string, onName = false): Problem {
  const path = steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return { path: path.replace(/^\./, ''), message, steps, ...(onName && { onName }) };
}

/** How many mistakes a message names before it only counts them, and how much of one it shows. */
const mostLines = 100;
const mostLetters = 500;

/** The person who runs the simulator made a mistake in a scenario; `problems` names all of them. */
export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
  constructor(readonly problems: readonly Problem[]) {
    const more = problems.length - mostLines;
    const lines = problems.slice(0, mostLines).map(line);
    super([...lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
  }
}

/** `FILE:LINE:COL: PATH: expected ..., got ...`, as compilers write it, so that editors and terminals find the place. */
function line({ path, message, file, line, column }: Problem): string {
  const place =
    file === undefined ? `scenario${path && ` at ${path}`}` : [file, line, column].filter(Boolean).join(':');
  const text = [place, ...(file === undefined ? [] : [path]), message].filter(Boolean).join(': ');
  return escaped(text.length > mostLetters ? `${text.slice(0, mostLetters)}…` : text);
}

/** Names and values of a file without what a terminal would act upon. */
export const escaped = (text: string) => text.replace(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1));
