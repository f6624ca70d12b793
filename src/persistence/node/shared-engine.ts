import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import { version } from '../../control-api/run-report.js';
import { createServedSimulators } from '../../control-api/served-simulators.js';
import type { ResolvedScenario } from '../../scenario/resolve-scenario.js';
import type { Scenario } from '../../scenario/scenario-schema.js';
import type { Address } from '../../server/front.js';
import type { Engine, OpenedState, SharedHost } from '../../server/serve-state.js';
import type { ListenOptions } from '../../server/server.js';
import { coreOf } from '../../simulator/simulator.js';
import { fingerprint } from '../../values/fingerprint.js';
import { jsonText } from '../../values/json.js';
import { captureMachine } from '../capture-machine.js';
import type { Command } from '../command.js';
import { toJsonCommand } from '../command-json.js';
import { LogOpenError, LogUnavailableError } from '../log.js';
import type { LogTimeOptions } from '../log-time.js';
import { readMachine } from '../read-machine.js';
import { type MachineOptions, startMachine } from '../start-machine.js';
import type { StateMachine } from '../state-machine.js';
import { endProcess } from './folder/end-process.js';
import { type LoggedState, loggedState } from './logged-state.js';
import { scenarioChanged } from './read-state.js';
import type { RedisAddress } from './redis/address.js';
import { StoreRefusedError, StoreUnavailableError } from './redis/connection.js';
import { createLease, type Lease, maximumSilenceMs } from './redis/lease.js';
import { createLink, type Link } from './redis/link.js';
import { createRedisLog, type RedisLog, readLog, remedies } from './redis/redis-log.js';
import { openStore, type Store, type StoreStatus, storeFormat, type TurnReply } from './redis/store.js';

export interface SharedOptions extends Omit<MachineOptions, keyof LogTimeOptions> {
  readonly address: RedisAddress;
  readonly resolved: ResolvedScenario;
  /** Name of the scenario, or of its file without the folder. */
  readonly scenarioName: string;
  /** Whether to delete the existing log first. Default false. */
  readonly reset?: boolean | undefined;
  /** Address at which the other servers reach this one, `HOST:PORT`. Default: the host and port of the server. */
  readonly advertise?: string | undefined;
  /** Called with the reason, as a sentence, if this server cannot continue. Default: ends the process with code 1. */
  readonly onFatal?: (sentence: string) => void;
  /** Called with events that the operator should see. Default: writes to standard error. */
  readonly onNotice?: (sentence: string) => void;
  /** Minimum size of the entries, in characters, at which a snapshot replaces them. Default: 16 × 1024 × 1024. */
  readonly minimumLogCharacters?: number | undefined;
}

/** State of a server that shares its simulator with others by a log in a Redis store. */
export interface SharedState extends OpenedState, Pick<LoggedState, 'load' | 'notices'> {
  /** Description of this server's part, for the operator: `active server of redis://...`. */
  readonly role: string;
}

/** Interval at which a standby reads the log's state, and the shorter one after its link has ended. */
const pollMs = 250;
const quickPollMs = 50;
/** Time without a lease after which a standby takes over, although the active server may only be slow. */
const patienceMs = 2_000;
/** Time after which a server starts without a connection to the active one. */
const startMs = 5_000;

/** A turn of this server as the active one. */
interface Turn {
  readonly fence: string;
  readonly lease: Lease;
  log?: RedisLog;
  machine?: StateMachine;
  /** Set when the state is restored. */
  state?: LoggedState;
  /** Resolves when the turn has ended. Nothing may wait for an append without it. */
  readonly over: Promise<void>;
  end(reason: Exclude<TurnReply, 'stored'> | 'silent'): void;
}

/**
 * Creates an engine whose state several servers share. One of them is active: it restores the state from the log in the
 * store, and serves all connections. The others pass theirs on to it, and one of them continues after its end. `open`
 * rejects with a `LogOpenError` for an unusable store or log.
 * @throws {LogOpenError} for a malformed address to advertise
 */
export function sharedEngine(options: SharedOptions): Engine<SharedState> {
  const { advertise } = options;
  if (advertise !== undefined && parseAddress(advertise) === undefined)
    throw new LogOpenError(
      `expected an address of this server to advertise, such as 10.0.0.7:4010, got ${JSON.stringify(advertise)}`,
    );
  return {
    isShared: true,
    async open(host) {
      const store = await openStore(options.address).catch(asOpenError);
      try {
        return await openShared(options, host as SharedHost, store);
      } catch (error) {
        store.end();
        return asOpenError(error);
      }
    },
  };
}

