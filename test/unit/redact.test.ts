import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { createRedactor, displayKey } from '../../src/simulator/redact.js';

import { maskedKey, maskedQuery } from '../../src/values/mask-key.js';
import { replaceKey } from '../../src/values/text-finder.js';

/** Masks the keys in one text. */
const redacted = (redactor: ReturnType<typeof createRedactor>, text: string, token?: string) =>
  redactor([text], token)(text);

describe('a key', () => {
  const sim = createSimulator({ scenario: { keys: { alice: {}, 'a-secret-of-mine': {} } } });
  sim.keys.add('added-by-hand-1234');

  test('is shown in full if the scenario names it, the default scenario included', () => {
    for (const key of ['alice', 'a-secret-of-mine', 'free-key']) expect(displayKey(sim, key)).toBe(key);
  });

  test('is masked if it was added, or only sent', () => {
    expect(displayKey(sim, 'added-by-hand-1234')).toBe(maskedKey('added-by-hand-1234'));
    expect(displayKey(sim, 'sent-by-somebody')).toBe(maskedKey('sent-by-somebody'));
  });

  test('is masked in texts by the same rule', () => {
    const text = '/pets?k=free-key&l=added-by-hand-1234&m=sent-by-somebody&n=other-client-9';
    expect(redacted(createRedactor(sim), text, 'sent-by-somebody')).toBe(
      '/pets?k=free-key&l=…1234~xk1c&m=…body~n2nu&n=other-client-9',
    );
  });
});

test('a redactor covers keys that are added later, and those of another scenario', () => {
  const sim = createSimulator();
  const redactor = createRedactor(sim);
  expect(redacted(redactor, 'late-secret-1 named-later')).toBe('late-secret-1 named-later');
  sim.keys.add('late-secret-1');
  sim.keys.add('named-later');
  expect(redacted(redactor, 'late-secret-1 named-later')).toBe('…et-1~e4a2 …ater~kjgl');
  sim.load({ keys: { 'named-later': {} } });
  expect(redacted(redactor, 'late-secret-1 named-later')).toBe('late-secret-1 named-later');
});

test('redactors of one simulator share their keys, and drop them with the scenario', () => {
  const sim = createSimulator({});
  const early = createRedactor(sim);
  sim.keys.add('added-secret-1234');
  expect(createRedactor(sim)([])('added-secret-1234')).toBe('added-secret-1234');
  expect(early(['?k=added-secret-1234'])('?k=added-secret-1234')).toBe('?k=…1234~kps3');
  expect(createRedactor(sim)(['?k=added-secret-1234'])('?k=added-secret-1234')).toBe('?k=…1234~kps3');
  // The scenario now contains the key, so it is not secret.
  sim.load({ keys: { 'added-secret-1234': {} } });
  for (const redactor of [early, createRedactor(sim)]) {
    expect(redactor(['?k=added-secret-1234'])('?k=added-secret-1234')).toBe('?k=added-secret-1234');
  }
  expect(createRedactor(createSimulator({}))(['?k=added-secret-1234'])('x')).toBe('x');
});

test('a key is found percent-encoded in a target, and escaped in JSON', () => {
  const sim = createSimulator();
  sim.keys.add('pass/word+"1"=');
  const redactor = createRedactor(sim);
  expect(redacted(redactor, '/pets?k=pass%2Fword%2B%221%22%3D')).toBe('/pets?k=…"1"=~oynu');
  expect(redacted(redactor, '{"name":"pass/word+\\"1\\"="}')).toBe('{"name":"…"1"=~oynu"}');
});

/** Characters of keys, with a higher share of characters that are escaped or part of an escape. */
const keyCharacter = fc.oneof(
  fc.constantFrom(...'/"\\\\%+=&u0073abcC3A9é'),
  fc
    .integer({ min: 0x21, max: 0xff })
    .filter((code) => code !== 0x2c && (code < 0x7f || code > 0xa0))
    .map((code) => String.fromCharCode(code)),
);
const hex = (code: number, digits: number, isUpper: boolean) => {
  const text = code.toString(16).padStart(digits, '0');
  return isUpper ? text.toUpperCase() : text;
};
const percentEncoded = (char: string, isUpper: boolean) =>
  [...new TextEncoder().encode(char)].map((byte) => `%${hex(byte, 2, isUpper)}`).join('');

