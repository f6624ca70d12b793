import { type Assumption, assumptions } from '../../petstore/assumptions.js';
import { assumptionLines } from '../assumption-table.js';
import type { CliInput } from '../cli-input.js';
import { printResult } from '../format-json-result.js';
import { program } from '../program.js';
import { textColumns } from '../terminal.js';

/** Prints the settings for API behavior that the documentation leaves open, as text or, with `--json`, as JSON. */
export function printAssumptions(input: CliInput<object>): void {
  const list = Object.entries<Assumption<unknown>>(assumptions).map(([id, assumption]) => ({ id, ...assumption }));
  printResult(input, { assumptions: list }, [`${program} matrix --json -- COMMAND`], assumptionLines(textColumns()));
}
