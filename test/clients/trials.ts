import type { Scenario } from '../../src/index.js';
import { scenarioOf } from '../scenarios/stage.js';

/** A situation that every client is put in: a shipped scenario in shorter time, and what the application calls. */
export interface Trial {
  /** As a heading of a table. */
  title: string;
  scenario: Scenario;
  calls: readonly ('GET' | 'POST')[];
  /** How long to look before the client is stopped, where it does not end by itself. */
  watchMs: number;
}

const shipped = (name: string, { windows, ban }: Pick<Scenario, 'windows' | 'ban'> = {}): Scenario => ({
  ...scenarioOf(name),
  ...(windows && { windows }),
  ...(ban && { ban }),
});

/** In the order in which they are run: the longest first. */
export const trials = {
  day: { title: 'day used up', scenario: shipped('day-wall'), calls: ['GET', 'GET'], watchMs: 36_000 },
  missing: {
    title: 'no Retry-After',
    scenario: shipped('missing', { windows: { minute: '9s' }, ban: { seconds: 6 } }),
    calls: ['GET'],
    watchMs: 20_000,
  },
  ban: {
    title: 'ban ahead',
    scenario: shipped('ban-on-third-strike', { windows: { minute: '9s' }, ban: { seconds: 6 } }),
    calls: ['GET'],
    watchMs: 20_000,
  },
  expired: { title: 'key expires', scenario: shipped('401-loop'), calls: ['GET'], watchMs: 17_000 },
  minute: {
    title: 'minute used up',
    scenario: shipped('minute-wall', { windows: { minute: '3s' } }),
    calls: ['GET', 'GET'],
    watchMs: 12_000,
  },
  date: {
    title: 'Retry-After is a date',
    scenario: shipped('http-date', { windows: { minute: '3s' } }),
    calls: ['GET'],
    watchMs: 12_000,
  },
  post: {
    title: 'POST refused',
    scenario: shipped('post-429', { windows: { minute: '3s' } }),
    calls: ['POST'],
    watchMs: 12_000,
  },
  cut: {
    title: 'POST stored, connection cut',
    scenario: shipped('post-stored-answer-lost'),
    calls: ['POST'],
    watchMs: 12_000,
  },
  stored503: { title: 'POST stored, 503', scenario: shipped('post-ambiguous'), calls: ['POST'], watchMs: 12_000 },
} as const satisfies Record<string, Trial>;
export type TrialId = keyof typeof trials;
