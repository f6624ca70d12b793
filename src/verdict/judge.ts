import type { Simulator } from '../simulator/simulator.js';
import { judgeRun, type RunState, type Verdict } from './judge-run.js';

/**
 * How the client of a simulator behaved since the start, the last reset or the last clearing of the journal.
 * @param options.isOver whether the client has ended, so that what it has not done yet it never does; default `false`
 * @param options.end how its process ended, where somebody waited for it
 * @example expect(judge(sim, { isOver: true }).outcome).toBe('pass');
 */
export function judge(sim: Simulator, { isOver, end }: Pick<RunState, 'isOver' | 'end'> = {}): Verdict {
  const { name, scenario, clock, journal } = sim;
  return judgeRun(journal.query(), {
    scenario: name,
    nowMs: clock.now(),
    dropped: journal.dropped,
    pending: journal.pending,
    isOver,
    end,
    outcomes: journal.outcomes,
    expect: scenario.expect,
    needs: scenario.client,
  });
}
