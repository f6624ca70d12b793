/**
 * Formats flags as words of a command: `['--url', 'http://...', '--json']`. Leaves out flags without a value.
 * @param names flags to format, in this order; default: all
 */
export const flagWords = <Flags extends object>(
  flags: Flags,
  names: readonly (keyof Flags & string)[] = Object.keys(flags) as never,
): string[] =>
  names.flatMap((name) => {
    const value = flags[name] as string | readonly string[] | true | undefined;
    if (value === true) return [`--${name}`];
    return [value ?? []].flat().flatMap((text) => [`--${name}`, text]);
  });
