import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/index.js';
import { sending, verdictOn } from '../support/client-lab.js';
import { blamed, found } from '../support/findings.js';

// Pairs of a right client and a wrong one that differ in one thing.

describe('a 401', () => {
  const about: Scenario = { expect: { fail: ['retried-401'] } };
  const waits = Array(20).fill(500);

  test('to a request without a key accuses no health probe, and proves nothing of the client', () => {
    const verdict = verdictOn(about, sending(waits, { key: null }));
    expect(blamed(verdict)).toEqual([]);
    expect([verdict.outcome, verdict.reason]).toEqual([
      'inconclusive',
      'Every request was a 401: check the API key of the client.',
    ]);
  });

  test('to a request with a key accuses a probe that repeats it', () => {
    expect(found(verdictOn(about, sending(waits, { key: 'revoked-key' })), 'retried-401')?.severity).toBe('fail');
  });

  test('to a probe without a key does not hide the repeats of a refused key', () => {
    const mixed = sending(waits, (at) => ({ key: at % 2 === 0 ? null : 'revoked-key' }));
    expect(found(verdictOn(about, mixed), 'retried-401')?.measured).toBe('9 repeats');
  });
});
