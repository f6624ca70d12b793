import type { Verdict } from '../judge/judge-run.js';
import type { Fault } from '../scenario/fault-schema.js';
import type { FindingCode } from '../scenario/finding-codes.js';
import type { KeyInput } from '../scenario/resolve-keys.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import type { KeyInfo } from '../simulator/keys.js';
import type { Int64 } from '../values/int64.js';
import type { WindowFields } from '../values/window-fields.js';
import type { ClockChange, ClockInfo } from './clock-operations.js';
import type { LogHealth } from './control-operation.js';
import type { ListedFault } from './fault-operations.js';
import type { Har } from './har.js';
import type { JournalEntry } from './journal-entry.js';
import type { RunReport } from './run-report.js';
import type { ExportedState, StateInput } from './state-schema.js';
import type { Update } from './update-stream.js';

// The types of the control API's methods are written by hand, because types derived from the implementation would have
// no comments. test/control-api/control-types.test.ts compares both.

/** Input of an operation without fields. */
// biome-ignore lint/complexity/noBannedTypes: an empty object
type NoInput = {};

/** Name of the started scenario, and the state of the simulated clock. */
interface Started {
  scenario: string;
  clock: ClockInfo;
}

/** Filters of a journal query; an entry must match all present fields. */
export interface RequestFilter {
  /** Operation of the requests to find. */
  operation?: string | undefined;
  /** HTTP method of the requests to find. */
  method?: string | undefined;
  /** Response status; 0 if the client disconnected first. */
  status?: number | string | undefined;
  /** API key of the requests: the key, its id, or its last four characters. */
  key?: string | undefined;
  /** Finds only journal entries with a higher id. */
  since?: number | string | undefined;
  /** Selects requests that contain this text in the path, the query, a body or the fault rule's name. */
  text?: string | undefined;
}

/** Selects the requests to export. With `why`, each exported request also has the steps that led to its response. */
interface Exported extends RequestFilter {
  why?: true | 'true' | undefined;
}

/**
 * Result of a call of the client (one request with its retries), as reported by the code that made the call. Without
 * `call`, the result applies to all calls of the client.
 */
interface ReportedOutcome {
  /** Name of the client's call: the value of the header `X-Sim-Call` in the call's requests. */
  call?: string | undefined;
  result: 'succeeded' | 'failed' | 'aborted';
}

/** A setting for API behavior that the documentation leaves open, with its current value. */
export interface ListedAssumption {
  id: string;
  question: string;
  /** Current value of the assumption, which is a setting for API behavior that the documentation leaves open. */
  value: unknown;
  default: unknown;
  /** Possible values of this setting besides its default. Contains only examples if the values have no fixed list. */
  alternatives: unknown[];
}

interface ListedPet {
  /** Id of the pet, in decimal digits. */
  id: string;
  name: string;
  /** Id of the pet's category, in decimal digits. */
  categoryId: string;
  status?: 'available' | 'pending' | 'sold';
  /** The pet as the API sends it. */
  json: string;
}

/** Mistake in a fault rule, with its path as text and as field names and list indexes. */
interface FaultIssue {
  path: string;
  steps: (string | number)[];
  message: string;
}

/** A sandbox of a server: a separate simulator under a name. */
export interface SandboxInfo {
  name: string;
  /** Name of the scenario. */
  scenario: string;
  /** Base URL of the simulated API in this sandbox, for the client under test. */
  baseUrl: string;
  /** Control URL of the sandbox. */
  controlUrl: string;
  /** API key that the client should use, unmasked. */
  apiKey: string;
  /** Number of requests since the start, or since the journal was cleared. */
  requests: number;
  /** Set if an idle sandbox of this name was dropped before. */
  recreated?: true | undefined;
}

