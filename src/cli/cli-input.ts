/** Input of a command. */
export interface CliInput<Fields> {
  flags: Fields & { json?: boolean };
  /** Arguments after the command's name. */
  rest: readonly string[];
  /** Number of arguments in `rest` that the user typed before `--`. */
  before: number;
  /** Prints text to standard output. */
  print: (text: string) => void;
}
