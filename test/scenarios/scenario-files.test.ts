// @module-tag slow
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSimulator, type Scenario, ScenarioError } from '../../src/entries/index.js';
import * as seed from '../../src/entries/seed.js';
import { createSimulatorFrom } from '../../src/petstore/create-simulator.js';
import type { GeneratePets } from '../../src/petstore/resolve-pets.js';
import { readScenarioAndFiles } from '../../src/scenario-files/scenario-files.js';
import { newFolder } from '../support/new-folder.js';
import { isProof } from '../support/prove.js';
import { badFiles, unreadableFiles } from './bad-files.js';

const folder = newFolder();

/** Writes a file into the folder of this test and returns its path. */
function write(name: string, content: string | Uint8Array): string {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
  return file;
}

async function read(file: string): Promise<Scenario> {
  const { scenario } = await readScenarioAndFiles(file);
  return scenario;
}

/** Mistakes of a file, one per line, without the folder. */
async function mistakes(file: string): Promise<string[]> {
  try {
    await read(file);
  } catch (error) {
    expect(error).toBeInstanceOf(ScenarioError);
    return (error as ScenarioError).message.replaceAll(`${folder}/`, '').split('\n');
  }
  return [];
}

describe('a mistake is reported as FILE:LINE:COL: PATH: what was expected', () => {
  test.each([...badFiles, ...unreadableFiles])('$place in $text', async ({ text, place, message }) => {
    const [first = '', ...others] = await mistakes(write('bad.yaml', text));
    expect(first.startsWith(`bad.yaml:${place}`), first).toBe(true);
    expect(first).toContain(message);
    // The same cause may produce further mistakes in a file that is not YAML.
    if (badFiles.some((file) => file.text === text)) expect(others).toEqual([]);
  });

  test.each(['', '# only words\n', 'null'])('an empty file has one mistake: %j', async (text) => {
    expect(await mistakes(write('empty.yaml', text))).toEqual([
      'empty.yaml:1:1: expected fields of a scenario, got an empty file',
    ]);
  });

  test('together with all others of the file, from top to bottom, in syntax and in content', async () => {
    const text = `name: 7
clock: { start: noon, mode: frozn }
keys:
  free-key: { plna: free }
  other: { plan: gold }
pets:
  - { id: 1, categoryId: 1 }
faults:
  - then: { delay: soon }
seed: 1
seed: 2
`;
    expect(await mistakes(write('many.yaml', text))).toEqual([
      expect.stringContaining('many.yaml:1:7: name: expected text, got 7'),
      expect.stringContaining('many.yaml:2:17: clock.start: expected an instant'),
      expect.stringContaining('many.yaml:2:29: clock.mode: expected "real" or "frozen"'),
      expect.stringContaining('many.yaml:4:15: keys.free-key.plna: expected a known field'),
      expect.stringContaining('many.yaml:5:18: keys.other.plan: expected a plan'),
      expect.stringContaining('many.yaml:7:5: pets[0].name: expected text'),
      expect.stringContaining('many.yaml:9:20: faults[0].then.delay: expected a duration'),
      expect.stringContaining('many.yaml:11:1: seed: expected each field once'),
    ]);
  });

  test('without characters that a terminal would interpret, and with a maximum length', async () => {
    const [line = ''] = await mistakes(write('bad.yaml', `"\\e[2J": 1\nname: [${'x'.repeat(5_000)}]`));
    expect(line).toContain('\\u001b[2J');
    // JSON leaves these unescaped: CSI of the C1 set, a line break of Unicode, and right-to-left text.
    const [other = ''] = await mistakes(write('bad.yaml', '"mode\\x9b2J\\u202e": 1'));
    expect(other).toContain('mode\\u{9b}2J\\u{202e}: expected a known field');
    // A name of this length leaves room for the expected value.
    expect((await mistakes(write('bad.yaml', `${'x'.repeat(900)}: 1`))).join('')).toContain('expected a known field');
    expect((await mistakes(write('bad.yaml', `seed: ${'x'.repeat(5_000)}`))).join('').length).toBeLessThan(600);
  });

  test('up to a hundred, then by their number', async () => {
    const lines = await mistakes(write('bad.yaml', `categories: [${'a,'.repeat(500)}]`));
    expect(lines).toHaveLength(101);
    expect(lines.at(-1)).toBe('and 400 more');
  });
});