/** Control operations on a simulator in this process, by name. */
export interface Control {
  /** Shows that the simulator is up, and the name of its scenario. */
  getHealth(input?: NoInput): { status: 'ok'; scenario: string; log?: LogHealth };
  /** Describes the service in OpenAPI 3.1. */
  getServiceDescription(input?: NoInput): Record<string, unknown>;
  /** Describes the control API in OpenAPI 3.1. */
  getControlDescription(input?: NoInput): Record<string, unknown>;
  /** Shows the scenario, completed from the default scenario, with its API keys. */
  getScenario(input?: NoInput): { name: string; scenario: Scenario };
  /** Lists the scenarios that can be loaded by name. */
  listScenarios(input?: NoInput): {
    name: string;
    description: string;
    group?: string;
    fail?: FindingCode[];
    changed?: string[];
  }[];
  /**
   * Lists the assumptions, which settle questions that the interface document leaves open, with current and default
   * values.
   */
  listAssumptions(input?: NoInput): ListedAssumption[];
  /**
   * Loads a scenario by its name or content: keys, limits, bans and faults are reset; with `reseed` pets and clock
   * too.
   */
  loadScenario(input: { scenario: string | Scenario; reseed?: boolean | undefined }): Started;
  /** Resets everything to the start of the scenario: pets, identifiers, keys, limits, bans, faults, clock, journal. */
  reset(input?: NoInput): Started;
  /** Shows the simulated time, and whether the clock runs or is frozen. */
  getClock(input?: NoInput): ClockInfo;
  /**
   * Moves, freezes or resumes the clock, by one of `{"advance":"61s"}`, `{"set":"2030-12-05T00:00:00Z"}`,
   * `{"freeze":true}`, `{"resume":true}`.
   */
  changeClock(input: ClockChange): ClockInfo;
  /** Lists API keys with plan, state, windows and strikes, in pages; keys that are not in the scenario are masked. */
  listKeys(input?: { limit?: number | string | undefined; after?: string | undefined }): {
    keys: KeyInfo[];
    total: number;
    next?: string;
  };
  /** Shows the usage, strikes and ban of one API key. */
  getKey(input: { key: string }): KeyInfo;
  /** Adds an unused API key. Replaces an existing key with the same text. */
  addKey(input: KeyInput & { key: string }): KeyInfo;
  /** Revokes an API key: its requests receive 401 from now on. */
  revokeKey(input: { key: string }): KeyInfo;
  /** Makes a revoked API key valid again, with its usage, strikes and ban. */
  restoreKey(input: { key: string }): KeyInfo;
  /** Bans an API key from now on. */
  banKey(input: { key: string; for: string | number }): KeyInfo;
  /** Lifts the ban of an API key and clears its strikes. */
  unbanKey(input: { key: string }): KeyInfo;
  /** Sets how many requests an API key has used, in new windows that start now. */
  setKeyUsage(input: { key: string } & WindowFields<number>): KeyInfo;
  /** Uses up a window of an API key, so that its next request receives 429. */
  exhaustKey(input: { key: string; window?: string | undefined }): KeyInfo;
  /**
   * Lists the stored pets in pages, in reverse list order. With a text, lists only pets that contain the text.
   */
  listStoredPets(input?: {
    text?: string | undefined;
    limit?: number | string | undefined;
    skip?: number | string | undefined;
  }): { pets: ListedPet[]; count: number; total: number };
  /** Replaces fields of a stored pet; omitted fields are unchanged. */
  updateStoredPet(input: {
    id: Int64 | string;
    name?: string | undefined;
    categoryId?: Int64 | string | undefined;
    status?: 'available' | 'pending' | 'sold' | undefined;
  }): ListedPet;
  /** Removes a stored pet. */
  removeStoredPet(input: { id: Int64 | string }): { removed: string };
  /** Lists the fault rules in order, with the number of matching and of changed requests. */
  listFaults(input?: NoInput): ListedFault[];
  /** Lists the operations that a fault rule may name, with method, path and conditions if known. */
  listOperations(input?: NoInput): { name: string; target?: string; conditions?: string[] }[];
  /** Adds a fault rule after the others, written as in a scenario. */
  addFault(input: Fault): { name: string };
  /**
   * Replaces a fault rule in its place by `fault`, which counts its requests from zero; an invalid rule changes nothing.
   */
  replaceFault(input: { name: string; fault: Fault }): { name: string };
  /** Checks a fault rule without adding it, and lists every mistake with its path. */
  checkFault(input: { fault: Fault }): { issues: FaultIssue[] };
  /** Removes a fault rule. */
  removeFault(input: { name: string }): { removed: string };
  /** Shows the newest requests that match a query, in order of arrival, and the number of all that match. */
  queryJournal(input?: RequestFilter & { limit?: number | string | undefined }): {
    entries: JournalEntry[];
    count: number;
    dropped: number;
  };
  /** Counts the requests that match a query. */
  countRequests(input?: RequestFilter): { count: number; dropped: number };
  /** Waits until `count` requests match a query, or until the end of `timeout`, which is at most 30s of real time. */
  waitForRequests(
    input?: RequestFilter & { count?: number | string | undefined; timeout?: number | string | undefined },
  ): Promise<{ met: boolean; count: number }>;
  /**
   * Reports the result of one call of the client, named as in X-Sim-Call, or of all calls. A call that is given up must
   * end with an error for the code that made it.
   */
  reportOutcome(input: ReportedOutcome): { call?: string; result: ReportedOutcome['result'] };
  /** Deletes all requests; later verdicts include only later requests. */
  clearJournal(input?: NoInput): { removed: number };
  /** Exports the requests that match a query as HAR 1.2. */
  exportHar(input?: Exported): Har;
  /** Exports the requests that match a query as JSON Lines. */
  exportJournal(input?: Exported): string;
  /** Streams every request with its response, as server-sent events. With `since`, earlier requests come first. */
  watchRequests(input?: { since?: number | string | undefined }): AsyncIterableIterator<JournalEntry>;
  /**
   * Streams updates, at most one every 100 ms, as server-sent events: requests without headers and bodies, changes by
   * control operations with their callers, the clock.
   */
  watchUpdates(input?: {
    run?: string | undefined;
    since?: number | string | undefined;
    changes?: number | string | undefined;
  }): AsyncGenerator<Update>;
  /**
   * Judges the client by its requests since the start, the last reset or the last clearing of the journal; by default
   * for all API keys.
   */
  getVerdict(input?: {
    key?: string | undefined;
    ended?: true | 'true' | undefined;
    /** Maximum lateness of timers where the client ran. The verdict has the field if it could have changed the outcome. */
    lagMs?: number | string | undefined;
  }): Verdict;
  /** Shows one request, and the steps that led to its response. */
  getRequest(input: { id: number | string }): JournalEntry;
  /**
   * Exports a report: every request with the steps that led to its response, the verdict, keys, faults, assumptions,
   * scenario.
   */
  exportRun(input?: NoInput): RunReport;
  /** Exports the complete state of the simulator, with scenario and API keys. */
  exportState(input?: NoInput): ExportedState;
  /** Restores an exported state with its scenario; an invalid state changes nothing. */
  importState(input: StateInput): Started & { pets: number };
  /** Lists the named snapshots. */
  listSnapshots(input?: NoInput): { name: string; scenario: string; now: string; pets: number }[];
  /** Saves the state as a named snapshot, or replaces the snapshot of that name; at most 50. */
  saveSnapshot(input: { name: string }): { saved: string };
  /** Restores a named snapshot with its scenario; the journal and the snapshot remain. */
  restoreSnapshot(input: { name: string }): Started;
  /** Removes a named snapshot. */
  removeSnapshot(input: { name: string }): { removed: string };
}

