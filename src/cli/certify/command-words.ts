/** Matches a part of a command's word: quoted text, or characters without a special meaning in a shell. */
const pieces = /"([^"]*)"|'([^']*)'|([^\s"']+)/gy;

/**
 * Splits a command into words at spaces; quotes keep a word together. Variables and patterns are not expanded.
 * @throws {RangeError} for an unclosed quote, or for shell syntax such as `|`
 */
export function commandWords(text: string): string[] {
  const words: string[] = [];
  for (let index = 0, isOpen = false; index < text.length; index = pieces.lastIndex) {
    const space = /^\s+/.exec(text.slice(index));
    if (space !== null) {
      isOpen = false;
      pieces.lastIndex = index + space[0].length;
      continue;
    }
    pieces.lastIndex = index;
    const [whole, double, single, bare] = pieces.exec(text) ?? [];
    if (whole === undefined) throw new RangeError(`expected a closing ${text[index]}, got none`);
    const sign = bare === undefined ? undefined : /[|&;<>$`()*]/.exec(bare)?.[0];
    if (sign !== undefined) {
      throw new RangeError(`expected one command, got ${sign}; quote it, or run a shell: [sh, -c, "..."]`);
    }
    const piece = double ?? single ?? bare ?? '';
    if (isOpen) words.push(`${words.pop()}${piece}`);
    else words.push(piece);
    isOpen = true;
  }
  if (words[0] === undefined || words[0] === '') throw new RangeError('expected a command, got none');
  return words;
}