describe('a file is read as written', () => {
  test('whole numbers are exact, in YAML and in JSON', async () => {
    const exact = { ids: { start: 9007199254740993n }, categories: [1, 9223372036854775807n, -9223372036854775808n] };
    const yaml = 'ids: { start: 9007199254740993 }\ncategories: [1, 9223372036854775807, -9223372036854775808]';
    const json = '{"ids":{"start":9007199254740993},"categories":[1,9223372036854775807,-9223372036854775808]}';
    expect(await read(write('a.yaml', yaml))).toEqual({ name: 'a', ...exact });
    expect(await read(write('a.json', json))).toEqual({ name: 'a', ...exact });
    const scenario = await read(write('a.json', '{"ids":{"start":"9007199254740993"}}'));
    expect(createSimulator({ scenario }).pets.add({ name: 'A', categoryId: 1 }).id).toBe(9007199254740993n);
  });

  test('words and instants that other YAML versions convert stay text', async () => {
    const text = 'name: no\ndescription: 0777\nlimits: off\nclock: { start: 2026-01-01T12:00:00Z }';
    await expect(read(write('words.yaml', text))).rejects.toThrow('description: expected text, got 777');
    expect(await read(write('words.yaml', text.replace('0777', 'on')))).toMatchObject({
      name: 'no',
      description: 'on',
      limits: 'off',
      clock: { start: '2026-01-01T12:00:00Z' },
    });
  });

  test('sends the number of a response header as it is written; JSON has the value of a number', async () => {
    const values = ['1.10', '007', '1e3', '0x1F', '1.0', '9007199254740993', '-0', '.5', '12345678901234567890.10'];
    const headers = values.map((value, index) => `X-${index}: ${value}`).join(', ');
    const faults = (text: string) => `faults: [{ then: { respond: { status: 503, headers: { ${text} } } } }]`;
    const sent = async (name: string, text: string) => {
      const { faults: [fault] = [] } = await read(write(name, text));
      return Object.values(fault?.then.respond?.headers ?? {});
    };
    expect(await sent('base.yaml', faults(headers))).toEqual(values);
    const above = `extends: ./base.yaml\n${faults(`${headers}, Y: "2.50"`)}`;
    expect(await sent('above.yaml', above)).toEqual([...values, '2.50']);
    const json = '{"faults":[{"then":{"respond":{"status":503,"headers":{"X":1.10,"Y":2}}}}]}';
    expect(await sent('base.json', json)).toEqual([1.1, 2]);
    await expect(read(write('on.yaml', faults('X: true')))).rejects.toThrow(
      'expected text, a number or null, got true',
    );
  });

  test('keeps the numbers of a body, which is JSON', async () => {
    const text = 'faults: [{ then: { respond: { status: 503, body: { respond: { headers: { X: 1.10 } } } } } }]';
    const { faults: [fault] = [] } = await read(write('body.yaml', text));
    expect(fault?.then.respond?.body).toEqual({ respond: { headers: { X: 1.1 } } });
  });

  test('JSON with tabs, a byte order mark, escapes and numeric names is read', async () => {
    const text = '\ufeff{\n\t"name": "\\ud83d\\ude00\\/",\n\t"keys": {\n\t\t"007": {}\n\t}\n}\n';
    expect(await read(write('tabs.json', text))).toEqual({ name: '😀/', keys: { '007': {} } });
    expect(await read(write('numbers.yaml', 'keys: { 007: {}, 1e3: {}, true: {}, 0x1F: {} }'))).toMatchObject({
      keys: { '007': {}, '1e3': {}, true: {}, '0x1F': {} },
    });
  });

  test('a name that every JavaScript object has is a field like any other', async () => {
    expect(await mistakes(write('proto.yaml', '__proto__: { seed: 1 }\nconstructor: 1'))).toEqual([
      expect.stringContaining('proto.yaml:1:1: __proto__: expected a known field'),
      expect.stringContaining('proto.yaml:2:1: constructor: expected a known field'),
    ]);
    expect(({} as { seed?: number }).seed).toBeUndefined();
  });

  test('a scenario without a name is named after its file', async () => {
    expect((await read(write('two-left.yaml', 'seed: 1'))).name).toBe('two-left');
  });
});

