/**
 * Matches one word of a command line, up to the next space outside of quotes. Also matches a word with an unclosed
 * quote, which is reported later.
 */
const wordForm = /(?:"[^"]*"|'[^']*'|\S)+/g;
/** Matches one part of a word in a command line: a quoted text, an unclosed quote, or other characters. */
const pieceForm = /"([^"]*)"|'([^']*)'|(["'])|[^"']+/g;

/**
 * Splits a command into words at spaces; quotes keep a word together. Variables and patterns are not expanded.
 * @throws {RangeError} for an unclosed quote, or for shell syntax such as `|`
 */
export function commandWords(text: string): string[] {
  const words = Array.from(text.match(wordForm) ?? [], (word) =>
    word.replace(pieceForm, (piece, double?: string, single?: string, unclosed?: string) => {
      if (unclosed !== undefined) throw new RangeError(`expected a closing ${unclosed}, got none`);
      const quoted = double ?? single;
      const sign = quoted === undefined ? /[|&;<>$`()*]/.exec(piece)?.[0] : undefined;
      if (sign === undefined) return quoted ?? piece;
      throw new RangeError(`expected one command, got ${sign}; quote it, or run a shell: [sh, -c, "..."]`);
    }),
  );
  if (!words[0]?.trim()) throw new RangeError('expected a command, got none');
  return words;
}