async function openShared(options: SharedOptions, host: SharedHost, store: Store): Promise<SharedState> {
  const { address, resolved, scenarioName, minimumLogCharacters = 16 * 1024 * 1024, onFatal = endProcess } = options;
  const { onNotice = (sentence) => process.stderr.write(`petstore-sim: ${sentence}\n`) } = options;
  const { port } = host;
  const owner = ownAddress(options, host, store);
  const notices = await store.warnings();
  const settings = settingsHash(host.options);
  let contentHash = fingerprint(jsonText(resolved.scenario));
  const configuration = () => fingerprint(`${contentHash} ${settings}`);
  /** Simulator that represents the scenario while this server is not active. */
  const idle = startMachine(resolved, Date.now(), options);
  await host.mount(idle.sim);
  const idleSimulators = createServedSimulators(idle.sim, idle.sandboxes, async () => options.service);

  let turn: Turn | undefined;
  let link: Link | undefined;
  /** State of the log when it was read last, and its owner. */
  let logId: string | undefined;
  let activeOwner = '';
  /** Fence of this server's last turn, which no other process can have continued. */
  let ownFence: string | undefined;
  /** Position up to which this server has appended entries. */
  let knownEnd = 0;
  let withoutLeaseSinceMs: number | undefined;
  let isStarted = false;
  let isStopping = false;
  let isOver = false;
  let wake = () => {};

  if (options.reset) {
    const user = await store.remove();
    if (user !== null) {
      throw new LogOpenError(
        `expected no active server of ${address.shown} before a reset, got ${user}; stop all servers first, or if it was killed, try again in 2 seconds`,
      );
    }
  }

  /** Waits for the next look at the store, or for a change of the link or the turn. */
  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, link?.wasUp && !link.isUp ? quickPollMs : pollMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  function end(sentence: string): void {
    isOver = true;
    link?.close();
    port.reset();
    onFatal(sentence);
  }

  /** Reads the state of the log, and takes over if no server is active. */
  async function look(): Promise<void> {
    const status = await readStatus();
    if (status === undefined || isOver) return;
    const { fence, hasLease } = status;
    withoutLeaseSinceMs = hasLease || fence === '' ? undefined : (withoutLeaseSinceMs ?? performance.now());
    if (isLeft(status)) return takeOver(status, true);
    if (link?.fence !== fence) follow(status);
    if (link?.isDead) return takeOver(status, true);
    link?.open();
    const isPatient = performance.now() - (withoutLeaseSinceMs ?? Number.POSITIVE_INFINITY) >= patienceMs;
    if (isPatient) await takeOver(status, false);
  }

  /**
   * Whether nobody has the current turn: it ended in order, it was this server's, or at the start, that of a killed
   * server with this one's address.
   */
  const isLeft = ({ fence, owner: last }: StoreStatus) =>
    fence === '' || fence === ownFence || (!isStarted && last === owner);

  async function readStatus(): Promise<StoreStatus | undefined> {
    let status = await store.status();
    if (logId !== undefined && (typeof status !== 'object' || status.id !== logId)) {
      end(
        `Failed to continue: expected the log ${address.name} to be in ${address.shown}, got ${typeof status === 'object' ? 'another log' : 'none'}: the store has lost it; restore its data, or start all servers again with a new log`,
      );
      return undefined;
    }
    if (status === undefined) {
      await store.create({ id: randomUUID(), scenario: scenarioName });
      status = await store.status();
    }
    if (typeof status !== 'object') throw noLog(store, status);
    checkIdentity(status);
    logId = status.id;
    activeOwner = status.owner;
    return status;
  }

  /** @throws {LogOpenError} if this server cannot take the place of those that use the log */
  function checkIdentity(status: StoreStatus): void {
    if (isStarted) return;
    const { format, scenario, hasLease } = status;
    if (format !== storeFormat) {
      throw new LogOpenError(
        `expected a log of format ${storeFormat}, got format ${format}; use the version of petstore-sim that wrote it, another name, or start a new log with --data-reset`,
      );
    }
    if (scenario !== scenarioName) {
      throw new LogOpenError(
        `expected ${address.shown} to contain the scenario ${scenarioName}, got ${scenario}; start with ${scenario}, use another name, or start a new log with --data-reset`,
      );
    }
    if (hasLease && !isLeft(status) && status.configuration !== configuration()) {
      throw new LogOpenError(
        `expected the scenario's content, flags and handlers of the active server ${status.owner}, got others; start all servers with the same, or stop the others first`,
      );
    }
  }

  /** Begins to pass connections on to the active server, as soon as it responds with its fence. */
  function follow({ fence, owner: active }: StoreStatus): void {
    link?.close();
    port.reset();
    const to = parseAddress(active) as Address;
    link = createLink(to, fence, () => {
      port.passTo(link?.isUp ? to : undefined);
      wake();
    });
  }

  async function takeOver({ fence: before }: StoreStatus, isGone: boolean): Promise<void> {
    const fence = randomUUID();
    const takenMs = performance.now();
    const sinceMs = Math.round(await store.time());
    const isTaken = await store.take({ fence, before, isGone, owner, configuration: configuration(), sinceMs });
    if (!isTaken) return wake();
    link?.close();
    link = undefined;
    withoutLeaseSinceMs = undefined;
    ownFence = fence;
    activeOwner = owner;
    port.reset();
    const begun = beginTurn(fence, takenMs);
    turn = begun;
    try {
      await Promise.race([serve(begun, sinceMs), begun.over]);
    } catch (error) {
      begun.lease.stop();
      turn = undefined;
      await store.release(fence);
      throw error;
    }
  }

  function beginTurn(fence: string, takenMs: number): Turn {
    let resolveOver = () => {};
    const over = new Promise<void>((resolve) => {
      resolveOver = resolve;
    });
    const begun: Turn = {
      fence,
      over,
      lease: createLease({
        ...{ store, fence, takenMs, configuration },
        onLost: (reason) => begun.end(reason),
        onOutage: () =>
          onNotice(
            `The store ${address.shown} is unreachable: requests wait up to ${maximumSilenceMs / 1_000} s for it.`,
          ),
        onRecovery: (outageMs) =>
          onNotice(`The store ${address.shown} is back after ${(outageMs / 1_000).toFixed(1)} s.`),
      }),
      end(reason) {
        if (turn !== begun) return;
        turn = undefined;
        begun.lease.stop();
        begun.log?.stop();
        begun.state?.sequencer.stop();
        if (begun.machine) abandonRequests(begun.machine);
        knownEnd = begun.log?.position ?? knownEnd;
        if (!isOver) port.reset();
        onNotice(endings[reason]);
        resolveOver();
        wake();
      },
    };
    return begun;
  }

  /** Restores the state from the log, and serves it. */
  async function serve(begun: Turn, sinceMs: number): Promise<void> {
    const { fence, lease } = begun;
    const from = (await store.status()) as StoreStatus;
    if (from.end < knownEnd) note(`The store lost entries after ${from.end} of ${knownEnd}.`);
    const log = createRedisLog({
      ...{ store, fence, lease, from, minimumLogCharacters },
      onLost: (reason) => begun.end(reason),
    });
    begun.log = log;
    const offsetMs = (await store.time()) - performance.now();
    const machineOptions: MachineOptions = { ...options, readMs: () => offsetMs + performance.now() };
    const { machine: found, difference } = await readMachine(readLog(store, from), machineOptions, resolved);
    if (difference !== undefined) {
      const { position, version: writtenBy } = difference;
      if (writtenBy !== version) {
        throw new LogOpenError(
          `expected the response of petstore-sim ${writtenBy} to entry ${position}, got another; start that version, and stop it with SIGTERM, so that a new version continues from its snapshot`,
        );
      }
      note(`Entry ${position} has a different response than before; this is a bug in the simulator.`);
    }
    const machine = found ?? startMachine(resolved, Math.floor(machineOptions.readMs?.() as number), machineOptions);
    const routes = await host.mount(machine.sim);
    if (turn !== begun) return;
    begun.machine = machine;
    const run = async (command: Command) => {
      const atMs = Math.floor(machine.time.liveMs());
      machine.apply(await log.append({ atMs, commands: [toJsonCommand(command)] }), [command]);
    };
    if (found === undefined) {
      await run({ kind: 'begin', scenario: resolved.scenario, hash: contentHash });
    } else {
      await run({ kind: 'started' });
      // Later turns continue with the content that the log has, which may have changed since this server's start.
      if (!isStarted && machine.state.scenarioHash !== contentHash) {
        await run({ kind: 'scenario', scenario: resolved.scenario, hash: contentHash });
        notices.push(scenarioChanged(scenarioName));
      }
    }
    const state = loggedState(machine, log, {
      notices,
      health: () => ({
        engine: 'redis',
        name: address.name,
        active: owner,
        activeSinceMs: sinceMs,
        silentMs: lease.silentMs,
      }),
    });
    begun.state = state;
    port.serve(state.simulators, routes, fence);
    if (isStarted) onNotice(`This server is active now, at entry ${log.position}.`);
  }

  function note(sentence: string): void {
    notices.push(sentence);
    if (isStarted) onNotice(sentence);
  }

  /** Looks at the store until this server ends. */
  async function watch(): Promise<void> {
    let reported = '';
    while (!isOver) {
      await pause();
      if (turn !== undefined || isStopping || isOver) continue;
      try {
        await look();
      } catch (error) {
        if (isOver || error instanceof StoreUnavailableError) continue;
        if (!isRefusal(error)) {
          end(error instanceof LogOpenError ? `Failed to continue: ${error.message}` : String((error as Error).stack));
        } else if (error.message !== reported) {
          reported = error.message;
          onNotice(reported);
        }
      }
    }
  }

  const untilMs = performance.now() + startMs;
  for (;;) {
    await look();
    if (isOver) throw new LogOpenError(`expected the log ${address.name} to stay in ${address.shown}, got another`);
    if (turn?.state !== undefined || link?.isUp) break;
    if (performance.now() > untilMs && withoutLeaseSinceMs === undefined) {
      onNotice(
        `The active server is not reachable at ${activeOwner}; if its address differs, start it with --advertise HOST:PORT.`,
      );
      break;
    }
    await pause();
  }
  isStarted = true;
  void watch();

  return {
    notices,
    get simulators() {
      return turn?.state?.simulators ?? idleSimulators;
    },
    get role() {
      return turn === undefined
        ? `standby of ${address.shown}, active is ${activeOwner}`
        : `active server of ${address.shown}, at entry ${turn.log?.position}`;
    },
    async load(scenario: Scenario, how) {
      const { scenario: complete } = idle.sim.check(scenario);
      contentHash = fingerprint(jsonText(complete));
      await turn?.state?.load(scenario, how);
    },
    stop() {
      isStopping = true;
    },
    async close() {
      isOver = true;
      wake();
      link?.close();
      if (turn !== undefined) await Promise.race([finish(turn), turn.over]);
      turn?.lease.stop();
      store.end();
    },
  };

  /** Ends a turn in order: stores a snapshot, with which another version can continue as well. */
  async function finish({ fence, log, machine, state }: Turn): Promise<void> {
    if (state !== undefined && log !== undefined && machine !== undefined) {
      await state.sequencer.close();
      if (log.position > log.snapshotPosition) {
        await log.writeSnapshot(log.position, captureMachine(machine)).catch(() => {});
      }
    }
    await store.release(fence);
  }
}

