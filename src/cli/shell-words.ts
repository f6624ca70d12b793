/** Joins words to a command line, quoted for a shell where necessary. */
export const shellWords = (words: readonly string[]) => words.map(quoted).join(' ');

const quoted = (word: string) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);
