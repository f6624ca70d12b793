import { expect, test } from 'vitest';
import { documentedPlans } from '../../src/petstore/document.js';
import {
  describeOnEveryAdapter,
  describeOverHttp,
  errorOf,
  expectAnswer,
  firstRate,
  noonSeconds,
  rate,
  threePets,
} from '../support/adapters.js';
import { bodyOf, rawRequest, statusOf } from '../support/raw-request.js';

const { minute } = documentedPlans.free;
const missing = 'The Authorization header is missing; send "Authorization: Bearer <API_KEY>".';
const malformed = 'The Authorization header is not of the form "Bearer <API_KEY>".';
const unknown = 'The API key is unknown.';
const challenge = 'Bearer realm="petstore"';
const invalidToken = `${challenge}, error="invalid_token"`;

const keys = {
  'late-key': { plan: 'pro', expiresAt: '2026-01-01T12:05:00Z' },
  'key~with.odd+signs/==': {},
};

describeOverHttp('authentication', (open) => {
  test.each([
    ['Bearer free-key', 'as documented'],
    ['bearer free-key', 'the scheme in lower case'],
    ['BEARER free-key', 'the scheme in upper case'],
    ['Bearer  free-key', 'two spaces after the scheme'],
    ['Bearer key~with.odd+signs/==', 'every character of a token68'],
  ])('accepts %j: %s', async (authorization) => {
    const { call } = await open({ keys });
    const answer = await call('GET', '/pets', { headers: { authorization } });
    expectAnswer(answer, 200, threePets, firstRate);
    expect(answer.headers.has('www-authenticate')).toBe(false);
  });

  test.each([
    ['no header', undefined, missing, false],
    ['an empty header', '', missing, false],
    ['a scheme without a token', 'Bearer', malformed, false],
    ['a scheme and a space', 'Bearer ', malformed, false],
    ['another scheme', 'Basic ZnJlZS1rZXk6', malformed, false],
    ['a key without a scheme', 'free-key', malformed, false],
    ['a scheme that only starts alike', 'Bearers free-key', malformed, false],
    ['a tab after the scheme', 'Bearer\tfree-key', malformed, false],
    ['a space in the token', 'Bearer free -key', malformed, false],
    ['a comma in the token', 'Bearer free-key,pro-key', malformed, false],
    ['two values joined by a comma', 'Bearer free-key, Bearer pro-key', malformed, false],
    ['the same value twice', 'Bearer free-key, Bearer free-key', malformed, false],
    ['an unknown key', 'Bearer no-such-key', unknown, true],
    ['a key in another case', 'Bearer Free-Key', unknown, true],
    ['a token of 8 kB', `Bearer ${'k'.repeat(8192)}`, unknown, true],
    ['the name of a property of every object', 'Bearer __proto__', unknown, true],
    ['a revoked key', 'Bearer revoked-key', 'The API key was revoked.', true],
  ])('rejects %s with 401', async (_, authorization, message, tokenSent) => {
    const { call } = await open({ keys });
    const answer = await call('GET', '/pets', authorization === undefined ? {} : { headers: { authorization } });
    expectAnswer(answer, 401, errorOf(401, 'unauthorized', message), [minute, minute, noonSeconds + 60]);
    expect(answer.headers.get('www-authenticate')).toBe(tokenSent ? invalidToken : challenge);
  });

  test('responds with 401 from the instant at which a key expires', async () => {
    const { call, sim } = await open({ keys });
    sim.clock.set('2026-01-01T12:04:59.999Z');
    expect((await call('GET', '/pets', { key: 'late-key' })).status).toBe(200);
    sim.clock.advance('1ms');
    const answer = await call('GET', '/pets', { key: 'late-key' });
    const expired = errorOf(401, 'unauthorized', 'The API key has expired.');
    expectAnswer(answer, 401, expired, [minute, minute, noonSeconds + 300 + 60]);
    expect(answer.headers.get('www-authenticate')).toBe(invalidToken);
  });

  test('requires a key on every operation', async () => {
    const { call } = await open();
    for (const [method, path] of [
      ['GET', '/pets'],
      ['POST', '/pets'],
      ['GET', '/pets/1'],
    ] as const) {
      expectAnswer(await call(method, path), 401, errorOf(401, 'unauthorized', missing));
    }
  });

  test('does not count a 401 for any key', async () => {
    const { call, get, sim } = await open({ keys });
    for (const key of ['free-key ', 'revoked-key', 'no-such-key']) await call('GET', '/pets', { key: `${key}x` });
    await call('GET', '/pets', { headers: { authorization: 'Bearer free-key, Bearer free-key' } });
    await call('GET', '/pets', { key: 'revoked-key' });
    expect(sim.keys.get('free-key').minute.remaining).toBe(minute);
    expect(sim.keys.get('revoked-key').minute.remaining).toBe(minute);
    expect(rate(await get('/pets'))).toEqual(firstRate);
  });
});

describeOnEveryAdapter('authentication', (open, adapter) => {
  test('rejects two Authorization headers with 401, even if both are valid', async () => {
    const { baseUrl, call } = await open();
    if (adapter !== 'http') {
      const header: [string, string] = ['Authorization', 'Bearer free-key'];
      const answer = await call('GET', '/pets', { headers: [header, header] });
      expectAnswer(answer, 401, errorOf(401, 'unauthorized', malformed));
      expect(answer.headers.get('www-authenticate')).toBe(challenge);
      return;
    }
    // fetch would join them.
    const fields = 'Host: localhost\r\nAuthorization: Bearer free-key\r\nAuthorization: Bearer free-key\r\n';
    const answer = await rawRequest(Number(new URL(baseUrl).port), `GET /v1/pets HTTP/1.1\r\n${fields}\r\n`);
    expect(statusOf(answer)).toBe(401);
    expect(JSON.parse(bodyOf(answer))).toEqual(errorOf(401, 'unauthorized', malformed));
    expect(answer).toMatch(new RegExp(`^www-authenticate: ${challenge}\r$`, 'im'));
  });
});
