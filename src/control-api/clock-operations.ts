import type { Simulator } from '../simulator/simulator.js';
import { type Output, refine, type Schema } from '../validation/schema.js';
import { fields, oneOf, optional } from '../validation/schemas.js';
import { duration, instant } from '../validation/value-schemas.js';
import { operation } from './control-operation.js';
import { described, instantText } from './input-values.js';

/** State of the simulated clock, as the control API returns it. */
export interface ClockInfo {
  /** Current simulated time, ISO 8601. */
  now: string;
  mode: 'real' | 'frozen';
}

export const clockInfoSchema = fields({
  now: described(instantText, 'Simulated time.'),
  mode: described(oneOf('real', 'frozen'), 'Whether the clock runs (`real`) or is stopped (`frozen`).'),
}) as Schema<ClockInfo>;

export const clockInfo = ({ clock }: Simulator): ClockInfo => ({
  now: new Date(clock.now()).toISOString(),
  mode: clock.frozen ? 'frozen' : 'real',
});

/** Change of the simulated clock: advance by a duration, move to a time, freeze or resume. */
export type ClockChange =
  | { advance: string | number }
  | { set: string | number | Date }
  | { freeze: true }
  | { resume: true };

const changes = fields({
  advance: optional(described(duration, 'Duration by which the clock advances.')),
  set: optional(described(instant, 'Time to which the clock moves, forward or back.')),
  freeze: optional(described(oneOf(true), 'Stops the clock at its current time.')),
  resume: optional(described(oneOf(true), 'Resumes the clock at its current time.')),
});
const change = refine(
  changes,
  (verbs, isRight) => !isRight || Object.keys(verbs).length === 1,
  'one of {"advance":"61s"}, {"set":"2030-12-05T00:00:00Z"}, {"freeze":true}, {"resume":true}',
  { minProperties: 1, maxProperties: 1 },
) as Schema<Output<typeof changes>, ClockChange>;

export const clockOperations = {
  getClock: operation({
    method: 'GET',
    path: '/clock',
    summary: 'Shows the simulated time, and whether the clock runs or is frozen',
    input: fields({}),
    result: clockInfoSchema,
    run: clockInfo,
  }),
  changeClock: operation({
    method: 'POST',
    path: '/clock',
    summary:
      'Moves, freezes or resumes the clock, by one of `{"advance":"61s"}`, `{"set":"2030-12-05T00:00:00Z"}`, `{"freeze":true}`, `{"resume":true}`',
    input: change,
    example: { advance: '61s' },
    result: clockInfoSchema,
    run(sim, { advance, set, freeze }) {
      if (advance !== undefined) sim.clock.advance(advance);
      else if (set !== undefined) sim.clock.set(set);
      else if (freeze) sim.clock.freeze();
      else sim.clock.resume();
      return clockInfo(sim);
    },
  }),
};
