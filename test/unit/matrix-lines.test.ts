import { expect, test } from 'vitest';
import { type MatrixResult, matrixLines } from '../../src/cli/commands/matrix.js';

const result = (id: string | undefined, value: unknown, isMet: boolean): MatrixResult =>
  ({ id, value, isMet, breaks: false, code: 0, output: '', outcome: 'pass', findings: [] }) as never;

test('an unmet choice is listed with the value that was met', () => {
  const results = [
    result(undefined, undefined, true),
    result('banAfter', 1, true),
    result('banAfter', 0, false),
    result('paging', 'cursor', false),
    result('paging', 'page', false),
  ];
  expect(matrixLines(results, (_, text) => text)).toEqual([
    'Tested 1 of 4 choices that the document leaves open; none breaks the client.',
    'Not tested, because no request of the client depends on them: banAfter: 0,',
    'paging.',
  ]);
});
