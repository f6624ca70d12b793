import type { CliInput } from './cli-input.js';

/** Prints a result as lines of text or, with `--json`, as JSON with suggested next commands. */
export const printResult = (
  { flags, print }: Pick<CliInput<object>, 'flags' | 'print'>,
  result: object,
  next: readonly string[],
  lines: readonly string[],
): void => print(flags.json ? formatJsonResult(result, next) : `${lines.join('\n')}\n`);

/**
 * Formats the output for `--json`: a result, and suggested next commands. `COMMAND` in a suggestion represents the
 * client's command.
 */
export const formatJsonResult = (result: object, next: readonly string[]) =>
  `${JSON.stringify({ ...result, next }, null, 2)}\n`;
