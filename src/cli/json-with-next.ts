/**
 * What `--json` prints: a result, and the commands that make sense now, for a program or an agent that goes on by itself.
 * In them `COMMAND` stands for the command of the client.
 */
export const jsonWithNext = (result: object, next: readonly string[]) =>
  `${JSON.stringify({ ...result, next }, null, 2)}\n`;
