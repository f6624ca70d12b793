/** Input of a petstore-sim command: its flags and arguments, and a function that prints output. */
export interface CliInput<Fields> {
  flags: Fields & { json?: boolean };
  /** Arguments after the command's name. */
  rest: readonly string[];
  /** Number of the command's arguments (`rest`) that the user typed before the separator `--`, if there is one. */
  argumentsBeforeSeparator: number | undefined;
  /** Prints text to standard output. */
  print: (text: string) => void;
}
