import type { ClockInfo } from '../control-api/clock-operations.js';
import type { Verdict } from '../judge/judge-run.js';
import type { KeyInfo } from '../simulator/keys.js';

/** A fault rule as the control API lists it. */
export interface ListedFault {
  name: string;
  seen: number;
  applied: number;
  when?: Record<string, unknown>;
  then?: Record<string, unknown>;
}

export interface ListedAssumption {
  id: string;
  question: string;
  value: unknown;
  default: unknown;
  alternatives: unknown[];
}

/** What the page knows apart from the requests. */
export interface SessionState {
  connection: 'connecting' | 'live' | 'gone' | 'locked' | 'file';
  scenario: string;
  description: string;
  clock: (ClockInfo & { readAtMs: number }) | undefined;
  /** How fast the clock runs. */
  speed: number;
  /** Names of the windows; the length instead where the scenario has another. */
  windows: { minute: string; day: string };
  keys: readonly KeyInfo[];
  totalKeys: number;
  faults: readonly ListedFault[];
  assumptions: readonly ListedAssumption[];
  sandboxes: readonly string[];
  verdict: Verdict | undefined;
  /** The key that the verdict is for; `undefined`: all. */
  verdictKey: string | undefined;
  total: number;
  pending: number;
  behind: number;
}

/** Before the first answer. */
export const nothing: SessionState = {
  connection: 'connecting',
  scenario: '',
  description: '',
  clock: undefined,
  speed: 1,
  windows: { minute: 'minute', day: 'day' },
  keys: [],
  totalKeys: 0,
  faults: [],
  assumptions: [],
  sandboxes: [],
  verdict: undefined,
  verdictKey: undefined,
  total: 0,
  pending: 0,
  behind: 0,
};