describe('reading is bounded in time and memory', () => {
  const megabyte = 1024 * 1024;
  /** Repeats a text, in a normal test run a quarter of the times. */
  const repeat = (text: string, times: number) => text.repeat(isProof ? times : times / 4);
  const laughs = Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`).join('\n');
  const nested = Array.from({ length: 1_400 }, (_, n) => `${' '.repeat(n)}a:`).join('\n');
  const merges = `a: &a { ${Array.from({ length: 5_000 }, (_, n) => `k${n}: 1`).join(', ')} }\n${'b:\n  <<: *a\n'.repeat(500)}`;
  test.each([
    ['billion laughs', `a0: &a0 x\n${laughs}`, 'aliases are not supported'],
    ['a quadratic merge', merges, 'aliases are not supported'],
    ['lists in lists', repeat('[', 200_000), 'levels'],
    ['maps in maps', repeat('{a: ', 100_000), 'levels'],
    ['block lists in lists', repeat('- ', 200_000), 'levels'],
    ['fields in fields', nested, 'levels'],
    ['question marks', repeat('? ', 200_000), 'levels'],
    ['lists in lists, 64 deep and valid', `${'['.repeat(64)}${']'.repeat(64)}`, 'expected a map, got a list'],
    ['lists in lists, 65 deep and valid', `${'['.repeat(65)}${']'.repeat(65)}`, 'bomb.yaml:1:65: expected at most 64'],
    ['fields in fields, 100 deep', nested.split('\n').slice(0, 100).join('\n'), 'levels'],
    ['syntax errors', `[${repeat(',', 240_000)}]`, 'expected valid YAML: Unexpected ,'],
    ['syntax errors in lines', repeat('- @\n', 50_000), 'put the text in quotes'],
    [
      'more signs than a scenario has',
      '[,]\n'.repeat(megabyte / 4),
      'at most 250,000 syntax characters and lines, got',
    ],
    ['directives', `${repeat('%FOO\n', 100_000)}---\n`, 'expected fields of a scenario, got an empty file'],
    ['documents', repeat('---\n', 60_000), 'expected one document'],
    ['a number of a million digits', `seed: ${'9'.repeat(megabyte - 10)}`, 'expected a number'],
    ['names that repeat', repeat('seed: 1\n', 40_000), 'expected each field once'],
    ['50,000 wrong items', `categories: [${'a,'.repeat(50_000)}]`, 'and 900 more'],
    ['20,000 unknown fields', Array.from({ length: 20_000 }, (_, n) => `k${n}: 1`).join('\n'), 'and 900 more'],
    ['one byte more than 1 MiB', `# ${'x'.repeat(megabyte - 1)}`, 'expected a file of at most 1 MiB'],
    ['bytes that are not UTF-8', Buffer.from([0x6e, 0xff, 0xfe]), 'expected a file of UTF-8 text'],
    ['UTF-16', Buffer.from('\ufeffname: x', 'utf16le'), 'got text in UTF-16; save it in UTF-8'],
  ])('%s', async (_, content, message) => {
    const file = write('bomb.yaml', content);
    // Takes at most half a second. Quadratic growth takes minutes, more than the test timeout.
    const lines = await mistakes(file);
    expect(lines.join('\n')).toContain(message);
    expect(lines.length).toBeLessThanOrEqual(101);
  });

  test('exactly 1 MiB is read', async () => {
    expect(await read(write('full.yaml', `seed: 1\n#${'x'.repeat(megabyte - 9)}`))).toEqual({ name: 'full', seed: 1 });
  });
});

