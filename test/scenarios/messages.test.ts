import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ScenarioError } from '../../src/entries/index.js';
import { readScenario, readScenarioAndFiles } from '../../src/scenario-files/scenario-files.js';
import { newFolder } from '../support/new-folder.js';

const folder = newFolder();

function write(text: string, name = 'own.yaml'): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const notes = async (text: string) => (await readScenarioAndFiles(write(text))).notes;

/** Mistakes of a file as `PATH: MESSAGE`. */
async function mistakes(text: string, name?: string): Promise<string[]> {
  try {
    await readScenario(write(text, name));
  } catch (error) {
    return (error as ScenarioError).issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  }
  return [];
}

test.each([
  [
    'windows: { minute: 20 }',
    'windows.minute: expected whole seconds, at least "1s", got 20, which is 20 ms; did you mean "20s"?',
  ],
  ['windows: { minute: 500ms }', 'windows.minute: expected whole seconds, at least "1s", got "500ms"'],
  ['clock: { mode: frozn }', 'clock.mode: expected "real" or "frozen", got "frozn"; did you mean frozen?'],
  ['ban: strikt', /^ban: expected .*"strict".* or a map, got "strikt"; did you mean strict\?$/],
  [
    'pets: { Rex: { categoryId: 1 } }',
    'pets: expected a list, a map with generate or a map with file, got a map with Rex',
  ],
  ['keys: { a: {plan:pro} }', 'keys.a.plan:pro: expected a known field; put a space after the colon of plan'],
  ['seed:5', 'expected a map, got "seed:5"; put a space after the colon of seed'],
  ['keys:\n  a:\n    plan:pro', 'keys.a: expected a map, got "plan:pro"; put a space after the colon of plan'],
  ['name: a\nseed:5\nids: { start: 3 }', /; put a space after the colon of seed$/],
  ['name: a\nkeys:\n  a: { plan: pro\nseed: 5\n', /; the \{ in line 3 is not closed$/],
  [
    'faults: [{ then: { status: 503 } }]',
    'faults[0].then.status: expected a known field; did you mean respond.status?',
  ],
])('%j is reported with a remedy', async (text, expected) => {
  const [first, ...more] = await mistakes(text);
  if (typeof expected === 'string') expect(first).toBe(expected);
  else expect(first).toMatch(expected);
  expect(more).toEqual([]);
});

test.each([
  [
    'faults: [{ when: { operation: lstPets, key: fre-key, plan: gold }, then: { reset: true } }, { when: { key: nokey }, then: { close: true } }]',
    ['faults[0].when.operation', 'faults[0].when.key', 'faults[0].when.plan', 'faults[1].when.key'],
  ],
  ['client: { calls: none, key: nokey }', ['client.calls', 'client.key']],
  ['background: { free-key: none, nokey: 1 }', ['background.free-key', 'background.nokey']],
])('a mistake in a rule or in client does not hide a wrong name next to it: %s', async (text, paths) => {
  const found = await mistakes(text);
  expect(found.map((each) => each.split(': ')[0])).toEqual(paths);
});

test('a number below a second gets a hint if durations are longer, and a delay of a few milliseconds', async () => {
  const keys = 'keys: { a: { bannedFor: 20, expiresIn: 20s }, b: { expiresIn: 2000 } }';
  expect(await notes(`${keys}\nfaults: [{ when: { after: 5 }, then: { delay: 20 } }]`)).toEqual([
    'keys.a.bannedFor: 20 is 20 ms; did you mean "20s"?',
    'faults[0].when.after: 5 is 5 ms; did you mean "5s"?',
  ]);
  const delays = ['2', '2ms', '11', '{ fixed: 0.5 }', '{ p50: 1, p99: 2s }', '0'];
  expect(await notes(`faults:\n${delays.map((delay) => `  - then: { delay: ${delay} }\n`).join('')}`)).toEqual([
    'faults[0].then.delay: expected a unit, "2s" or "2ms"; 2 is 2 ms',
    'faults[3].then.delay.fixed: expected a unit, "0.5s" or "0.5ms"; 0.5 is 0.5 ms',
    'faults[4].then.delay.p50: expected a unit, "1s" or "1ms"; 1 is 1 ms',
  ]);
});

test.each([
  ['plans: { fre: { minute: 1, day: 2 } }', ['plans.fre: a new plan that no key has; did you mean free?']],
  ['plans: { fre: { minute: 1, day: 2 } }\nkeys: { a: { plan: fre } }', []],
  ['plans: { fre: { minute: 1, day: 2 } }\nfaults: [{ when: { plan: fre }, then: { reset: true } }]', []],
  ['plans: { gold: { minute: 2, day: 2 }, free: { minute: 1000 } }', []],
  ['plans: { free: { minute: 1001 } }', ['plans.free: 1001 requests per minute are more than the 1000 per day']],
  ['plans: { enterprize: { minute: 1, day: 2 } }', [expect.stringContaining('did you mean enterprise?')]],
])('a plan that may be a mistake gets a hint: %s', async (text, expected) => {
  expect(await notes(text)).toEqual(expected);
});

test('an exported state is reported as such, with the command that loads it', async () => {
  const state = { version: '0.1.0', scenario: {}, clock: { nowMs: 1 }, pets: [], keys: [] };
  const found = await mistakes(JSON.stringify(state), 'state.json');
  expect(found).toEqual([expect.stringContaining('got an exported state; petstore-sim state import loads it')]);
});
