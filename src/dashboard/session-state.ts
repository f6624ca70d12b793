import type { ClockInfo } from '../control-api/clock-operations.js';
import type { Verdict } from '../judge/judge-run.js';
import type { KeyInfo } from '../simulator/keys.js';

/** Fault rule in the control API's list. */
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

/** State of a source, without its requests. */
export interface SessionState {
  /** `lost`: the server no longer responds. `gone`: the sandbox does not exist. */
  connection: 'connecting' | 'live' | 'lost' | 'gone' | 'locked' | 'file';
  /** Time of the disconnect, by `performance.now()`. */
  lostAtMs: number;
  /** Time of the next attempt to reconnect, by `performance.now()`. */
  retryAtMs: number;
  scenario: string;
  description: string;
  clock: (ClockInfo & { readAtMs: number }) | undefined;
  /** Speed of the clock relative to real time. */
  speed: number;
  /** Labels of the windows: the name, or the length if the scenario changes the length. */
  windows: { minute: string; day: string };
  keys: readonly KeyInfo[];
  totalKeys: number;
  faults: readonly ListedFault[];
  assumptions: readonly ListedAssumption[];
  sandboxes: readonly string[];
  verdict: Verdict | undefined;
  /** Id of the judged key; `undefined`: all keys. */
  verdictKey: string | undefined;
  total: number;
  pending: number;
  behind: number;
}

/** State before the first response. */
export const nothing: SessionState = {
  connection: 'connecting',
  lostAtMs: 0,
  retryAtMs: 0,
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
