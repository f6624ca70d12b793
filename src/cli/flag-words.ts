/** Formats the flags that have a value as words of a command: `['--url', 'http://...']`. */
export const flagWords = (flags: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(flags).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
