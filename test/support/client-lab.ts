import type { Answer, Scenario, Simulator } from '../../src/entries/index.js';
import { judge } from '../../src/entries/verdict.js';
import type { Finding } from '../../src/judge/finding.js';
import type { Verdict } from '../../src/judge/judge-run.js';
import { documentedPlans } from '../../src/petstore/document.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import { found } from './findings.js';
import { frozen } from './frozen.js';
import { type PlainCall, send } from './plain-call.js';

/** Functions of a client's program: send on its own connection, and read its clock. */
export interface Lab {
  sim: Simulator;
  send(call?: PlainCall): Answer;
  now(): number;
}

/** A client as a generator that yields its sleep times, in milliseconds. */
export type Program = (lab: Lab) => Generator<number, void, void>;

interface LabOptions {
  /** Added to each sleep, in milliseconds, for inexact timers. Default: none. */
  timerJitter?: () => number;
  /** Time after which the run is stopped, in milliseconds. Default: a week. */
  untilMs?: number;
}

/**
 * Runs clients concurrently, each on its own connection, on a clock that jumps from one wake-up to the next. The run
 * takes no time, and is deterministic.
 */
export function runPrograms(
  sim: Simulator,
  programs: readonly Program[],
  { timerJitter = () => 0, untilMs = 7 * 86_400_000 }: LabOptions = {},
): void {
  const endMs = sim.clock.now() + untilMs;
  const sleepers = programs.map((program, index) => {
    const lab: Lab = {
      sim,
      send: (call) => send(sim, { connection: index + 1, ...call }),
      now: () => sim.clock.now(),
    };
    return { steps: program(lab), wakeMs: sim.clock.now() };
  });
  for (;;) {
    const next = sleepers.reduce((first, each) => (each.wakeMs < first.wakeMs ? each : first), sleepers[0] as never);
    if (next === undefined || next.wakeMs > endMs) break;
    if (next.wakeMs > sim.clock.now()) sim.clock.set(next.wakeMs);
    const { done, value } = next.steps.next();
    next.wakeMs = done ? Number.POSITIVE_INFINITY : sim.clock.now() + Math.max(0, Math.round(value + timerJitter()));
  }
}

/** A simulator in which clients have run to their end. */
export function ran(scenario: Scenario, ...programs: readonly Program[]): Simulator {
  const sim = frozen(scenario);
  runPrograms(sim, programs);
  return sim;
}

/** The verdict on clients that have run to their end. */
export const verdictOn = (scenario: Scenario, ...programs: Program[]): Verdict =>
  judge(ran(scenario, ...programs), { isOver: true });

/** First finding of a rule about clients that have run to their end; `undefined` without one. */
export const findingOn = (code: FindingCode, scenario: Scenario, ...programs: Program[]): Finding | undefined =>
  found(verdictOn(scenario, ...programs), code);

/** The minute is used up, for another 30 seconds. */
export const wall: Scenario = {
  windows: { minute: '30s' },
  keys: { 'free-key': { usage: { minute: documentedPlans.free.minute } } },
};

/** Refuses every call, with a Retry-After of one second. */
export const stubborn: Scenario = {
  ban: 'off',
  faults: [{ then: { respond: { status: 429, headers: { 'Retry-After': 1 } }, countsQuota: false } }],
};

/** Retry-After of a response, in seconds. */
export const retryAfter = ({ headers }: Answer) => Number(headers['Retry-After']);

export const isRefused = (answer: Answer) => answer.headers['Retry-After'] !== undefined;

/** A client that repeats a call until success, with a wait per refusal. */
export const retrying = (wait: (answer: Answer, attempt: number) => number, call?: PlainCall, attempts = 10): Program =>
  function* ({ send }) {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const answer = send(call);
      if (!isRefused(answer)) return;
      yield wait(answer, attempt);
    }
  };

/** A client that repeats a call until success, each time after the whole Retry-After. */
export const obeying: Program = retrying((answer) => retryAfter(answer) * 1000);

/** A client that sends a call, and again after each of these waits, regardless of the responses. Of a list of calls, the last repeats. */
export const sending = (
  waits: readonly number[],
  call?: PlainCall | readonly PlainCall[] | ((index: number) => PlainCall),
): Program =>
  function* ({ send }) {
    const callAt = (index: number): PlainCall | undefined => {
      if (typeof call === 'function') return call(index);
      return Array.isArray(call) ? (call[index] ?? call.at(-1)) : (call as PlainCall | undefined);
    };
    send(callAt(0));
    for (const [index, ms] of waits.entries()) {
      yield ms;
      send(callAt(index + 1));
    }
  };

/** A client that starts some milliseconds later. */
export const later = (ms: number, program: Program): Program =>
  function* (lab) {
    yield ms;
    yield* program(lab);
  };

/** A number of clients, each made from its index. */
export const clients = (count: number, program: (index: number) => Program): Program[] =>
  Array.from({ length: count }, (_, index) => program(index));
