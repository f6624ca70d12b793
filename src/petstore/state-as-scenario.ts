import type { ExportedState } from '../control-api/state-schema.js';
import { type ApiKey, refresh } from '../rate-limits/api-key.js';
import { windowAlgorithm } from '../rate-limits/window.js';
import type { ExportedKey, WindowState } from '../scenario/key-state-schema.js';
import { anyOperation } from '../scenario/operations.js';
import type { ResolvedScenario } from '../scenario/resolve-scenario.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { toApiKey } from '../scenario/to-api-key.js';
import { forDocumented, toWindowFields, type WindowFields, windowsOf } from '../values/window-fields.js';
import { defaultScenario } from './default-scenario.js';
import { type Pet, toStored } from './pet.js';
import { firstIdAfter } from './pet-store.js';
import type { GeneratePets } from './resolve-pets.js';
import { resolveScenario } from './scenario.js';

/**
 * Converts an exported state to a scenario that starts in this state: pets, keys, fault rules with counts, and the
 * clock.
 * @param generatePets function that creates the pets for the scenario field `pets.generate`; without the function, the
 * result lists all pets
 */
export function stateAsScenario(state: ExportedState, generatePets?: GeneratePets): Scenario {
  const { clock, nextId, keys, unlistedKeys, faults } = state;
  const { $schema: _, extends: __, state: ___, clock: before, ...scenario } = state.scenario;
  // Without the fault rules, which can have conditions of the user's own services.
  const known = { ...scenario, faults: [], ...(generatePets === undefined && { pets: [] }) };
  const resolved = resolveScenario(known, generatePets, undefined, anyOperation);
  return {
    ...scenario,
    clock: {
      start: new Date(clock.nowMs).toISOString(),
      mode: clock.frozen ? 'frozen' : 'real',
      ...(before?.speed !== undefined && { speed: before.speed }),
    },
    // Exports the settings `ids` and `pets` unchanged, if no generated pet has changed. Another `ids.start` would
    // change the ids of the generated pets.
    ...(isAsGenerated(resolved, state)
      ? { ids: scenario.ids, pets: scenario.pets }
      : { ids: { start: nextId }, pets: state.pets.map(scenarioPet) }),
    keys: Object.fromEntries(keys.map((key) => [key.key, scenarioKey(key, resolved, clock.nowMs)])),
    faults: faults.rules.map(({ rule }) => rule),
    state: {
      keys: Object.fromEntries(keys.map((key) => [key.key, keyState(key, resolved, clock.movedMs)])),
      ...(unlistedKeys.length > 0 && { unlistedKeys }),
      faults: {
        startMs: faults.startMs,
        counts: Object.fromEntries(
          faults.rules.flatMap(({ rule, seen, applied, failed }) =>
            seen === 0 ? [] : [[rule.name, { seen, applied, ...(failed.length > 0 && { failed }) }]],
          ),
        ),
      },
    },
  };
}

/** Whether an exported state has exactly the generated pets of its scenario, and the next id after them. */
const isAsGenerated = ({ pets, scenario, idStart }: ResolvedScenario, state: ExportedState): boolean =>
  !Array.isArray(scenario.pets) &&
  state.nextId === (idStart ?? firstIdAfter(pets.at(-1)?.id ?? 0)) &&
  pets.length === state.pets.length &&
  pets.every(({ json }, index) => json === toStored(state.pets[index] as Pet).json);

/** Converts a pet for a scenario. A missing status becomes `null`, because a scenario would fill in a default. */
const scenarioPet = ({ status, ...pet }: ExportedState['pets'][number]) => ({ ...pet, status: status ?? null });

/**
 * Converts an exported API key to a key in a scenario, with fields that a user can edit. The exact state of the key in
 * the scenario's field `state` takes precedence.
 */
function scenarioKey(exported: ExportedKey, resolved: ResolvedScenario, nowMs: number) {
  const key: ApiKey = toApiKey(exported, resolved, nowMs, [], []);
  refresh(key, windowAlgorithm(resolved.settings), nowMs);
  const { plan, state, expiresAtMs, bannedUntilMs, preset } = key;
  const usage =
    preset?.usage ?? Object.fromEntries(key.windows.map(({ name, limit, remaining }) => [name, limit - remaining]));
  const bannedForMs = preset?.bannedForMs ?? Math.max(0, bannedUntilMs - nowMs);
  return {
    plan,
    // Writes the state `active` only to override a key that the default scenario declares inactive.
    ...((state !== 'active' || isInactiveByDefault(exported.key)) && { state }),
    ...(Object.values(usage).some((used) => used > 0) && { usage }),
    ...(bannedForMs > 0 && { bannedFor: `${bannedForMs}ms` }),
    ...(expiresAtMs !== undefined && isDate(expiresAtMs) && { expiresAt: new Date(expiresAtMs).toISOString() }),
  };
}

const defaultKeys: Scenario['keys'] & {} = defaultScenario.keys;
const isInactiveByDefault = (key: string) => defaultKeys[key]?.state !== undefined;

const isDate = (ms: number) => Number.isInteger(ms) && ms < Date.UTC(10_000, 0);

/** Exact state of a key, without the fields that have their initial values. */
function keyState(key: ExportedKey, { background }: ResolvedScenario, movedMs: number) {
  const { key: text, plan: _, state: __, windows: ___, preset, backgroundSeconds, ...rest } = key;
  const { episodes, strikes, bans, bannedFromMs, bannedUntilMs, banCause, ...others } = rest;
  return {
    ...defined({ ...others, ...forDocumented(() => undefined) }),
    ...toWindowFields(usedWindows(key)),
    // Subtracts earlier clock moves from the key's `clockMovedMs`, because the exported scenario starts with an unmoved
    // clock.
    ...(preset && { preset: { ...preset, clockMovedMs: preset.clockMovedMs - movedMs } }),
    ...(episodes > 0 && { episodes }),
    ...(strikes > 0 && { strikes }),
    ...(bans > 0 && { bans, bannedFromMs, bannedUntilMs, banCause }),
    ...(background.has(text) && { backgroundSeconds }),
  };
}

const usedWindows = (fields: WindowFields<WindowState>) =>
  windowsOf(fields).flatMap(([name, state]) => (isUsed(state) ? [[name, windowState(state)] as const] : []));

const isUsed = ({ startSeconds, used, log }: WindowState) => startSeconds !== -1 || used > 0 || log.length > 0;

const windowState = ({ log, ...window }: WindowState) => ({ ...window, ...(log.length > 0 && { log }) });

const defined = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
