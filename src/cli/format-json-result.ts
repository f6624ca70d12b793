/**
 * Formats the output for `--json`: a result, and suggested next commands. `COMMAND` in a suggestion stands for the
 * client's command.
 */
export const formatJsonResult = (result: object, next: readonly string[]) =>
  `${JSON.stringify({ ...result, next }, null, 2)}\n`;
