import { describe, expect, test } from 'vitest';
import { frozen, noonSeconds } from '../support/frozen.js';
import { code, send } from '../support/plain-call.js';

const ofFreeKey = 'Bearer free-key';

describe('sim.admit', () => {
  test('lets a valid key go on and gives the headers of its answer', () => {
    expect(frozen().admit(ofFreeKey)).toEqual({
      refusal: undefined,
      headers: {
        Date: 'Thu, 01 Jan 2026 12:00:00 GMT',
        'X-RateLimit-Limit': '60',
        'X-RateLimit-Remaining': '59',
        'X-RateLimit-Reset': String(noonSeconds + 60),
      },
    });
  });

  test.each([undefined, null, '', 'Basic abc', 'Bearer nobody', 'Bearer revoked-key'])(
    'refuses the Authorization header %j with the 401 of the API',
    (authorization) => {
      const sim = frozen();
      const { status, headers, body } = send(sim, {
        key: null,
        headers: { authorization: authorization ?? '' },
      });
      expect(status).toBe(401);
      expect(sim.admit(authorization).refusal).toMatchObject({ status, headers, body });
    },
  );

  test('counts in the windows that the API counts in', () => {
    const sim = frozen();
    for (let n = 0; n < 30; n++) {
      expect(sim.admit(ofFreeKey).refusal).toBeUndefined();
      expect(send(sim).status).toBe(200);
    }
    const { refusal } = sim.admit(ofFreeKey);
    expect(refusal).toMatchObject({ status: 429, headers: { 'Retry-After': '60', 'Cache-Control': 'no-store' } });
    expect(send(sim).status).toBe(429);
  });

  test('bans a key that goes on', () => {
    const sim = frozen({ ban: { after: 1, graceMs: 0 }, keys: { 'free-key': { usage: { minute: 60 } } } });
    sim.admit(ofFreeKey);
    sim.clock.advance('1s');
    const { refusal } = sim.admit(ofFreeKey);
    expect(refusal && code(refusal)).toBe('key_banned');
    expect(send(sim).status).toBe(429);
  });

  test('counts nothing where the limits apply to operations of the document only', () => {
    const sim = frozen({ limits: { appliesTo: ['listPets', 'createPet', 'getPet'] } });
    expect(sim.admit(ofFreeKey).headers['X-RateLimit-Remaining']).toBe('60');
  });

  test('is not touched by fault rules', () => {
    const sim = frozen({ faults: [{ name: 'outage', when: {}, then: { respond: { status: 503 } } }] });
    expect(send(sim).status).toBe(503);
    expect(sim.admit(ofFreeKey).refusal).toBeUndefined();
    expect(sim.faults.list()).toMatchObject([{ name: 'outage', seen: 1, applied: 1 }]);
  });
});