test('a scenario is checked once, and a simulator can start from the result', async () => {
  const file = write('generated.yaml', 'name: made\npets: { generate: { sold: 3 } }');
  let made = 0;
  const generatePets: GeneratePets = (counts, options) => {
    made++;
    return seed.generatePets(counts, options);
  };
  const { resolved } = await readScenarioAndFiles(file, { generatePets });
  const sim = createSimulatorFrom(resolved, { generatePets });
  expect([sim.name, sim.pets.size, made]).toEqual(['made', 3, 1]);
  sim.load({ pets: { generate: { sold: 5 } } }, { reseed: true });
  expect([sim.pets.size, made]).toEqual([5, 2]);
});

describe('extends', () => {
  test('starts from a shipped scenario: maps merge, lists and single values replace', async () => {
    const text = 'extends: near-minute-limit\nkeys: { mine: { plan: pro } }\ncategories: [9]';
    const scenario = await read(write('child.yaml', text));
    expect(scenario.extends).toBeUndefined();
    expect(Object.keys(scenario.keys ?? {}).sort()).toEqual(['free-key', 'mine']);
    expect(scenario.keys?.['free-key']?.usage?.minute).toBe('all but 2');
  });

  test('starts from a file in the same folder, which starts from another', async () => {
    write('family/grandparent.yaml', 'seed: 1\nids: { start: 5 }\ncategories: [1, 2]');
    write('family/in/parent.json', '{"extends": "../grandparent.yaml", "seed": 2}');
    const child = write('family/child.yaml', 'extends: ./in/parent.json\ncategories: [3]');
    expect(await readScenarioAndFiles(child)).toMatchObject({
      scenario: { name: 'child', seed: 2, ids: { start: 5 }, categories: [3] },
      files: [child, join(folder, 'family/in/parent.json'), join(folder, 'family/grandparent.yaml')],
    });
  });

  test('a mistake is reported in the file that contains it', async () => {
    write('blame/base.yaml', 'seed: -1\nkeys:\n  a: { plan: gold }\n  b: { plan: pro }\npets: [{ id: 1 }]');
    const text = 'extends: ./base.yaml\nkeys:\n  b: { usage: { day: 99999 } }\npets:\n  - { name: A, categoryId: x }';
    expect(await mistakes(write('blame/child.yaml', text))).toEqual([
      expect.stringContaining('blame/child.yaml:3:22: keys.b.usage.day: expected at most'),
      expect.stringContaining('blame/child.yaml:5:28: pets[0].categoryId: expected a whole number'),
      expect.stringContaining('blame/base.yaml:1:7: seed: expected a whole number from 0, got -1'),
      expect.stringContaining('blame/base.yaml:3:14: keys.a.plan: expected a plan'),
    ]);
  });

  test('a plan of the base is available, on top of the default scenario', async () => {
    write('plans/base.yaml', 'plans: { gold: { minute: 5, day: 50 } }');
    const child = write('plans/child.yaml', 'extends: ./base.yaml\nkeys: { a: { plan: gold, usage: { minute: 5 } } }');
    const sim = createSimulator({ scenario: await read(child) });
    expect(sim.keys.get('a').minute).toMatchObject({ limit: 5, remaining: 0 });
    expect(sim.pets.size).toBe(40);
    expect(await mistakes(write('plain.yaml', 'extends: default\nseed: 3'))).toEqual([]);
  });

  test('does not inherit the name and the description of the base', async () => {
    write('named/base.yaml', 'name: base\ndescription: What the base is about.\nseed: 3');
    const child = await read(write('named/child.yaml', 'extends: ./base.yaml'));
    expect(child).toMatchObject({ name: 'child', seed: 3 });
    expect(createSimulator({ scenario: child }).scenario.description).toBeUndefined();
    const shipped = await read(write('named/wall.yaml', 'extends: minute-wall\ndescription: Own.'));
    expect(shipped).toMatchObject({ name: 'wall', description: 'Own.', windows: { minute: '10s' } });
  });

  test('mistakes in a JSON file are reported in terms of JSON', async () => {
    expect(await mistakes(write('a.json', '{ "seed": 1, "name": "a"'))).toEqual([
      expect.stringMatching(/^a\.json:1:\d+: expected valid JSON: /),
    ]);
    const [lacking] = await mistakes(write('b.json', '{ "windows": { "minute": "1s" }\n "seed": 1 }'));
    expect(lacking).toMatch(/^b\.json:2:\d+: expected valid JSON: expected "," or "}", found /);
    expect(await mistakes(write('c.json', '{ "seed": -1 }'))).toEqual([
      'c.json:1:11: seed: expected a whole number from 0, got -1',
    ]);
  });

  const base = 'a shipped scenario or a file such as ./base.yaml';
  test.each([
    ['minute-wal', `${base} (did you mean minute-wall?)`],
    ['base.yaml', `${base} (did you mean ./base.yaml?)`],
    ['/etc/passwd', `${base}, got "/etc/passwd"`],
    ['/tmp/base.yaml', `${base}, got "/tmp/base.yaml"`],
    ['./nope.yaml', 'a file that exists, got "./nope.yaml"'],
    ['../../../../etc/passwd', 'a file that ends in .yaml, .yml or .json'],
    ['./self.yaml', 'a file that does not extend this one, got "./self.yaml"'],
    ['[default]', 'text, got a list'],
  ])('extends: %s is invalid: expected %s', async (text, expected) => {
    const [line] = await mistakes(write('self.yaml', `extends: ${text}`));
    expect(line).toContain(`self.yaml:1:10: extends: expected ${expected}`);
  });

  test('a cycle of three is reported where it closes', async () => {
    write('circle/a.yaml', 'extends: ./b.yaml');
    write('circle/b.yaml', 'extends: ./c.yaml');
    write('circle/c.yaml', 'seed: 1\nextends: ./a.yaml');
    expect(await mistakes(join(folder, 'circle/a.yaml'))).toEqual([
      'circle/c.yaml:2:10: extends: expected a file that does not extend this one, got "./a.yaml"',
    ]);
  });

  test.each([
    ['a list', '- seed: 1', 'got a list'],
    [
      'a list further down',
      '# pets\n\n- { id: 1, name: A, categoryId: 1 }',
      ':3:1: expected fields of a scenario, got a list',
    ],
    ['a text', 'seed', 'got "seed"'],
    ['a number', '7', 'got 7'],
    ['nothing', '', 'got an empty file'],
  ])('a base with %s is invalid', async (_, text, message) => {
    write('odd/base.yaml', text);
    for (const [file, content] of [
      ['odd/child.yaml', 'extends: ./base.yaml\nseed: 1'],
      ['odd/grandchild.yaml', 'extends: ./child.yaml'],
    ] as const) {
      const lines = await mistakes(write(file, content));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/^odd\/base\.yaml:\d:1: expected fields of a scenario, got /);
      expect(lines[0]).toContain(message);
    }
  });

  test('a base that is not YAML is reported with its own position', async () => {
    write('broken/base.yaml', 'seed: [');
    expect(await mistakes(write('broken/child.yaml', 'extends: ./base.yaml'))).toEqual([
      expect.stringContaining('broken/base.yaml:1:8: expected'),
    ]);
  });
});

