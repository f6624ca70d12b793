import type { ClockInfo } from '../control-api/clock-operations.js';
import type { ListedAssumption } from '../control-api/control.js';
import type { ListedFault } from '../control-api/fault-operations.js';
import type { JournalEntry } from '../control-api/journal-entry.js';
import { keyVerdictPath, maximumKeyVerdicts, type RunReport, runFormat } from '../control-api/run-report.js';
import type { Update } from '../control-api/update-stream.js';
import type { Verdict } from '../judge/judge-run.js';
import type { RunResult } from '../judge/run-result.js';
import type { KeyInfo } from '../simulator/keys.js';
import type { Duration } from '../values/duration.js';
import type { KeyFrom } from '../values/key-place.js';
import { isDocumented } from '../values/window-fields.js';
import { EntryBuffer } from './entry-buffer.js';
import { Listeners } from './listeners.js';
import { initialState, type ListedScenario, type SessionState } from './session-state.js';
import type { Source, SourceError } from './source.js';
import { createThrottles } from './throttle.js';

/** Label of a rate-limit window: the length that the scenario sets, such as `10s`. A length without a unit is in ms. */
const labelOf = (length: Duration) => (typeof length === 'number' ? `${length / 1000}s` : length);

/** Simulated time after a request for which its client counts as running. */
const activeMs = 12_000;

/** Pause before the n-th attempt to reconnect to the server: exponential up to 10 s, with jitter of 20 %. */
const pauseMs = (attempt: number) => Math.min(10_000, 500 * 2 ** attempt) * (0.8 + Math.random() * 0.4);

/** Report of requests that the server no longer has. */
interface Removed extends RunReport {
  isRestart?: true;
}

/**
 * Connection of the dashboard to the source of its data: a server, a simulator in the same page, or a file. Updates the
 * displayed state until `close` is called.
 */
export class Session {
  state: SessionState;
  entries = new EntryBuffer();
  /**
   * Report of the requests before the last reset or scenario change by the dashboard's user, or before a restart of the
   * server; `undefined` if there was none.
   */
  removed: Removed | undefined;
  /** Listeners that run after each change of `state`. */
  readonly onState = new Listeners();
  /** Listeners that run after each change of `entries`, the displayed requests. */
  readonly onEntries = new Listeners();
  /** Names of the keys of findings, which are kept because a finding can have thousands of requests. */
  readonly keyNames = new WeakMap<object, string>();
  /** Creates a throttle of a task that reads from the server. */
  readonly createThrottle = createThrottles();
  readonly #closing = new AbortController();
  readonly #state = this.#throttle(() => this.#readState(), 400);
  readonly #scenario = this.#throttle(() => this.#readScenario(), 400);
  readonly #verdict = this.#throttle(() => this.#readVerdict(), 700);
  readonly #keyVerdicts = this.#throttle(() => this.#readKeyVerdicts(), 700);
  readonly #sandboxes = this.#throttle(() => this.#readSandboxes(), 2_000);
  readonly #throttles = [this.#state, this.#scenario, this.#verdict, this.#keyVerdicts];
  #scenarios: Promise<ListedScenario[]> | undefined;
  #run: string | undefined;
  #lastChange = 0;
  #retry = () => {};
  /**
   * How many requests the journal does not contain, as text. If the text changes, the dashboard reloads the verdict,
   * because the judge reports missing requests.
   */
  #unrecorded: number | undefined;

