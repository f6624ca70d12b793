// @module-tag extended
import { beforeAll, describe, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { nodeBinary } from '../../scripts/fetched-package.mjs';
import { firstId, petIds, writtenNumbers } from '../adapters/int64-table.js';
import { copyPackage, type PackageCopy } from '../support/package-copy.js';

type Answer = [status: number, body: string];
interface Report {
  node: string;
  created: Answer[];
  found: Answer[];
  list: Answer;
}

/** Long numbers are named by their start. */
const short = (text: string) => (text.length > 40 ? `${text.slice(0, 20)}… (${text.length} characters)` : text);

let copy: PackageCopy;
let first: Report | undefined;
beforeAll(async () => {
  copy = await copyPackage({ msw: 2 });
});

describe.each([20, 22, 24, 26])('the compiled package on Node %i', (major) => {
  let report: Report;
  beforeAll(async () => {
    report = (await copy.runScript(await nodeBinary(major), 'adapters/int64-script.ts')) as Report;
  }, 180_000);

  test('runs on that version', () => {
    expect(report.node.split('.', 1)).toEqual([String(major)]);
  });

  test('stores whole numbers with all digits, and rejects all others', () => {
    let id = BigInt(firstId);
    const expected = writtenNumbers.map(([written, stored]) => {
      if (stored === undefined) return [short(written), 400];
      return [short(written), 201, `{"id":${id++},"name":"Rex","categoryId":${stored},"status":"available"}`];
    });
    const got = report.created.map(([status, body], index) => {
      const written = short(writtenNumbers[index]?.[0] ?? '');
      return status === 201 ? [written, status, body] : [written, status];
    });
    expect(got).toEqual(expected);
  });

  test('finds a pet only by the canonical text of its id', () => {
    const got = report.found.map(([status, body], index) => {
      const petId = petIds[index]?.[0];
      return [petId, status, body.includes(`"id":${petId},`)];
    });
    expect(got).toEqual(petIds.map(([petId, isFound]) => [petId, isFound ? 200 : 404, isFound]));
  });

  test('lists pets by id, across 2^53', () => {
    const ids = [...report.list[1].matchAll(/"id":(\d+)/g)].map(([, id]) => BigInt(id ?? 0));
    const { length } = writtenNumbers.filter(([, stored]) => stored !== undefined);
    expect(ids).toEqual(Array.from({ length }, (_, index) => BigInt(firstId) + BigInt(index)));
  });

  test('returns the same bytes as the first tested version', () => {
    first ??= report;
    expect({ ...report, node: '' }).toEqual({ ...first, node: '' });
  });
});
