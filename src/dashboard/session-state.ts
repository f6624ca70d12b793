import type { ClockInfo } from '../control-api/clock-operations.js';
import type { Control, ListedAssumption } from '../control-api/control.js';
import type { ListedFault } from '../control-api/fault-operations.js';
import type { Verdict } from '../judge/judge-run.js';
import type { KeyInfo } from '../simulator/keys.js';
import type { KeyFrom } from '../values/key-place.js';

/** Scenario in the list of the control API. `fail` has the codes of the findings that fail a client in it. */
export type ListedScenario = ReturnType<Control['listScenarios']>[number];

/** Displayed state of a simulator or run, without its requests. */
export interface SessionState {
  /**
   * State of the dashboard's connection to the server. `lost`: the server does not respond. `gone`: the displayed
   * sandbox was removed. `locked`: the server requires a control token. `file`: the page shows a saved report.
   */
  connection: 'connecting' | 'live' | 'lost' | 'gone' | 'locked' | 'file';
  /** Message with which the server refused the connection; `undefined` if it did not respond. */
  refusal: string | undefined;
  /** Time at which the connection to the server was lost, by `performance.now()`. */
  lostAtMs: number;
  /** Time of the next attempt to reconnect, by `performance.now()`. */
  retryAtMs: number;
  scenario: string;
  description: string;
  clock: (ClockInfo & { readAtMs: number }) | undefined;
  /** Speed of the simulated clock relative to real time; 0 if frozen. */
  speed: number;
  /** Labels of the documented windows, if the scenario sets their lengths. */
  windows: Readonly<Record<string, string>>;
  keys: readonly KeyInfo[];
  totalKeys: number;
  faults: readonly ListedFault[];
  assumptions: readonly ListedAssumption[];
  /** Scenarios that can be loaded. */
  scenarios: readonly ListedScenario[];
  /** Key of the client that the scenario tests, if the scenario names it. */
  clientKey: string | undefined;
  /** Place of the API key in requests. */
  keyFrom: KeyFrom;
  /** Operations that a fault rule may name. */
  operations: readonly { name: string; target?: string; conditions?: string[] }[];
  sandboxes: readonly string[];
  verdict: Verdict | undefined;
  /** Verdicts on each key of a run with several keys, by the key's id. Empty if the run has too many keys. */
  verdicts: ReadonlyMap<string, Verdict>;
  /** Id of the key to which the verdict is limited; `undefined` for all keys. */
  verdictKey: string | undefined;
  /** Name of the snapshot to which Undo or Redo returns. */
  undo: string | undefined;
  total: number;
  /** Value of `total` when the verdict was read. */
  judged: number;
  pending: number;
  behind: number;
}

/** State of the dashboard before the first response of the server, file or simulator that it shows. */
export const initialState: SessionState = {
  connection: 'connecting',
  refusal: undefined,
  lostAtMs: 0,
  retryAtMs: 0,
  scenario: '',
  description: '',
  clock: undefined,
  speed: 1,
  windows: {},
  keys: [],
  totalKeys: 0,
  faults: [],
  assumptions: [],
  scenarios: [],
  clientKey: undefined,
  keyFrom: 'bearer',
  operations: [],
  sandboxes: [],
  verdict: undefined,
  verdicts: new Map(),
  verdictKey: undefined,
  undo: undefined,
  total: 0,
  judged: 0,
  pending: 0,
  behind: 0,
};