describe('pets: { file }', () => {
  test('reads the pets from a YAML or JSON file in the folder of the scenario or below', async () => {
    write('store/pets.json', '[{"id": 9007199254740993, "name": "Odd", "categoryId": 1}]');
    write('store/more/pets.yaml', '- { id: 7, name: Max, categoryId: 2, status: sold }');
    const json = await readScenarioAndFiles(write('store/a.yaml', 'pets: { file: pets.json }'));
    expect(json.scenario.pets).toEqual([{ id: 9007199254740993n, name: 'Odd', categoryId: 1 }]);
    expect(json.files).toEqual([join(folder, 'store/a.yaml'), join(folder, 'store/pets.json')]);
    expect((await read(write('store/b.yaml', 'pets: { file: ./more/pets.yaml }'))).pets).toHaveLength(1);
  });

  test('a mistake in that file is reported with its position in that file', async () => {
    write('store/bad.json', '[\n  {"id": 1, "name": "A", "categoryId": 1},\n  {"name": "B", "categoryId": 1.5}\n]');
    expect(await mistakes(write('store/c.yaml', 'pets: { file: bad.json }\nseed: x'))).toEqual([
      expect.stringContaining('store/c.yaml:2:7: seed: expected'),
      expect.stringContaining('store/bad.json:3:31: pets[1].categoryId: expected a whole number within int64'),
    ]);
    write('store/map.json', '{"pets": []}');
    expect(await mistakes(write('store/d.yaml', 'pets: { file: map.json }'))).toEqual([
      'store/d.yaml:1:15: pets.file: expected a file with a list of pets, got "map.json"',
    ]);
  });

  const outside = [
    ['the folder above', '../secret.yaml'],
    ['a way out and back', '../jail/../secret.yaml'],
    ['a way out further down', 'sub/../../secret.yaml'],
    ['a way out at the end', 'sub/..'],
    ['an absolute path', '/etc/passwd'],
    ['an absolute path of this very folder', '{folder}/jail/ok.yaml'],
    ['a backslash', '..\\secret.yaml'],
    ['a drive', 'C:/secret.yaml'],
    ['a URL', 'file:///etc/passwd'],
    ['a NUL', 'ok.yaml\0.txt'],
    ['nothing', ''],
    ['the folder itself', '.'],
    ['a folder below', 'sub'],
    ['a link to a file outside', 'link.yaml'],
    ['a link to a folder outside', 'out/secret.yaml'],
    ['a link to the folder with a longer name', 'longer/x.yaml'],
    ['a file that is not there', 'nope.yaml'],
    ['an encoded way out', '%2e%2e/secret.yaml'],
    ['a device through a link', 'null.yaml'],
  ] as const;

  test.each(outside)('rejects %s', async (_, written) => {
    write('secret.yaml', '- { id: 1, name: Secret, categoryId: 1 }');
    write('jail-longer/x.yaml', '- { id: 1, name: Secret, categoryId: 1 }');
    write('jail/ok.yaml', '[]');
    write('jail/sub/ok.yaml', '[]');
    for (const [link, target] of [
      ['link.yaml', '../secret.yaml'],
      ['out', '..'],
      ['longer', '../jail-longer'],
      ['null.yaml', '/dev/null'],
    ] as const) {
      rmSync(join(folder, 'jail', link), { force: true });
      symlinkSync(target, join(folder, 'jail', link));
    }
    const name = JSON.stringify(written.replace('{folder}', folder));
    const lines = await mistakes(write('jail/scenario.yaml', `pets:\n  file: ${name}`));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^jail\/scenario\.yaml:2:9: pets\.file: expected a file/);
    expect(lines[0]).not.toContain('Secret');
  });

  test('follows a link that stays within the folder', async () => {
    write('links/real/pets.yaml', '[{ id: 1, name: A, categoryId: 1 }]');
    symlinkSync('real', join(folder, 'links/alias'));
    expect((await read(write('links/a.yaml', 'pets: { file: alias/pets.yaml }'))).pets).toHaveLength(1);
  });

  test('is rejected for a scenario that is not a file', () => {
    expect(() => createSimulator({ scenario: { pets: { file: 'pets.json' } } })).toThrow(
      'scenario at pets.file: expected a list of pets (only scenario files can refer to a pets file)',
    );
  });
});

test('sim.load changes nothing if the scenario has a mistake', () => {
  const sim = createSimulator({ scenario: { clock: { mode: 'frozen' }, keys: { mine: { usage: { minute: 3 } } } } });
  const all = () => ({ keys: sim.keys.list(), name: sim.name, settings: sim.settings, pets: sim.pets.list() });
  const before = all();
  const keys = { other: { plan: 'gold' } };
  const next: Scenario = { name: 'next', keys, assumptions: { paging: 'page' }, pets: [] };
  expect(() => sim.load(next, { reseed: true })).toThrow(ScenarioError);
  expect(all()).toEqual(before);
});