/** Sentences about the end of a turn. */
const endings = {
  fenced: 'Another server is active now; this one resets its connections and stands by.',
  none: 'The store has lost the log; this server resets its connections.',
  gap: 'The store has lost entries; this server resets its connections and reads the log again.',
  silent: `The store has not responded for ${maximumSilenceMs / 1_000} s; this server resets its connections, whose requests have taken effect or not.`,
};

/** Whether the store refused a command, directly or in an append. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof StoreRefusedError || error instanceof LogUnavailableError;

/** Converts the store's refusal of a command at the start. */
function asOpenError(error: unknown): never {
  throw isRefusal(error) ? new LogOpenError(error.message) : error;
}

const noLog = ({ meta }: Store, found: string | undefined) =>
  new LogOpenError(
    found === 'earlier format'
      ? 'expected a log of this version, got one of an earlier format; use another name, or start a new log with --data-reset'
      : `expected the key ${meta} in addition to the entries, got none: the store has lost it; ${remedies}`,
  );

/**
 * Ends all delayed requests of a turn that is lost. Their clients have lost their connections, and another server
 * continues without them.
 */
function abandonRequests({ sim, sandboxes }: StateMachine): void {
  for (const each of [sim, ...sandboxes.sims()]) coreOf(each).state.clock.scheduledWork?.giveUp();
}

