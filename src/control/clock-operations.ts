import { refine } from '../schema/schema.js';
import { fields, oneOf, optional } from '../schema/schemas.js';
import { duration, instant } from '../schema/value-schemas.js';
import type { Simulator } from '../simulator/simulator.js';
import { operation } from './operation.js';

/** What the clock shows. */
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

/** One of the verbs, in one object. */
const change = refine(
  fields({ advance: optional(duration), set: optional(instant), freeze: yes, resume: yes }),
  (verbs) => Object.keys(verbs).length === 1,
  'one of {"advance":"61s"}, {"set":"2030-12-05T00:00:00Z"}, {"freeze":true}, {"resume":true}',
);

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
    summary: 'One of `{"advance":"61s"}`, `{"set":"2030-12-05T00:00:00Z"}`, `{"freeze":true}`, `{"resume":true}`',
    input: change,
    run(sim, { advance, set, freeze }) {
      if (advance !== undefined) sim.clock.advance(advance);
      else if (set !== undefined) sim.clock.set(set);
      else if (freeze) sim.clock.freeze();
      else sim.clock.resume();
      return clockInfo(sim);
    },
  }),
  advanceClock: operation({
    method: 'POST',
    path: '/clock/advance',
    summary: 'Moves the clock forward',
    input: fields({ by: duration }),
    run(sim, { by }) {
      sim.clock.advance(by);
      return clockInfo(sim);
    },
  }),
  setClock: operation({
    method: 'POST',
    path: '/clock/set',
    summary: 'Moves the clock to an instant, forward or back',
    input: fields({ to: instant }),
    run(sim, { to }) {
      sim.clock.set(to);
      return clockInfo(sim);
    },
  }),
  freezeClock: operation({
    method: 'POST',
    path: '/clock/freeze',
    summary: 'Stops the clock where it is',
    input: fields({}),
    run(sim) {
      sim.clock.freeze();
      return clockInfo(sim);
    },
  }),
  resumeClock: operation({
    method: 'POST',
    path: '/clock/resume',
    summary: 'Lets the clock run on from where it is',
    input: fields({}),
    run(sim) {
      sim.clock.resume();
      return clockInfo(sim);
    },
  }),
};
