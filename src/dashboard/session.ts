import type { ClockInfo } from '../control-api/clock-operations.js';
import type { Update } from '../control-api/update-stream.js';
import type { Verdict } from '../judge/judge-run.js';
import type { RunResult } from '../judge/run-result.js';
import type { KeyInfo } from '../simulator/keys.js';
import type { Duration } from '../values/duration.js';
import { EntryBuffer } from './entry-buffer.js';
import { Listeners } from './listeners.js';
import { type ListedAssumption, type ListedFault, nothing, type SessionState } from './session-state.js';
import type { Source, SourceError } from './source.js';
import { Throttle } from './throttle.js';

type Windows = Partial<Record<'minute' | 'day', Duration>>;

/** Length of a window as the scenario has it: `10s`. */
const lengthOf = (length: Duration | undefined, name: string) =>
  typeof length === 'number' ? `${length / 1000}s` : (length ?? name);

/** After this time a lost connection is tried again. */
const reconnectMs = 500;

/** What one source says, kept up to date until `close`. */
export class Session {
  state: SessionState;
  entries = new EntryBuffer();
  /** Called when `state` changed. */
  readonly onState = new Listeners();
  /** Called when `entries` changed. */
  readonly onEntries = new Listeners();
  readonly #closing = new AbortController();
  readonly #state = new Throttle(() => this.#readState(), 400);
  readonly #scenario = new Throttle(() => this.#readScenario(), 400);
  readonly #verdict = new Throttle(() => this.#readVerdict(), 700);
  readonly #sandboxes = new Throttle(() => this.#readSandboxes(), 2_000);
  #run: string | undefined;
  #lastChange = 0;
  /** How many requests are not among the entries, as the last update said. */
  #missing = '';

  constructor(readonly source: Source) {
    this.state = { ...nothing, connection: source.kind === 'file' ? 'file' : 'connecting' };
    void this.#watch();
  }

  /** Whether anything can be changed. */
  get isLive(): boolean {
    return this.source.kind !== 'file';
  }

  /** Outcome of the run, with its title, once a request has come. A run that failed for another reason is no success. */
  get outcome(): { outcome: Verdict['outcome']; title: string } | undefined {
    const { verdict } = this.state;
    const { headline, failures = [] }: Partial<RunResult> = verdict ?? {};
    if (this.isMissed) return { outcome: 'inconclusive', title: 'API not reached' };
    if (!verdict?.counts.requests) return undefined;
    return {
      outcome: failures.length > 0 ? 'fail' : verdict.outcome,
      title: (headline ?? verdict.outcome).toLowerCase(),
    };
  }

  /** Whether requests came, and all of them to addresses outside of the API. */
  get isMissed(): boolean {
    const { counts, unrecorded = [] } = this.state.verdict ?? {};
    return counts?.requests === 0 && unrecorded.length > 0 && unrecorded.every(({ why }) => why === 'outside');
  }

  /** The instant of the simulator's clock. */
  nowMs(): number {
    const { clock, speed } = this.state;
    if (clock === undefined) return 0;
    const passedMs = clock.mode === 'frozen' ? 0 : (performance.now() - clock.readAtMs) * speed;
    return Date.parse(clock.now) + passedMs;
  }

  /** How many requests are not among the rows: they came before the page could show them, or it has let them go. */
  get lost(): number {
    return Math.max(0, this.state.total - this.entries.rows.length - this.state.behind);
  }

  set(changes: Partial<SessionState>): void {
    this.state = { ...this.state, ...changes };
    this.onState.call();
  }

  /** Reads again what may have changed by itself. */
  refresh(): void {
    this.#state.ask();
    this.#verdict.ask();
  }

  /** Reads again what somebody has changed, who looks for it now. */
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

  /** Starts anew, after a token was given. */
  unlock(): void {
    this.set({ connection: 'connecting' });
    void this.#watch();
  }

  close(): void {
    this.#closing.abort();
    this.#state.stop();
    this.#scenario.stop();
    this.#verdict.stop();
    this.#sandboxes.stop();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    // At once, and not after the first update.
    this.refresh();
    this.#scenario.ask();
    while (!signal.aborted) {
      let connection: SessionState['connection'] = 'connecting';
      try {
        const since =
          this.#run === undefined ? {} : { run: this.#run, since: this.entries.completeId, changes: this.#lastChange };
        await this.source.watch(since, (update) => this.#take(update), signal);
      } catch (error) {
        const { status } = error as SourceError;
        if (status === 401) return this.set({ connection: 'locked' });
        if (status === 404) connection = 'gone';
      }
      if (signal.aborted || this.source.kind === 'file') return;
      this.set({ connection });
      await new Promise((resolve) => setTimeout(resolve, reconnectMs));
    }
  }

  #hurry(): void {
    for (const each of [this.#state, this.#scenario, this.#verdict]) each.hurry();
  }

  #take({ run, scenario, clock, entries, changes, total, pending, behind, ...others }: Update): void {
    const isNew = run !== this.#run;
    if (isNew) {
      this.#run = run;
      this.entries = new EntryBuffer();
      this.set({ verdict: undefined });
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
    const missing = `${others.unwritten} ${others.unrecorded}`;
    if (isNew || !isConnected || !isQuiet || missing !== this.#missing) this.refresh();
    this.#missing = missing;
    if (isNew || !isConnected || changes.length > 0) this.#scenario.ask();
    if (isNew || !isConnected || isQuiet) this.#hurry();
    if (this.source.sandboxes) this.#sandboxes.ask();
  }

  async #readState(): Promise<void> {
    const { send } = this.source;
    const [{ keys, total: totalKeys }, faults] = await Promise.all([
      send<{ keys: KeyInfo[]; total: number }>('GET', '/keys?limit=100'),
      send<ListedFault[]>('GET', '/faults'),
    ]);
    this.set({ keys, totalKeys, faults });
    const { verdictKey } = this.state;
    if (verdictKey !== undefined && !keys.some(({ id }) => id === verdictKey)) this.judge(undefined);
  }

  /** What only a change by hand changes. */
  async #readScenario(): Promise<void> {
    const { send } = this.source;
    const [assumptions, { scenario }] = await Promise.all([
      send<ListedAssumption[]>('GET', '/assumptions'),
      send<{ scenario: { description?: string; clock?: { speed?: number }; windows?: Windows } }>('GET', '/scenario'),
    ]);
    this.set({
      assumptions,
      description: scenario.description ?? '',
      speed: scenario.clock?.speed ?? 1,
      windows: { minute: lengthOf(scenario.windows?.minute, 'minute'), day: lengthOf(scenario.windows?.day, 'day') },
    });
  }

  /** A request to one makes it, and nothing tells of that. */
  async #readSandboxes(): Promise<void> {
    const sandboxes = (await this.source.sandboxes?.()) ?? [];
    if (String(sandboxes) !== String(this.state.sandboxes)) this.set({ sandboxes });
  }

  async #readVerdict(): Promise<void> {
    const { verdictKey } = this.state;
    const query = verdictKey === undefined ? '' : `?key=${encodeURIComponent(verdictKey)}`;
    const verdict = await this.source.send<Verdict>('GET', `/verdict${query}`);
    if (verdictKey === this.state.verdictKey) this.set({ verdict });
  }
}

/** Calls a function now, because something may have come already, and when the state changes. @returns a function that ends it */
export function watchState({ onState }: Session, call: () => void): () => void {
  call();
  return onState.add(call);
}

const isNear = ({ now }: ClockInfo, nowMs: number) => Math.abs(Date.parse(now) - nowMs) < 300;