/** Type of the control functions over HTTP: each function returns a promise or an async iterable. */
type OverHttp<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (...input: infer Input) => infer Result
    ? (...input: Input) => Result extends AsyncIterable<unknown> ? Result : Promise<Awaited<Result>>
    : never;
};

/** Control operations on a simulator in another process, over HTTP, by name. */
export type RemoteControl = OverHttp<Control>;

/** Control operations of a server on its sandboxes, by name. */
export interface SandboxControl {
  /** Lists the URLs of the server; a browser receives the dashboard instead. */
  getLinks(input?: NoInput): {
    scenario: string;
    api: string;
    page: string;
    description: string;
    service: string;
    verdict: string;
    journal: string;
  };
  /** Judges a client by a recording, HAR or JSON Lines, as `petstore-sim judge` does; nothing is stored. */
  judgeFile(input: {
    name: string;
    text: string | Uint8Array;
    baseUrl?: string | undefined;
    ended?: boolean | 'true' | 'false' | undefined;
    oneKey?: boolean | 'true' | 'false' | undefined;
  }): Promise<RunReport>;
  /** Lists the sandboxes in order of their last use, the oldest first. */
  listSandboxes(input?: NoInput): SandboxInfo[];
  /** Creates a sandbox with the scenario of the server, or with another scenario by its name or content. */
  createSandbox(input: { name: string; scenario?: string | Scenario | undefined }): SandboxInfo;
  /** Shows one sandbox. The path of each control operation of this sandbox begins with the path of this operation. */
  getSandbox(input: { sandbox: string }): SandboxInfo;
  /** Removes a sandbox and aborts its pending requests. */
  removeSandbox(input: { sandbox: string }): { removed: string };
}

/** Control operations of a server: on its own simulator, and on its sandboxes. */
export type ServerControl = RemoteControl &
  OverHttp<SandboxControl> & {
    /** Control operations of one sandbox. They fail with 404 if the sandbox does not exist. */
    sandbox(name: string): RemoteControl;
  };
