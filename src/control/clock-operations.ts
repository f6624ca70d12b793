import { type Input, type Output, refine, type Schema } from '../schema/schema.js';
import { fields, oneOf, optional } from '../schema/schemas.js';
import { duration, instant } from '../schema/value-schemas.js';
import type { Simulator } from '../simulator/simulator.js';
import { operation } from './control-operation.js';

/** What the control API shows of the clock. */
export interface ClockInfo {
  /** ISO 8601. */
  now: string;
  mode: 'real' | 'frozen';
}

export const clockInfo = ({ clock }: Simulator): ClockInfo => ({
  now: new Date(clock.now()).toISOString(),
  mode: clock.frozen ? 'frozen' : 'real',
});

const yes = optional(oneOf(true));

/** What to do with the clock: exactly one of the four. */
type ClockChange =
  | { advance: Input<typeof duration> }
  | { set: Input<typeof instant> }
  | { freeze: true }
  | { resume: true };

const changes = fields({ advance: optional(duration), set: optional(instant), freeze: yes, resume: yes });
const change = refine(
  changes,
  (verbs) => Object.keys(verbs).length === 1,
  'one of {"advance":"61s"}, {"set":"2030-12-05T00:00:00Z"}, {"freeze":true}, {"resume":true}',
) as Schema<Output<typeof changes>, ClockChange>;

export const clockOperations = {
  getClock: operation({
    method: 'GET',
    path: '/clock',
    summary: 'The time, and whether the clock runs or is frozen',
    input: fields({}),
    run: clockInfo,
  }),
  changeClock: operation({
    method: 'POST',
    path: '/clock',
    summary:
      'Moves, freezes or resumes the clock, by one of `{"advance":"61s"}`, `{"set":"2030-12-05T00:00:00Z"}`, `{"freeze":true}`, `{"resume":true}`',
    input: change,
    run(sim, { advance, set, freeze }) {
      if (advance !== undefined) sim.clock.advance(advance);
      else if (set !== undefined) sim.clock.set(set);
      else if (freeze) sim.clock.freeze();
      else sim.clock.resume();
      return clockInfo(sim);
    },
  }),
};
