import type { Simulator } from './simulator/simulator.js';
import { judge, type RunState, type Verdict } from './verdict/judge.js';

export type { Finding, FindingCode, Severity } from './verdict/finding.js';
export type { Verdict } from './verdict/judge.js';

/**
 * How the client of a simulator has behaved since the start, the last reset or the last clearing of the journal. In an
 * entry of its own, so that a page that judges nobody carries no rules.
 * @param options.isOver whether the client has ended, so that what it has not done yet it never does; default `false`
 * @example expect(verdict(sim, { isOver: true }).verdict).toBe('pass');
 */
export function verdict(sim: Simulator, { isOver }: Pick<RunState, 'isOver'> = {}): Verdict {
  const { name, scenario, clock, journal } = sim;
  return judge(journal.query(), {
    scenario: name,
    nowMs: clock.now(),
    dropped: journal.dropped,
    pending: journal.pending,
    isOver,
    expect: scenario.expect,
  });
}
