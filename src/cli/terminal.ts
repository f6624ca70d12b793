/** Width of output that is not written to a terminal, in characters. */
const plainColumns = 80;
const minimumColumns = 60;
/** Maximum width of lists and sentences, in characters. Longer lines are hard to read. */
const maximumColumns = 110;

/** Width at which lists and sentences are wrapped, in characters: the width of the terminal, within limits. */
export const textColumns = ({ columns = plainColumns }: { columns?: number } = process.stdout): number =>
  Math.min(maximumColumns, Math.max(minimumColumns, columns));
