import { isAboutLimits, type RefusalBefore, refusalBefore } from '../control-api/refusal-before.js';
import { coreOf, type Simulator } from '../simulator/simulator.js';

/** Finds the wait before a key's strike; `undefined` if the journal no longer contains both requests. */
export function strikeWait(sim: Simulator, key: string | undefined, strike: number): RefusalBefore | undefined {
  const { journal } = coreOf(sim).state;
  const record = journal.latest((each) => each.token === key && each.isStrike && each.strikes === strike);
  const before = record && journal.latest((each) => each.id < record.id && each.token === key && isAboutLimits(each));
  return before && refusalBefore(before, record);
}
