/**
 * Output of `--json`: a result, and suggested next commands for a program or an agent. `COMMAND` is a placeholder for
 * the command of the client.
 */
export const jsonWithNext = (result: object, next: readonly string[]) =>
  `${JSON.stringify({ ...result, next }, null, 2)}\n`;
