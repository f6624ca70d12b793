import { expect, test } from 'vitest';
import { describeFind } from '../../src/hunt/describe-find.js';

const linesOf = (scenario: Parameters<typeof describeFind>[0]) =>
  describeFind(scenario, { code: 'early-retry', text: 'Too early. Wait.', repeat: 'again', seed: 1 })
    .trimEnd()
    .split('\n');

test('writes a short fault rule in one line, with its effect', () => {
  expect(linesOf({ faults: [{ then: { delay: '2s' } }] })).toEqual([
    '# early-retry: Too early. (seed 1)',
    '# Again: again',
    'name: hunt-early-retry',
    'faults:',
    '  - { then: { delay: 2s } } # the response takes 2s',
  ]);
});

test('writes the conditions and the effect of a long fault rule in two lines', () => {
  const rule = {
    when: { operation: 'createPet', nth: 1 },
    then: { respond: { status: 503 }, phase: 'after' },
  } as const;
  const [rest, after] = [
    { respond: { status: 503, headers: { 'X-RateLimit-Remaining': null } } },
    '    then: { respond: { status: 503, headers: { X-RateLimit-Remaining: null } } }',
  ];
  const lines = linesOf({ faults: [rule, { ...rule, then: rest }] });
  expect(lines[4]).toMatch(/^ {2}- when: \{ operation: createPet, nth: 1 \} # for createPet; request number 1$/);
  expect(lines[5]).toMatch(/^ {4}then: \{ respond: \{ status: 503 \}, phase: after \} # /);
  expect(lines[7]).toContain(after);
  expect(lines[7]).toContain('X-RateLimit-Remaining is left out');
});
