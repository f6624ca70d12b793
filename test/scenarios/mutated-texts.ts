import type { Random } from '../support/random.js';

/** Lines that are valid YAML but not valid in a scenario, or in the wrong place. */
const lines = [
  ...['---', '...', '--- # again', '%YAML 1.1', '%TAG ! tag:x,2000:', '# comment', '', '\t', '  ', '- 1', '? [a]\n: b'],
  ...['<<: *base', '<<: { seed: 3 }', 'x: &base { seed: 3 }', 'seed: *base', '? seed', ': 7', '*base : 1', '&a b: 1'],
  ...['name: !!binary aGk=', 'seed: !!int "7"', 'pets: !!set { a }', 'name: !custom x', '!!map', 'name: !<x> y'],
  ...['"__proto__": { seed: 3 }', '__proto__: { keys: {} }', 'constructor: 1', '"": 1', 'null: 1', '~: 1', '[a]: 1'],
  ...['seed: 0x1F', 'seed: 0o17', 'seed: .inf', 'seed: .nan', 'seed: 1e999', 'seed: 1_000', 'seed: 012', 'seed: +7'],
  ...['name: yes', 'name: 12:30:45', 'name: 2026-01-01', 'name: ~', 'name: |\n  a\n  b', 'name: >-\n  a'],
  ...["name: 'it''s'"],
  ...['name: "\\x00\\u202e\\ud800"', 'name: "unclosed', "name: 'unclosed", 'name: @at', 'name: `tick', 'name: a: b'],
  ...['keys: {', 'keys: [', '}', ']', 'keys: {a: {plan: free},,}', 'pets: [ , ]', 'keys: { a }', 'keys: {"a":{}}'],
  ...['extends: default', 'extends: ./nothing.yaml', 'extends: ../..', 'extends: minute-wall', 'extends: [a]'],
  ...['extends: 7'],
  ...['extends: ./itself.yaml', 'pets: { file: itself.yaml }', 'pets: { file: /etc/hosts }'],
  ...['pets: { generate: { sold: 3 } }'],
  ...['seed: 99999999999999999999999999', `seed: ${'9'.repeat(400)}`, `x: ${'['.repeat(70)}`],
  ...[`x: ${'{a: '.repeat(70)}`],
  ...[`name: ${'x'.repeat(3_000)}`, `${'y'.repeat(2_000)}: 1`, '- - - - - 1', '"a\\\n  b": 1', '\u2028', '\u0085'],
  ...['\u00a0name: x'],
];

/** Possible replacements of a value. */
const values = [
  ...['~', 'null', 'true', 'off', 'no', '.inf', '-.inf', '.nan', '0x10', '1e3', '-0', '1e999', '-1', '1.5', '""', "''"],
  ...['[]', '{}', '[[]]', '*a', '&a 1', '&a', '!!str 1', '!x', '|', '>', '"', "'", '@', '%', '? x', '- x', '{a: 1'],
  ...['[1,'],
  ...['2026-01-01', '2026-01-01T12:00:00', '12:30:45', '1d', '3651d', '9223372036854775808', 'default', 'x: y', '#'],
  ...['__proto__'],
];

/** A scenario file with one to four changes, as text or as bytes that are not UTF-8. */
export function mutatedText(random: Random, scenario: string, others: readonly string[]): string | Uint8Array {
  const { pick, below, chance } = random;
  let text = scenario;
  const changeLine = (change: (line: string) => string) => {
    const all = text.split('\n');
    const at = below(all.length);
    all[at] = change(all[at] as string);
    text = all.join('\n');
  };
  const changes = [
    () => changeLine((line) => `${pick(lines)}\n${line}`),
    () => changeLine((line) => `${line}\n${/^\s*/.exec(line)?.[0]}${pick(lines)}`),
    () => changeLine((line) => line.replace(/(:\s+)\S.*$/, (_, colon) => colon + pick(values))),
    () =>
      changeLine((line) => line.replace(/[\w-]+(?=:)/, () => pick(['seed', 'name', '__proto__', 'Keys', '7', '~']))),
    () => changeLine((line) => `${line}\n${line}`),
    () => changeLine(() => ''),
    () => changeLine((line) => pick([' ', '  ', '\t', '    ', '- ']) + line),
    () => changeLine((line) => line.replace(/^ {1,2}/, '')),
    () =>
      changeLine((line) => line.replace(/(\{|\}|\[|\]|:|,|"|')/, () => pick(['', ' ', '{', ']', ':', ',', '"', '&']))),
    () => {
      const at = below(text.length + 1);
      text =
        text.slice(0, at) +
        pick(['\0', '\t', '\r', '{', '"', "'", ':', '#', '&', '*', '\ud83d', 'é', '']) +
        text.slice(at + below(3));
    },
    () => {
      text = text.slice(0, below(text.length + 1));
    },
    () => {
      const other = pick(others);
      const from = below(other.length);
      text += other.slice(from, from + below(400));
    },
    () => {
      text = text.replaceAll('\n', pick(['\r\n', '\r', '\n\n']));
    },
    () => {
      text = pick(['\ufeff', '\ufeff\ufeff', '---\n', '%YAML 1.2\n---\n', '\n\n']) + text;
    },
  ];
  do pick(changes)();
  while (chance(0.5));
  if (chance(0.02)) return Buffer.concat([Buffer.from(text), random.bytes(1 + below(20))]);
  return chance(0.01) ? Buffer.from(text, 'utf16le') : text;
}
