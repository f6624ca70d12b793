import { importFaults, importKey } from '../control-api/export-state.js';
import type { ExportedKey } from '../control-api/state-schema.js';
import type { FaultRule } from '../faults/fault-rule.js';
import type { RequestRecord } from '../requests/request-record.js';
import { checkWith, readFaultRule } from '../scenario/check-scenario.js';
import type { FaultSchema } from '../scenario/fault-schema.js';
import { apiKeySchema } from '../scenario/key-state-schema.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import { coreOf, type Simulator, type Snapshot } from '../simulator/simulator.js';
import { applyScenario, type MountedService, readCopy } from '../simulator/simulator-state.js';
import type { RequestInProgress, RunningRequest } from '../simulator/to-record.js';
import type { JsonValue } from '../values/json.js';
import { fromJsonCall, fromJsonOutcome } from './command-json.js';
import type { JsonDelayed, JsonExchange, JsonRunning, SimulatorPiece, SnapshotPiece } from './piece.js';

/** State of a simulator, or of a named snapshot, as read from the server's log. */
export interface StateParts<Head> {
  readonly head: Head;
  /** Data of each API that the simulator serves, such as its pets, as JSON values by API name. */
  readonly data: Map<string, JsonValue[]>;
  readonly keys: ExportedKey[];
  readonly unlistedKeys: ExportedKey[];
}

/**
 * State of a simulator as read from a snapshot in the log, including its journal, delayed requests and named snapshots.
 */
export interface SimulatorParts extends StateParts<SimulatorPiece> {
  readonly entries: RequestRecord[];
  readonly held: RequestRecord[];
  readonly delayed: JsonDelayed[];
  readonly running: JsonRunning[];
  readonly snapshots: StateParts<SnapshotPiece>[];
}

export type ScenarioOf = (number: number) => ResolvedScenario;

/**
 * Restores a simulator's state from the parts of a snapshot.
 * @param sim simulator that was started with the scenario whose number is `petsFrom`
 * @param scenarioOf returns a scenario of the snapshot by its number
 */
export function restoreSimulator(sim: Simulator, parts: SimulatorParts, scenarioOf: ScenarioOf): void {
  const { main, state } = coreOf(sim);
  const { faultSchema } = main.rules;
  const { head } = parts;
  const resolved = scenarioOf(head.resolved);
  if (state.resolved !== resolved) applyScenario(state, resolved, false);
  state.keys.restore(keyState(parts, resolved));
  state.faults.restore(importFaults(head.faults, faultSchema));
  const copies = readServiceCopies(parts, state.services);
  for (const { service, data } of state.services) {
    if (Object.hasOwn(copies, service.name)) data?.restore(copies[service.name]);
  }
  Object.assign(state.clock.anchor, head.clock);
  Object.assign(sim.changes, head.changes);
  restoreJournal(sim, parts);
  state.delayed.push(...parts.delayed.map((request) => delayedRequest(request, scenarioOf, faultSchema)));
  for (const request of parts.running) {
    const running = runningRequest(request, scenarioOf, faultSchema);
    state.running.set(running.exchange.id, running);
  }
  for (const each of parts.snapshots)
    sim.snapshots.set(each.head.name, namedSnapshot(each, scenarioOf, state.services, faultSchema));
}

function restoreJournal(sim: Simulator, { head, entries, held }: SimulatorParts): void {
  const { journal } = coreOf(sim).state;
  const { pending, dropped, clearedId, ...numbers } = head.journal;
  for (const entry of entries) journal.add(entry);
  Object.assign(journal, { ...numbers, pending, dropped, clearedId });
  for (const entry of held) journal.hold(entry);
}

const keyState = (
  { keys, unlistedKeys, head }: StateParts<SimulatorPiece | SnapshotPiece>,
  resolved: ResolvedScenario,
) => {
  const nowMs = 'anchorMs' in head.clock ? head.clock.anchorMs : head.clock.nowMs;
  const read = (name: string) => (key: ExportedKey, index: number) =>
    importKey(checkWith(apiKeySchema, key, `snapshot, ${name}[${index}]`), `${name}[${index}]`, resolved, nowMs);
  return { keys: keys.map(read('keys')), unlisted: unlistedKeys.map(read('unlistedKeys')) };
};

/**
 * Reads the data of the simulated APIs, such as the Petstore's pets, from a stored simulator state. Returns the data by
 * API name, without APIs for which the state has no data.
 */
const readServiceCopies = ({ data: values }: Pick<StateParts<unknown>, 'data'>, services: readonly MountedService[]) =>
  Object.fromEntries(
    services.flatMap((mounted) => {
      const { name } = mounted.service;
      const own = values.get(name);
      return own === undefined ? [] : [[name, readCopy(mounted, own)]];
    }),
  );

function namedSnapshot(
  parts: StateParts<SnapshotPiece>,
  scenarioOf: ScenarioOf,
  services: readonly MountedService[],
  faultSchema: FaultSchema,
): Snapshot {
  const { head } = parts;
  const resolved = scenarioOf(head.resolved);
  return {
    resolved,
    dataFrom: scenarioOf(head.petsFrom),
    clock: head.clock,
    services: readServiceCopies(parts, services),
    keys: keyState(parts, resolved),
    faults: importFaults(head.faults, faultSchema),
  };
}

function delayedRequest(
  { dueMs, rule: definition, first, exchange }: JsonDelayed,
  scenarioOf: ScenarioOf,
  faultSchema: FaultSchema,
) {
  const rule = readFaultRule(definition, faultSchema, '');
  return { dueMs, rule, first: first && fromJsonOutcome(first), exchange: inProgress(exchange, rule, scenarioOf) };
}

function runningRequest(
  { rule: definition, exchange, ...rest }: JsonRunning,
  scenarioOf: ScenarioOf,
  faultSchema: FaultSchema,
): RunningRequest {
  const rule = definition && readFaultRule(definition, faultSchema, '');
  return { ...rest, rule, exchange: inProgress(exchange, rule, scenarioOf) };
}

function inProgress(exchange: JsonExchange, fault: FaultRule | undefined, scenarioOf: ScenarioOf): RequestInProgress {
  return {
    ...exchange,
    cost: exchange.cost,
    rate: exchange.rate,
    refusal: exchange.refusal,
    fault,
    storedId: exchange.storedId,
    key: exchange.key,
    plan: exchange.plan,
    call: fromJsonCall(exchange.call),
    resolved: scenarioOf(exchange.resolved),
  };
}
