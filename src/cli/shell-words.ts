/** Quotes words for a shell. */
export const shellWords = (words: readonly string[]) => words.map(quoted).join(' ');

const quoted = (word: string) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
