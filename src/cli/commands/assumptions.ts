import { type Assumption, assumptions } from '../../petstore/assumptions.js';
import { assumptionLines } from '../assumption-table.js';
import { formatJsonResult } from '../format-json-result.js';
import { program } from '../program.js';

/** Prints the assumptions as text or, with `--json`, as JSON. */
export function printAssumptions(asJson = false): string {
  if (!asJson) return `${assumptionLines().join('\n')}\n`;
  const list = Object.entries<Assumption<unknown>>(assumptions).map(([id, assumption]) => ({ id, ...assumption }));
  return formatJsonResult({ assumptions: list }, [`${program} matrix --json -- COMMAND`]);
}