/**
 * Hash of the options that decide how a server responds, apart from its scenario. All servers of a log need the same,
 * because any of them may become the active one.
 */
function settingsHash({ port: _, host: __, onAnswer: ___, handlers = [], ...options }: ListenOptions): string {
  // A handler's `info` also has its place in a file, which may differ between machines.
  const sources =
    typeof handlers === 'function'
      ? handlers
      : handlers.map((each) => [(each.info as { header?: unknown }).header, (each as { resolver?: unknown }).resolver]);
  const asText = (_name: string, value: unknown) => (typeof value === 'function' ? String(value) : value);
  return fingerprint(JSON.stringify([options, sources], asText));
}

/** @returns `undefined` for another form than `HOST:PORT` */
function parseAddress(text: string): Address | undefined {
  const [, host = '', port] = /^(\[[0-9a-fA-F:.]+\]|[^:/\s[\]]+):(\d{1,5})$/.exec(text) ?? [];
  return port === undefined || Number(port) > 65_535 || port === '0'
    ? undefined
    : { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

/** Returns the address at which other servers reach this one. */
function ownAddress({ advertise }: SharedOptions, { port, options }: SharedHost, store: Store): string {
  if (advertise !== undefined) return advertise;
  const { host = 'localhost' } = options;
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const own = (isEverywhere ? store.connection.localAddress : undefined) ?? (host === 'localhost' ? '127.0.0.1' : host);
  return `${isIP(own) === 6 ? `[${own}]` : own}:${port.port}`;
}
