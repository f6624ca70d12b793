import type { RequestRecord } from '../requests/request-record.js';
import { clientOf } from '../scenario/client.js';
import type { Scenario } from '../scenario/scenario-schema.js';
import { listGroups } from '../values/group-by.js';

/**
 * A client that has used up its day should give up. Only a run of more than a minute shows whether it does, because
 * many clients wait a minute for any 429.
 */
export const dayStart: Scenario = { keys: { 'free-key': { usage: { day: 'all' } } } };

/**
 * Length of a key's minute window in scenarios that do not set this length. Shorter than a minute, because the client
 * under test waits in real time.
 */
const shortMinute = '5s';

/** Shortens the minute window of a scenario that does not set its length. */
export const withShortMinute = (scenario: Scenario): Scenario =>
  scenario.windows?.minute === undefined
    ? { ...scenario, windows: { minute: shortMinute, ...scenario.windows } }
    : scenario;

/** Changes a scenario's field `expect` so that a client may give up if it reports the failure. */
function allowGivingUp({ served, fail = [] }: NonNullable<Scenario['expect']>): NonNullable<Scenario['expect']> {
  return { fail: served ? [...new Set([...fail, 'gave-up' as const, 'lost-write' as const])] : fail };
}

/**
 * Names of the shipped scenarios that the bug search of `hunt` tries first, because together they exercise most judge
 * rules.
 */
const firstScenarios = [
  'minute-wall',
  'http-date',
  'post-stored-answer-lost',
  'post-429',
  'retry-after-clamped',
  'revoked-mid-run',
  'sit-out-the-ban',
  'ban-as-403',
  'thundering-herd',
  'stubborn-429',
  'fractional',
  'missing',
  '429-with-remaining',
  'timer-overflow',
  'flaky-5xx',
  'clock-skew',
  'malformed',
  'post-ambiguous',
  'reset-as-delta',
  'epoch-in-retry-after',
  'hang',
];

/**
 * Tracks which fields of a scenario's `client` (operation, number of calls, concurrent calls) the command `hunt` varies
 * when it searches for scenarios that break the tested client. Removes a field once a run shows that the client ignores
 * the field.
 */
export function createFieldTracker() {
  const fields = new Set(['operation', 'calls', 'parallel']);
  return {
    fields: () => [...fields],
    learn({ client = {} }: Scenario, entries: readonly RequestRecord[]) {
      if (entries.length === 0) return;
      if (client.operation === 'createPet' && entries.every(({ method }) => method !== 'POST'))
        fields.delete('operation');
      // If all requests used one connection, the client sent no concurrent requests, and so ignored the scenario's
      // `client.parallel`.
      const isSequential = new Set(entries.map(({ connection }) => connection)).size === 1;
      if ((client.parallel ?? 1) > 1 && isSequential) fields.delete('parallel');
    },
  };
}

/** Scenarios with which a hunt begins, besides the shipped ones. They test behavior that no shipped scenario tests. */
const otherStarts: readonly Scenario[] = [
  { keys: { 'free-key': { usage: { minute: 'all' } } }, expect: { fail: ['gave-up', 'lost-write'] } },
  { faults: [{ then: { respond: { status: 503, headers: { 'Retry-After': '2' } }, failTimes: 2 } }] },
  { client: { operation: 'createPet' }, faults: [{ when: { nth: 1 }, then: { malformed: true } }] },
  { client: { operation: 'createPet' }, ids: { start: '9007199254740993' } },
  // Fails a client whose concurrent callers do not share the wait after a 429. The delay of 2 s is necessary, because
  // the judge allows other callers' requests within one second after a 429.
  {
    windows: { minute: '8s' },
    keys: { 'free-key': { usage: { minute: 'all but 2' } } },
    client: { calls: 10, parallel: 5 },
    faults: [{ then: { delay: '2s' } }],
    expect: { fail: ['no-shared-gate'] },
  },
];

/**
 * Lists the scenarios with which the bug search of `hunt` begins: a fixed selection, then other shipped scenarios. Those
 * made from a shipped scenario have its name.
 */
export function initialScenarios(
  shipped: Readonly<Record<string, Scenario>>,
): (readonly [name: string | undefined, scenario: Scenario])[] {
  const all = Object.keys(shipped).filter((name) => shipped[name]?.expect !== undefined);
  const others = all.filter((name) => !firstScenarios.includes(name));
  const groups = listGroups(others, (name) => shipped[name]?.group);
  const rounds = Math.max(...groups.map(({ length }) => length));
  const inTurn = Array.from({ length: rounds }, (_, round) => groups.flatMap((group) => group[round] ?? [])).flat();
  // The bug search `hunt` changes a shipped scenario at random, so the scenario's name and description would be wrong.
  const started = (name: string): Scenario => {
    const { name: _, description, group, $schema, expect, ...fields } = shipped[name] ?? {};
    return { ...withoutRedundantFields(fields), ...(expect && { expect: allowGivingUp(expect) }) };
  };
  return [
    ...[dayStart, ...otherStarts].map((scenario) => [undefined, withShortMinute(scenario)] as const),
    ...[...firstScenarios, ...inTurn].map((name) => [name, withShortMinute(started(name))] as const),
  ];
}

/** Removes redundant fields from a scenario: the names of fault rules, and a default API key. */
function withoutRedundantFields({ client: { key, ...client } = {}, faults, ...fields }: Scenario): Scenario {
  const isDefault = key === clientOf(fields).key;
  const asked = isDefault ? client : { key, ...client };
  return {
    ...fields,
    ...(faults && { faults: faults.map(({ name, ...rule }) => rule) }),
    ...(Object.keys(asked).length > 0 && { client: asked }),
  };
}