  constructor(readonly source: Source) {
    this.state = { ...initialState, connection: source.kind === 'file' ? 'file' : 'connecting' };
    const removed = source.storage?.getItem(this.#removedItem);
    if (removed) this.removed = JSON.parse(removed);
    void this.#watch();
  }

  /** Keeps the report of the requests that a change of the user removed, also when the page is loaded again. */
  keepRemoved(report: string): void {
    const { storage } = this.source;
    this.removed = JSON.parse(report) as Removed;
    try {
      storage?.setItem(this.#removedItem, report);
    } catch {
      // A report beyond the browser's limit is lost with the page.
      storage?.removeItem(this.#removedItem);
    }
  }

  get #removedItem(): string {
    return `petstore-sim-removed ${this.source.apiUrl}`;
  }

  /** Scenarios that can be loaded. */
  get scenarios(): Promise<ListedScenario[]> {
    this.#scenarios ??= this.source.send<ListedScenario[]>('GET', '/scenarios');
    const asked = this.#scenarios;
    // Asks again after a failure.
    asked.catch(() => {
      this.#scenarios = undefined;
    });
    return asked;
  }

  /** Whether the dashboard shows a simulator, whose state can still change. An opened file shows a finished run. */
  get isLive(): boolean {
    return this.source.kind !== 'file';
  }

  /** Whether the user can change the simulator. False without a connection to it. */
  get canAct(): boolean {
    return this.state.connection === 'live';
  }

  /**
   * Outcome of the client's run, and the sentence that the dashboard shows as the outcome's title; `undefined` before
   * the first request. A client command that failed counts as `fail`.
   */
  get outcome(): { outcome: Verdict['outcome']; title: string } | undefined {
    const { verdict } = this.state;
    const { headline, failures = [] }: Partial<RunResult> = verdict ?? {};
    if (this.isMissed) return { outcome: 'inconclusive', title: 'API not reached' };
    if (!verdict?.counts.requests) return undefined;
    const outcome = failures.length > 0 ? 'fail' : verdict.outcome;
    if (this.isUndecided) return { outcome, title: 'no verdict yet' };
    const title = (headline ?? verdict.outcome).toLowerCase();
    return { outcome, title: outcome === 'pass' && this.isActive ? `${title} so far` : title };
  }

  /** Whether the client may still run: the clock runs, and a request arrived shortly before. */
  get isActive(): boolean {
    const { clock, connection } = this.state;
    const lastMs = this.entries.rows.at(-1)?.atMs ?? 0;
    return connection === 'live' && clock?.mode === 'real' && this.nowMs() - lastMs < activeMs;
  }

  /** Whether the client was refused, and may retry soon. */
  get isUndecided(): boolean {
    const { outcome, counts }: Partial<Verdict> = this.state.verdict ?? {};
    return outcome === 'inconclusive' && counts !== undefined && counts.refused > 0 && this.isActive;
  }

  /** Whether requests arrived, but all at addresses outside of the API. The dashboard then explains the base URL. */
  get isMissed(): boolean {
    const { counts, unrecorded = [] } = this.state.verdict ?? {};
    return counts?.requests === 0 && unrecorded.length > 0;
  }

  /**
   * Time of the simulator's clock. While the server does not respond, returns the time at which the connection was
   * lost.
   */
  nowMs(): number {
    const { clock, speed } = this.state;
    if (clock === undefined) return 0;
    const untilMs = this.state.connection === 'lost' ? this.state.lostAtMs : performance.now();
    const passedMs = clock.mode === 'frozen' ? 0 : (untilMs - clock.readAtMs) * speed;
    return Date.parse(clock.now) + passedMs;
  }

  /** Number of received requests that the journal or the dashboard has dropped. */
  get lost(): number {
    return Math.max(0, this.state.total - this.entries.rows.length - this.state.behind);
  }

  set(changes: Partial<SessionState>): void {
    this.state = { ...this.state, ...changes };
    this.onState.call();
  }

  /** Reads the state of keys, fault rules and the verdict again. Waits if the last read was shortly before. */
  refresh(): void {
    if (this.state.connection === 'lost') return;
    this.#state.ask();
    this.#verdict.ask();
    this.#keyVerdicts.ask();
  }

  /** Reads all state of the dashboard without delay, after a change that the user made. */
  refreshNow(): void {
    this.refresh();
    this.#scenario.ask();
    this.#hurry();
  }

  judge(verdictKey: string | undefined): void {
    this.set({ verdictKey, verdict: undefined });
    this.#verdict.ask();
    this.#hurry();
  }

  /** Reconnects to the server after the user entered a control token. */
  unlock(): void {
    this.set({ connection: 'connecting' });
    void this.#watch();
  }

  /** Reconnects to the server now, before the current pause ends. */
  retry(): void {
    this.#retry();
  }

  close(): void {
    this.#closing.abort();
    this.#retry();
    for (const throttle of [...this.#throttles, this.#sandboxes]) throttle.stop();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    if (this.source.isLocked && (await this.source.isLocked().catch(() => false)))
      return this.set({ connection: 'locked' });
    // Reads API keys, fault rules, verdict and scenario at once, because the first update of the server's event stream
    // may arrive later.
    this.refresh();
    this.#scenario.ask();
    for (let attempt = 0; !signal.aborted; attempt++) {
      let connection: SessionState['connection'] = 'lost';
      let refusal: string | undefined;
      try {
        const since =
          this.#run === undefined ? {} : { run: this.#run, since: this.entries.completeId, changes: this.#lastChange };
        const isInterrupted = await this.source.watch(
          since,
          (update) => {
            attempt = 0;
            this.#take(update);
          },
          signal,
        );
        if (isInterrupted) continue;
      } catch (error) {
        const { status, message } = error as SourceError;
        if (status === 401) return this.set({ connection: 'locked' });
        if (status === 404) connection = 'gone';
        if (status > 0) refusal = message;
      }
      if (signal.aborted || this.source.kind === 'file') return;
      const nowMs = performance.now();
      const waitMs = pauseMs(attempt);
      const lostAtMs = this.state.connection === 'lost' ? this.state.lostAtMs : nowMs;
      this.set({ connection, refusal, lostAtMs, retryAtMs: nowMs + waitMs });
      await new Promise<void>((resolve) => {
        this.#retry = resolve;
        setTimeout(resolve, waitMs);
      });
    }
  }

  #hurry(): void {
    for (const throttle of this.#throttles) throttle.hurry();
  }

  #take({ run, scenario, clock, entries, changes, total, pending, behind, ...others }: Update): void {
    const isNew = run !== this.#run;
    if (isNew) {
      // The run's name has the server's, and after the colon a number that each reset changes.
      const isRestart = this.#run !== undefined && this.#run.split(':')[0] !== run.split(':')[0];
      if (isRestart && this.entries.rows.length > 0) this.keepRemoved(JSON.stringify(this.#seenRun()));
      this.#run = run;
      this.entries = new EntryBuffer();
      this.set({ verdict: undefined, verdicts: new Map() });
    }
    this.#lastChange = changes.at(-1)?.number ?? this.#lastChange;
    this.entries.add(entries, changes);
    const { state } = this;
    const connection = this.isLive ? 'live' : 'file';
    const isConnected = state.connection === connection;
    const shown = { connection, scenario, total, pending, behind } as const;
    const isShown = Object.entries(shown).every(([name, value]) => state[name as keyof typeof shown] === value);
    if (isNew || !isShown || state.clock?.mode !== clock.mode || !isNear(clock, this.nowMs())) {
      this.set({ ...shown, clock: { ...clock, readAtMs: performance.now() } });
    }
    const isQuiet = entries.length + changes.length === 0;
    if (isNew || !isQuiet) this.onEntries.call();
    if (isNew || !isConnected || !isQuiet || others.unrecorded !== this.#unrecorded) this.refresh();
    this.#unrecorded = others.unrecorded;
    if (isNew || !isConnected || changes.length > 0) this.#scenario.ask();
    if (isNew || !isConnected || isQuiet) this.#hurry();
    if (this.source.sendToServer) this.#sandboxes.ask();
  }

  /** Report of what the dashboard has seen of a run whose server has ended: the requests without bodies. */
  #seenRun(): Removed {
    const { verdict, verdicts, keys, totalKeys, faults, assumptions, scenario, description } = this.state;
    return {
      format: runFormat,
      entries: this.entries.rows.map(({ lane: _, ...entry }) => entry as unknown as JournalEntry),
      changes: this.entries.changes,
      answers: {
        '/verdict': verdict,
        '/keys?limit=100': { keys, total: totalKeys },
        '/faults': faults,
        '/assumptions': assumptions,
        '/scenario': { name: scenario, scenario: { description } },
        '/clock': { now: new Date(this.nowMs()).toISOString() },
        ...Object.fromEntries([...verdicts].map(([id, own]) => [keyVerdictPath(id), own])),
      },
      isRestart: true,
    };
  }

  /**
   * Creates a throttled version of `read`, a function that reads a part of the simulator's state for the dashboard.
   * Does not call `read` while the dashboard is disconnected from the server.
   */
  #throttle(read: () => Promise<void>, pauseMs: number) {
    return this.createThrottle(async () => {
      if (this.state.connection !== 'lost') await read();
    }, pauseMs);
  }

  async #readState(): Promise<void> {
    const { send } = this.source;
    const [{ keys, total: totalKeys }, faults] = await Promise.all([
      send<{ keys: KeyInfo[]; total: number }>('GET', '/keys?limit=100'),
      send<ListedFault[]>('GET', '/faults'),
    ]);
    for (const { id, bannedUntil, preset } of keys)
      if (bannedUntil !== undefined && !preset) this.entries.noteBan(id, Date.parse(bannedUntil), this.nowMs());
    this.set({ keys, totalKeys, faults });
    const { verdictKey } = this.state;
    if (verdictKey !== undefined && !keys.some(({ id }) => id === verdictKey)) this.judge(undefined);
  }

  /** Reads the dashboard data that API requests cannot change, such as the scenario's description and clock speed. */
  async #readScenario(): Promise<void> {
    const { send } = this.source;
    const [assumptions, operations, { scenario }] = await Promise.all([
      send<ListedAssumption[]>('GET', '/assumptions'),
      send<SessionState['operations']>('GET', '/operations'),
      send<{
        scenario: {
          description?: string;
          clock?: { speed?: number };
          windows?: Record<string, Duration>;
          client?: { key?: string };
          keyFrom?: KeyFrom;
        };
      }>('GET', '/scenario'),
    ]);
    this.set({
      assumptions,
      operations,
      description: scenario.description ?? '',
      clientKey: scenario.client?.key,
      keyFrom: scenario.keyFrom ?? 'bearer',
      speed: scenario.clock?.speed ?? 1,
      windows: Object.fromEntries(
        // Windows that the scenario adds keep their names, which requests and headers show.
        Object.entries(scenario.windows ?? {}).flatMap(([name, length]) =>
          isDocumented(name) ? [[name, labelOf(length)]] : [],
        ),
      ),
    });
    this.set({ scenarios: await this.scenarios });
  }

  /** Reads the names of the sandboxes regularly. The server sends no event for a new sandbox. */
  async #readSandboxes(): Promise<void> {
    const list = await this.source.sendToServer?.<{ name: string }[]>('GET', '/sandboxes');
    const sandboxes = list?.map(({ name }) => name) ?? [];
    if (String(sandboxes) !== String(this.state.sandboxes)) this.set({ sandboxes });
  }

  async #readVerdict(): Promise<void> {
    const run = this.#run;
    const { verdictKey, total } = this.state;
    const path = verdictKey === undefined ? '/verdict' : keyVerdictPath(verdictKey);
    const verdict = await this.source.send<Verdict>('GET', path);
    // Ignores a verdict on the requests before a reset.
    if ((run ?? this.#run) === this.#run && verdictKey === this.state.verdictKey) this.set({ verdict, judged: total });
  }

  async #readKeyVerdicts(): Promise<void> {
    const { entries } = this;
    const ids = [...entries.lanes.keys()].filter(Boolean);
    const verdicts = new Map<string, Verdict>();
    if (ids.length > 1 && ids.length <= maximumKeyVerdicts)
      for (const id of ids) {
        if (this.#closing.signal.aborted) return;
        // A file of an older version has no verdicts on keys.
        const verdict = await this.source.send<Verdict>('GET', keyVerdictPath(id)).catch(() => undefined);
        if (verdict !== undefined) verdicts.set(id, verdict);
      }
    if (entries === this.entries) this.set({ verdicts });
  }
}

/**
 * Calls a function now and after each change of a dashboard session's state.
 * @returns function that stops the calls
 */
export function watchState({ onState }: Session, call: () => void): () => void {
  call();
  return onState.add(call);
}

const isNear = ({ now }: ClockInfo, nowMs: number) => Math.abs(Date.parse(now) - nowMs) < 300;