test('a key is masked in any mixture of encodings, and nothing around it', () => {
  const inAddress = (char: string, how: number) =>
    how < 2 && encodeURIComponent(char) === char ? char : percentEncoded(char, how % 2 === 0);
  const inJson = (char: string, how: number) => {
    if (how < 2) return JSON.stringify(char).slice(1, -1);
    if (how === 2) return char === '/' ? '\\/' : JSON.stringify(char).slice(1, -1);
    return `\\u${hex(char.charCodeAt(0), 4, how % 2 === 0)}`;
  };
  const layers = fc.array(fc.constantFrom(inAddress, inJson), { maxLength: 3 });
  fc.assert(
    fc.property(
      fc.array(keyCharacter, { minLength: 6, maxLength: 90 }),
      layers,
      fc.infiniteStream(fc.nat({ max: 4 })),
      (characters, spelledIn, choices) => {
        const key = characters.join('');
        const sim = createSimulator();
        sim.keys.add(key);
        let spelled = key;
        for (const spell of spelledIn)
          spelled = Array.from(spelled, (char) => spell(char, choices.next().value)).join('');
        expect(redacted(createRedactor(sim), `/pets?k=<${spelled}>&l=1`)).toBe(`/pets?k=<${maskedKey(key)}>&l=1`);
      },
    ),
    { numRuns: 2_000 },
  );
});

test('a key of a recording is replaced by its name in every encoding', () => {
  for (const text of ['k=$&secret-key', 'k=%24%26secret%2dkey', '{"k":"$\\u0026secret-key"}']) {
    expect(replaceKey(text, '$&secret-key', '$&1')).toBe(text.startsWith('k=') ? 'k=$&1' : '{"k":"$&1"}');
  }
});

test('a key is masked in the encodings of other programs', () => {
  const sim = createSimulator();
  sim.keys.add('clé-of-mine-1234');
  const redactor = createRedactor(sim);
  for (const text of ['cl%E9-of-mine-1234', 'cl%u00E9-of-mine-1234', 'cl%c3%a9-of-mine-1234']) {
    expect(redacted(redactor, `/pets?k=${text}&l`)).toBe('/pets?k=…1234~spl2&l');
  }
});

test('an earlier token is found in the texts of another request, with bounded memory', () => {
  const sim = createSimulator();
  const redactor = createRedactor(sim);
  redactor([], 'sent-before-1234');
  expect(redacted(redactor, '/pets?k=sent-before-1234')).toBe('/pets?k=…1234~xt94');
  for (let n = 0; n <= 20_001; n++) redactor([], `token-of-nobody-${n}`);
  // The journal does not contain the request.
  expect(redacted(redactor, '/pets?k=token-of-nobody-1')).toBe('/pets?k=token-of-nobody-1');
});

test('of two keys, one within the other, the longer is masked', () => {
  const sim = createSimulator();
  for (const key of ['secret-long', 'secret-longer-still']) sim.keys.add(key);
  expect(redacted(createRedactor(sim), 'secret-longer-still, secret-long')).toBe('…till~bvgi, …long~i5aa');
});

test('thousands of keys with equal beginnings are all masked, in constant time per text', () => {
  const sim = createSimulator();
  const keys = Array.from({ length: 5_000 }, (_, number) => `tenant-${String(number).padStart(5, '0')}-secret`);
  for (const key of keys) sim.keys.add(key);
  const redactor = createRedactor(sim);
  const text = keys.join(' ');
  expect(redacted(redactor, text)).not.toMatch(/tenant-\d/);
  // Takes a sixth of a second. Comparing every key with every text would take a minute, more than the test timeout.
  for (let n = 0; n < 200_000; n++) redacted(redactor, `/v1/pets?limit=20&k=tenant-${n}`);
});

test.each([
  ['api_key=sk-1234567890', `api_key=${maskedKey('sk-1234567890')}`],
  ['/v1/pets?limit=1&access_token=abcdefgh&x=1', `/v1/pets?limit=1&access_token=${maskedKey('abcdefgh')}&x=1`],
  ['key=AIzaSyD-abcdefghijklmnopqrstuv', `key=${maskedKey('AIzaSyD-abcdefghijklmnopqrstuv')}`],
  ['client_secret=a%26b', `client_secret=${maskedKey('a%26b')}`],
  ['key=short&page_token=CAUQAA&monkey=1&limit=2', 'key=short&page_token=CAUQAA&monkey=1&limit=2'],
  ['', ''],
])('the query %j is shown as %j, also a second time', (query, shown) => {
  expect(maskedQuery(query)).toBe(shown);
  expect(maskedQuery(shown)).toBe(shown);
});
