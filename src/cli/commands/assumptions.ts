import { type Assumption, assumptions } from '../../contract/assumptions.js';
import { assumptionLines } from '../assumption-table.js';

/** The table of assumptions: for people, or as JSON. */
export function printAssumptions(asJson: boolean): string {
  if (!asJson) return `${assumptionLines().join('\n')}\n`;
  const list = Object.entries<Assumption<unknown>>(assumptions).map(([id, assumption]) => ({ id, ...assumption }));
  return `${JSON.stringify(list, null, 2)}\n`;
}
