import { type Assumption, assumptions } from '../../petstore/assumptions.js';
import { assumptionLines } from '../assumption-table.js';
import type { CliInput } from '../cli-input.js';
import { formatJsonResult } from '../format-json-result.js';
import { program } from '../program.js';

/** Prints the assumptions as text or, with `--json`, as JSON. */
export function printAssumptions({ flags, print }: CliInput<object>): void {
  if (!flags.json) {
    print(`${assumptionLines().join('\n')}\n`);
    return;
  }
  const list = Object.entries<Assumption<unknown>>(assumptions).map(([id, assumption]) => ({ id, ...assumption }));
  print(formatJsonResult({ assumptions: list }, [`${program} matrix --json -- COMMAND`]));
}
