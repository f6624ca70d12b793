import { UsageError } from '../validation/usage-error.js';

/**
 * Parses the value of a flag that lists names, separated by commas.
 * @throws {UsageError} for an unknown name
 */
export function namesOf<Name extends string>(
  text: string | undefined,
  known: readonly Name[],
  message: (unknown: string) => string,
): Name[] | undefined {
  const names = text?.split(',').map((name) => name.trim());
  const unknown = names?.find((name) => !known.includes(name as Name));
  if (unknown !== undefined) throw new UsageError(message(JSON.stringify(unknown)));
  return names as Name[] | undefined;
}

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
