import { request } from 'node:http';
import { expect, test } from 'vitest';
import {
  describeOnEveryAdapter,
  describeOverHttp,
  errorOf,
  noonSeconds,
  rate,
  type Service,
} from '../support/adapters.js';

const missing = 'The Authorization header is missing; send "Authorization: Bearer <API_KEY>".';
const malformed = 'The Authorization header is not of the form "Bearer <API_KEY>".';
const unknown = 'The API key is unknown.';

const keys = {
  'late-key': { plan: 'pro', expiresAt: '2026-01-01T12:05:00Z' },
  'key~with.odd+signs/==': {},
};

/** Sends one request through node:http, which lets headers repeat. */
function sendRaw(baseUrl: string, headers: string[]): Promise<{ status: number; challenge: string; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}/pets`, { headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        body += chunk;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, challenge: String(response.headers['www-authenticate']), body });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

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
    expect(answer.status).toBe(200);
    expect(rate(answer)).toEqual([60, 59, noonSeconds + 60]);
    expect(answer.headers.has('www-authenticate')).toBe(false);
    expect(answer.json).toHaveLength(3);
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
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual(errorOf(401, 'unauthorized', message));
    expect(answer.headers.get('www-authenticate')).toBe(
      tokenSent ? 'Bearer realm="petstore", error="invalid_token"' : 'Bearer realm="petstore"',
    );
    expect(rate(answer)).toEqual([60, 60, noonSeconds + 60]);
  });

  test('responds with 401 from the instant at which a key expires', async () => {
    const { call, sim } = await open({ keys });
    sim.clock.set('2026-01-01T12:04:59.999Z');
    expect((await call('GET', '/pets', { key: 'late-key' })).status).toBe(200);
    sim.clock.advance('1ms');
    const answer = await call('GET', '/pets', { key: 'late-key' });
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual(errorOf(401, 'unauthorized', 'The API key has expired.'));
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="petstore", error="invalid_token"');
    expect(rate(answer)).toEqual([60, 60, noonSeconds + 300 + 60]);
  });

  test('requires a key on every operation', async () => {
    const { call } = await open();
    for (const [method, path] of [
      ['GET', '/pets'],
      ['POST', '/pets'],
      ['GET', '/pets/1'],
    ] as const) {
      const answer = await call(method, path);
      expect(answer.status).toBe(401);
      expect(answer.json).toEqual(errorOf(401, 'unauthorized', missing));
    }
  });

  test('does not count a 401 for any key', async () => {
    const { call, get, sim } = await open({ keys });
    for (const key of ['free-key ', 'revoked-key', 'no-such-key']) await call('GET', '/pets', { key: `${key}x` });
    await call('GET', '/pets', { headers: { authorization: 'Bearer free-key, Bearer free-key' } });
    await call('GET', '/pets', { key: 'revoked-key' });
    expect(sim.keys.get('free-key').minute.remaining).toBe(60);
    expect(sim.keys.get('revoked-key').minute.remaining).toBe(60);
    expect(rate(await get('/pets'))).toEqual([60, 59, noonSeconds + 60]);
  });
});

describeOnEveryAdapter('authentication', (open, adapter) => {
  test('rejects two Authorization headers with 401, even if both are valid', async () => {
    const service = await open();
    const authorization = ['Authorization', 'Bearer free-key'] as [string, string];
    const answer =
      adapter === 'http'
        ? await sendRaw(service.baseUrl, ['Host', new URL(service.baseUrl).host, ...authorization, ...authorization])
        : await sendTwice(service, authorization);
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body)).toEqual(errorOf(401, 'unauthorized', malformed));
    expect(answer.challenge).toBe('Bearer realm="petstore"');
  });
});

async function sendTwice({ call }: Service, header: [string, string]) {
  const { status, headers, bodyText } = await call('GET', '/pets', { headers: [header, header] });
  return { status, challenge: String(headers.get('www-authenticate')), body: bodyText };
}
