import type { ApiKey } from '../limits/api-key.js';
import { createWindow, type Window } from '../limits/window.js';
import { toFaultRule } from '../scenario/fault-schema.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Simulator, Snapshot } from '../simulator/simulator.js';
import { type Pet, toStored } from '../state/pet.js';
import { invalid } from './control-error.js';
import { type ExportedKey, type ExportedState, stateVersion } from './state-schema.js';

/** A snapshot as plain data that JSON can hold, int64 exact. */
export function exportState({ resolved, clock, pets, keys, faults }: Snapshot): ExportedState {
  const counts = new Map(faults.counts);
  return {
    version: stateVersion,
    scenario: structuredClone(resolved.scenario),
    clock,
    pets: pets.pets.map(exportPet),
    nextId: pets.nextId,
    keys: keys.keys.map(exportKey),
    unlistedKeys: keys.unlisted.map(exportKey),
    faults: {
      startMs: faults.startMs,
      rules: faults.rules.map(({ name, definition }) => {
        const { seen = 0, applied = 0, failed = [] } = counts.get(name) ?? {};
        return {
          rule: definition as ExportedState['faults']['rules'][number]['rule'],
          seen,
          applied,
          failed: [...failed],
        };
      }),
    },
  };
}

/**
 * The snapshot that an exported state was. Changes nothing.
 * @throws {ScenarioError} for its scenario, {ControlError} for what does not fit to it
 */
export function importState(sim: Simulator, state: ExportedState): Snapshot {
  const resolved = sim.check(state.scenario);
  refuseDuplicates(
    'pets',
    'id',
    state.pets.map(({ id }) => id),
  );
  refuseDuplicates(
    'keys',
    'key',
    [...state.keys, ...state.unlistedKeys].map(({ key }) => key),
  );
  refuseDuplicates(
    'faults.rules',
    'name',
    state.faults.rules.map(({ rule }) => rule.name),
  );
  const rules = state.faults.rules.map(({ rule }, index) => toFaultRule(rule, `fault-${index + 1}`));
  return {
    resolved,
    petsFrom: resolved,
    clock: state.clock,
    pets: { pets: state.pets.map(toStored), nextId: state.nextId },
    keys: {
      keys: state.keys.map((key) => importKey(key, resolved)),
      unlisted: state.unlistedKeys.map((key) => importKey(key, resolved)),
    },
    faults: {
      startMs: state.faults.startMs,
      rules,
      counts: rules.map(({ name }, index) => {
        const { seen, applied, failed } = state.faults.rules[index] as ExportedState['faults']['rules'][number];
        return [name, { seen, applied, failed: new Map(failed) }];
      }),
    },
  };
}

const exportPet = ({ id, name, categoryId, status, extra }: Pet) => ({
  id,
  name,
  categoryId,
  ...(status !== undefined && { status }),
  ...(extra !== undefined && { extra }),
});

const exportKey = (key: ApiKey): ExportedKey => ({
  ...key,
  minute: exportWindow(key.minute),
  day: exportWindow(key.day),
});

const exportWindow = ({ startSeconds, used, log, logStart }: Window) => ({
  startSeconds,
  used,
  log: log.slice(logStart),
});

function importKey(key: ExportedKey, { plans, windowSeconds }: ResolvedScenario): ApiKey {
  const limits = Object.hasOwn(plans, key.plan) ? plans[key.plan] : undefined;
  if (limits === undefined) {
    throw invalid(
      `keys: expected a plan of the scenario (${Object.keys(plans).join(', ')}), got ${JSON.stringify(key.plan)}`,
    );
  }
  const window = (name: 'minute' | 'day'): Window => ({
    ...createWindow(limits[name], windowSeconds[name]),
    ...key[name],
  });
  return {
    ...key,
    expiresAtMs: key.expiresAtMs,
    preset: key.preset,
    episode: key.episode,
    minute: window('minute'),
    day: window('day'),
  };
}

function refuseDuplicates(path: string, field: string, values: readonly unknown[]): void {
  const named = values.filter((value) => value !== undefined);
  if (new Set(named).size < named.length) throw invalid(`${path}: expected each ${field} once, got one twice`);
}
