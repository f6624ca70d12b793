import { fileURLToPath } from 'node:url';
import type { Scenario } from '../../src/entries/index.js';
import { readScenario } from '../../src/scenario-files/scenario-files.js';

/** A situation in which every client runs. */
export interface Trial {
  /** Column head. */
  title: string;
  /** Short description. */
  legend: string;
  /** A shipped scenario or a file, and overrides as for `petstore-sim exec --scenario --set`. */
  scenario: string;
  set?: Pick<Scenario, 'windows' | 'ban'>;
  /** Whether a success is expected, so that giving up is wrong. */
  isServed?: boolean;
  /** Tested status: a client that never receives it is inconclusive. */
  about?: number;
  /** Time limit of the client, in milliseconds. */
  watchMs: number;
}

/** In the order of the report: frequent situations first. */
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
    title: 'wait of 45 s',
    legend: '`Retry-After: 45`; three earlier requests cause a ban',
    scenario: 'retry-after-clamped',
    watchMs: 62_000,
  },
  missing: {
    title: 'no Retry-After',
    legend: 'a wait of nine seconds, stated only by X-RateLimit-Reset',
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
    title: 'Retry-After is invalid',
    legend: '`Retry-After: soon`; X-RateLimit-Reset states five seconds',
    scenario: 'malformed',
    isServed: true,
    watchMs: 45_000,
  },
  jitter: {
    title: 'twenty waits',
    legend: 'each of 20 calls gets one 429 with `Retry-After: 2`; no wait may be shorter',
    scenario: 'jitter-below',
    isServed: true,
    watchMs: 75_000,
  },
  day: {
    title: 'day used up',
    legend: 'the daily quota is used up; `Retry-After` is a day',
    scenario: 'day-wall',
    watchMs: 36_000,
  },
  month: {
    title: 'banned for 30 days',
    legend: '`Retry-After: 2592000`, which overflows a 32-bit timer',
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
    legend: 'the response to a GET is a 503 with `Retry-After: 3`',
    scenario: fileURLToPath(new URL('busy.yaml', import.meta.url)),
    watchMs: 15_000,
  },
  post: {
    title: 'POST refused',
    legend: 'the response to a POST is a 429 with `Retry-After: 2`, so nothing is stored',
    scenario: 'post-429',
    isServed: true,
    watchMs: 14_000,
  },
  cut: {
    title: 'POST stored, connection cut',
    legend: 'the pet is stored, and the connection breaks before the response',
    scenario: 'post-stored-answer-lost',
    watchMs: 15_000,
  },
  stored503: {
    title: 'POST stored, 503',
    legend: 'the pet is stored, and the response is a 503',
    scenario: 'post-ambiguous',
    watchMs: 15_000,
  },
} as const satisfies Record<string, Trial>;

export type TrialId = keyof typeof trials;

export const trialIds = Object.keys(trials) as TrialId[];

/** The scenario of a trial, with its overrides. */
export async function scenarioOfTrial(id: TrialId): Promise<Scenario> {
  const { scenario, set }: Trial = trials[id];
  return { ...(await readScenario(scenario)), ...set };
}
