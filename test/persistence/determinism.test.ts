import { describe, expect, test } from 'vitest';
import { generatePets } from '../../src/entries/seed.js';
import { captureMachine } from '../../src/persistence/capture-machine.js';
import type { Command } from '../../src/persistence/command.js';
import { toJsonCommand } from '../../src/persistence/command-json.js';
import type { LogEntry } from '../../src/persistence/log.js';
import { type MachineOptions, restoreMachine, startMachine } from '../../src/persistence/start-machine.js';
import type { StateMachine } from '../../src/persistence/state-machine.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { controlOperations, sandboxOperations, servedPetstore } from '../../src/petstore/served-petstore.js';
import { jsonText, parseJson } from '../../src/values/json.js';
import { digestOf } from '../support/digest.js';
import { noon } from '../support/frozen.js';
import { seed, tries } from '../support/prove.js';
import { createRandom } from '../support/random.js';
import { controlInputs, lastCommands, randomCommand, randomScenario } from './random-commands.js';

const errors: unknown[] = [];
const options: MachineOptions = {
  service: servedPetstore,
  generatePets,
  onError: (error) => errors.push(error),
  onWarning: () => {},
  sandboxes: { idleMs: 600_000, limit: 3 },
};

/** Converts a value to JSON and back, like a log, with all digits. */
const throughJson = <Value>(value: Value): Value => parseJson(jsonText(value)) as Value;

const journalsOf = ({ sim, sandboxes }: StateMachine) =>
  [['', sim] as const, ...sandboxes.state().sandboxes.map(({ name, sim }) => [name, sim] as const)].map(
    ([name, { journal }]) => `${name} ${jsonText(journal.query())}`,
  );

/** Everything that can be compared about a server after an entry. */
const seen = (machine: StateMachine): string[] => [
  ...[...captureMachine(machine)].map(jsonText),
  jsonText(machine.judge()),
  ...journalsOf(machine),
  digestOf(captureMachine(machine)),
];

/** Byte for byte; of long texts, what stands at the first difference. */
function expectSame(found: readonly string[], expected: readonly string[], what: string): void {
  const line = expected.findIndex((text, index) => text !== found[index]);
  if (line < 0 && found.length === expected.length) return;
  const [is = '', should = ''] = [found[line], expected[line]];
  const at = Math.max(0, [...should].findIndex((char, index) => char !== is[index]) - 100);
  expect.fail(
    `${what}: part ${line} of ${expected.length}, at ${at}\n  ${is.slice(at, at + 300)}\ninstead of\n  ${should.slice(at, at + 300)}`,
  );
}

function applyAll(machine: StateMachine, entries: readonly LogEntry[]): string[] {
  return entries.map((entry) => {
    const { results, hash } = machine.apply(entry);
    return `${hash} ${results.map((result) => ('error' in result ? String(result.error) : 'done')).join()}`;
  });
}

describe('a replay', () => {
  test('log replay', async () => {
    const logs = tries(60, 10_000);
    const kinds: Record<string, number> = {};
    for (let number = 0; number < logs; number++) {
      // A weak reference, as journals have to each other, is strong until a turn of the event loop ends.
      await new Promise((resolve) => setImmediate(resolve));
      const random = createRandom(seed * 1_000_003 + number);
      const scenario = randomScenario(random, number);
      const startMs = Date.parse(noon) + random.below(5_000);
      const length = 10 + random.below(50);
      const middle = random.below(length);
      const what = `log ${number} of seed ${seed}`;

      const machine = startMachine(resolveScenario(scenario, generatePets), startMs, options);
      const entries: LogEntry[] = [];
      const hashes: string[] = [];
      let snapshot: unknown[] = [];
      for (let atMs = startMs, sequence = 1; sequence <= length; sequence++) {
        atMs += random.pick([0, 0, 1, 20, 300, 2_000, random.chance(0.1) ? 120_000 : 500]);
        const commands: Command[] =
          sequence === 1
            ? [{ kind: 'begin', scenario, hash: 'first' }]
            : sequence === length
              ? lastCommands(machine)
              : Array.from({ length: random.chance(0.2) ? 3 : 1 }, () => randomCommand(random, machine));
        for (const { kind } of commands) kinds[kind] = (kinds[kind] ?? 0) + 1;
        const entry = throughJson<LogEntry>({
          position: sequence,
          atMs,
          commands: commands.map(toJsonCommand),
        });
        entries.push(entry);
        hashes.push(...applyAll(machine, [entry]));
        if (sequence === middle) snapshot = throughJson([...captureMachine(machine)]);
      }
      const expected = seen(machine);

      const replayed = startMachine(resolveScenario(scenario, generatePets), entries[0]?.atMs ?? 0, options);
      expectSame(applyAll(replayed, entries), hashes, what);
      expectSame(seen(replayed), expected, what);

      if (middle === 0) continue;
      const restored = await restoreMachine(snapshot, options);
      expectSame([...captureMachine(restored)].map(jsonText), snapshot.map(jsonText), `${what}, the snapshot`);
      expectSame(applyAll(restored, entries.slice(middle)), hashes.slice(middle), `${what}, answers from ${middle}`);
      expectSame(seen(restored), expected, `${what}, state from ${middle}`);
    }
    expect(errors).toEqual([]);
    // Every kind occurs, so that the logs cover all commands.
    expect(Object.keys(kinds).sort()).toEqual(
      [
        'begin',
        'request',
        'sent',
        'left',
        'control',
        'scenario',
        'touch',
        'alignClock',
        'runEnded',
        'started',
        'tick',
      ].sort(),
    );
  }, 3_600_000);

  test('covers every control operation that changes something', () => {
    const changing = Object.entries({ ...controlOperations, ...sandboxOperations })
      .filter(([, { method, isRead }]) => method !== 'GET' && !isRead)
      .map(([name]) => name);
    expect(Object.keys(controlInputs).sort()).toEqual(changing.sort());
  });
});

test('a snapshot keeps its scenario where the server knows another', async () => {
  const own = resolveScenario({ name: 'own', keys: { 'own-key': { plan: 'pro' } } }, generatePets);
  const other = resolveScenario({ name: 'other', pets: [] }, generatePets);
  const pieces = throughJson([...captureMachine(startMachine(own, Date.parse(noon), options))]);
  for (const known of [undefined, own, other]) {
    const { sim } = await restoreMachine(pieces, options, known);
    expect([sim.name, sim.keys.get('own-key')?.plan]).toEqual(['own', 'pro']);
  }
});
