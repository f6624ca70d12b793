import { exportFaults, exportKey } from '../control-api/export-state.js';
import { bytesOf, lengthOf } from '../journal/record-bytes.js';
import type { ApiKey } from '../rate-limits/api-key.js';
import { toPlainCall } from '../requests/plain-call.js';
import type { RequestRecord } from '../requests/request-record.js';
import type { SandboxState } from '../sandboxes/sandboxes.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { coreOf, type Simulator, type Snapshot } from '../simulator/simulator.js';
import { type MountedService, writeCopy } from '../simulator/simulator-state.js';
import type { DelayedRequest, RequestInProgress, RunningRequest } from '../simulator/to-record.js';
import { jsonText } from '../values/json.js';
import { toJsonCall, toJsonOutcome } from './command-json.js';
import type { JsonDelayed, JsonExchange, JsonRunning, Piece } from './piece.js';

/**
 * Approximate maximum size of one part of a snapshot, in bytes of JSON. A snapshot of the server's state is written as
 * many parts.
 */
const pieceBytes = 32 * 1024;

/**
 * Returns the number that identifies a scenario within a stored snapshot. Parts of the snapshot contain this number
 * instead of the scenario.
 */
export type NumberOf = (resolved: ResolvedScenario) => number;

/**
 * Captures the state of a simulator as a sequence of parts for a stored snapshot. Copies mutable state immediately.
 * Converts immutable state, such as journal records, only when the parts are written.
 */
export function captureSimulator(sim: Simulator, numberOf: NumberOf, sandbox?: SandboxState): Iterable<Piece> {
  const { state } = coreOf(sim);
  const { resolved, dataFrom, clock, services, keys, faults, journal, delayed, running } = state;
  const { lastId, pending, dropped, clearedId, outcomes } = journal;
  const changed = services.filter(({ data }) => !data?.isAtStart?.());
  const copies = Object.fromEntries(changed.map(({ service, data }) => [service.name, data?.capture()]));
  const data = dataPieces(changed, copies);
  const head: Piece = {
    kind: 'simulator',
    ...(sandbox && { sandbox: sandboxFields(sandbox) }),
    resolved: numberOf(resolved),
    petsFrom: numberOf(dataFrom),
    clock: { ...clock.anchor },
    changes: { ...sim.changes },
    faults: exportFaults(faults.state()),
    journal: { lastId, pending, dropped, clearedId, outcomes },
  };
  const keyState = keys.state();
  const { entries } = journal;
  const held = [...journal.held.values()];
  const waiting = delayed.map((request) => jsonDelayed(request, numberOf));
  const routes = [...running.values()].map((request) => jsonRunning(request, numberOf));
  const snapshots = [...sim.snapshots].map(([name, snapshot]) => captureSnapshot(name, snapshot, numberOf, services));
  function* pieces(): Generator<Piece> {
    yield head;
    yield* data;
    yield* keyPieces(keyState.keys, keyState.unlisted);
    for (const part of parts(entries, recordLength)) yield { kind: 'entries', entries: part };
    for (const part of parts(held, recordLength)) yield { kind: 'held', entries: part };
    for (const part of parts(waiting, delayedLength)) yield { kind: 'delayed', requests: part };
    for (const part of parts(routes, runningLength)) yield { kind: 'running', requests: part };
    for (const snapshot of snapshots) yield* snapshot;
  }
  return pieces();
}

const sandboxFields = ({ name, number, lastUsedMs, isRecreated }: SandboxState) => ({
  name,
  number,
  lastUsedMs,
  isRecreated,
});

function captureSnapshot(
  name: string,
  snapshot: Snapshot,
  numberOf: NumberOf,
  services: readonly MountedService[],
): Iterable<Piece> {
  const { resolved, dataFrom, clock, keys, faults } = snapshot;
  const head: Piece = {
    kind: 'snapshot',
    name,
    resolved: numberOf(resolved),
    petsFrom: numberOf(dataFrom),
    clock,
    faults: exportFaults(faults),
  };
  function* pieces(): Generator<Piece> {
    yield head;
    yield* dataPieces(services, snapshot.services);
    yield* keyPieces(keys.keys, keys.unlisted);
  }
  return pieces();
}

/**
 * Divides the data of all services, such as the pets of the Petstore, into parts of limited size for a stored snapshot.
 * @param copies data of each service at the time of the snapshot, by the service's name
 */
function* dataPieces(services: readonly MountedService[], copies: Snapshot['services']): Generator<Piece> {
  for (const mounted of services) {
    const { name } = mounted.service;
    if (!Object.hasOwn(copies, name)) continue;
    for (const part of parts(writeCopy(mounted, copies[name]), (value) => jsonText(value).length)) {
      yield { kind: 'data', service: name, values: part };
    }
  }
}

function* keyPieces(keys: readonly ApiKey[], unlisted: readonly ApiKey[]): Generator<Piece> {
  for (const part of parts(keys, keyLength)) yield { kind: 'keys', keys: part.map(exportKey) };
  for (const part of parts(unlisted, keyLength)) yield { kind: 'unlistedKeys', keys: part.map(exportKey) };
}

const keyLength = ({ key, windows }: ApiKey) =>
  windows.reduce((sum, { log }) => sum + 80 + 20 * log.length, 240 + key.length);
const recordLength = (record: RequestRecord) => 200 + bytesOf(record);
const runningLength = ({ exchange: { call } }: JsonRunning) => 1_000 + lengthOf(call.body);
const delayedLength = ({ exchange: { call }, first }: JsonDelayed) =>
  1_000 + lengthOf(first?.body) + lengthOf(call.body);

/** Groups items into parts of about `pieceBytes` each. */
export function* parts<Item>(items: Iterable<Item>, lengthOf: (item: Item) => number): Generator<Item[]> {
  let part: Item[] = [];
  let length = 0;
  for (const item of items) {
    part.push(item);
    length += lengthOf(item);
    if (length < pieceBytes) continue;
    yield part;
    part = [];
    length = 0;
  }
  if (part.length > 0) yield part;
}

const jsonDelayed = ({ dueMs, rule, first, exchange }: DelayedRequest, numberOf: NumberOf): JsonDelayed => ({
  dueMs,
  rule: rule.definition,
  ...(first && { first: toJsonOutcome(first) }),
  exchange: jsonExchange(exchange, numberOf),
});

const jsonRunning = ({ exchange, rule, ...rest }: RunningRequest, numberOf: NumberOf): JsonRunning => ({
  ...rest,
  ...(rule && { rule: rule.definition }),
  exchange: jsonExchange(exchange, numberOf),
});

function jsonExchange({ call, resolved, fault: _, ...rest }: RequestInProgress, numberOf: NumberOf): JsonExchange {
  return { ...rest, call: toJsonCall(toPlainCall(call, rest.sentKey, rest.keyPlace)), resolved: numberOf(resolved) };
}
