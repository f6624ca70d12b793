import { fileURLToPath } from 'node:url';
import type { Scenario } from '../../src/index.js';
import { readScenario } from '../../src/node/scenario-files/scenario-files.js';

/** A situation that every client is put in. */
export interface Trial {
  /** As a heading of a table. */
  title: string;
  /** What happens in it, in a few words. */
  legend: string;
  /** A shipped scenario or a file, and what differs from it, as for `petstore-sim exec --scenario --set`. */
  scenario: string;
  set?: Pick<Scenario, 'windows' | 'ban'>;
  /** Whether it asks for the answer in the end, so that giving up is wrong. */
  isServed?: boolean;
  /** The status that the trial is about: a client that never gets it has not met the trial. */
  about?: number;
  /** How long to look before the client is stopped, where it does not end by itself. */
  watchMs: number;
}

/** In the order of the report: what happens every day first. */
export const trials = {
  minute: {
    title: 'minute used up',
    legend: 'one request too many; `Retry-After: 3`',
    scenario: 'minute-wall',
    set: { windows: { minute: '3s' } },
    isServed: true,
    watchMs: 14_000,
  },
  clamped: {
    title: '45 s to wait',
    legend: '`Retry-After: 45`; who comes back before three times is banned',
    scenario: 'retry-after-clamped',
    watchMs: 62_000,
  },
  missing: {
    title: 'no Retry-After',
    legend: 'nine seconds to wait, which only X-RateLimit-Reset says',
    scenario: 'missing',
    set: { windows: { minute: '9s' }, ban: { seconds: 6 } },
    isServed: true,
    watchMs: 22_000,
  },
  date: {
    title: 'Retry-After is a date',
    legend: '`Retry-After: Thu, 01 Jan 2026 12:00:03 GMT`, three seconds ahead',
    scenario: 'http-date',
    set: { windows: { minute: '3s' } },
    isServed: true,
    watchMs: 14_000,
  },
  garbled: {
    title: 'Retry-After is no time',
    legend: '`Retry-After: soon`; X-RateLimit-Reset says five seconds',
    scenario: 'malformed',
    isServed: true,
    watchMs: 45_000,
  },
  jitter: {
    title: 'twenty waits',
    legend: 'each of 20 calls is refused once with `Retry-After: 2` and nothing else; no wait may be shorter',
    scenario: 'jitter-below',
    isServed: true,
    watchMs: 75_000,
  },
  day: {
    title: 'day used up',
    legend: 'the day’s quota is gone; `Retry-After` is a day',
    scenario: 'day-wall',
    watchMs: 36_000,
  },
  month: {
    title: 'banned for 30 days',
    legend: '`Retry-After: 2592000`, which is more than a timer of 32 bits holds',
    scenario: 'timer-overflow',
    watchMs: 8_000,
  },
  expired: {
    title: 'key expires',
    legend: 'the key expires during the wait: a 429, then a 401',
    scenario: '401-loop',
    about: 401,
    watchMs: 20_000,
  },
  busy: {
    title: '503 with Retry-After',
    legend: 'a GET is answered 503 with `Retry-After: 3`',
    scenario: fileURLToPath(new URL('busy.yaml', import.meta.url)),
    watchMs: 15_000,
  },
  post: {
    title: 'POST refused',
    legend: 'a POST is answered 429 with `Retry-After: 2`, so nothing is stored',
    scenario: 'post-429',
    isServed: true,
    watchMs: 14_000,
  },
  cut: {
    title: 'POST stored, connection cut',
    legend: 'the pet is stored, and the connection breaks before the answer',
    scenario: 'post-stored-answer-lost',
    watchMs: 15_000,
  },
  stored503: {
    title: 'POST stored, 503',
    legend: 'the pet is stored, and the answer is a 503',
    scenario: 'post-ambiguous',
    watchMs: 15_000,
  },
} as const satisfies Record<string, Trial>;

export type TrialId = keyof typeof trials;

export const trialIds = Object.keys(trials) as TrialId[];

/** The scenario of a trial, with what differs. */
export async function scenarioOfTrial(id: TrialId): Promise<Scenario> {
  const { scenario, set }: Trial = trials[id];
  return { ...(await readScenario(scenario)), ...set };
}
