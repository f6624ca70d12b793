import { describe, expect, test } from 'vitest';
import type { Verdict } from '../../src/judge/judge-run.js';
import { credentialOf } from '../../src/values/credential.js';
import { brief, entry, judgeEntries } from './recorded-entries.js';

interface Sent {
  headers?: Record<string, string>;
  /** Query with the question mark. */
  query?: string;
}

/** Two clients that wait as told: the second is refused during the wait of the first. */
const twoPatient = (first: Sent, second: Sent) => [
  of(0, 429, first),
  of(1, 429, second),
  of(31, 200, first),
  of(32, 200, second),
];

/** One client that retries after a second of thirty, four times. */
const hasty = (sent: (attempt: number) => Sent) => [
  ...[0, 1, 2, 3].map((at) => of(1.2 * at, 429, sent(at))),
  of(40, 200, sent(4)),
];

/** One client that waits as told, three times. */
const patient = (sent: (attempt: number) => Sent) => [
  ...[0, 1, 2].map((at) => of(35 * at, 429, sent(at))),
  of(105, 200, sent(3)),
];

const of = (atSeconds: number, status: number, { headers = {}, query = '' }: Sent) =>
  entry(atSeconds, `/items${query}`, status, {
    key: undefined,
    requestHeaders: headers,
    ...(status === 429 && { retryAfter: 30 }),
  });

const authorization = (text: string): Sent => ({ headers: { authorization: text } });
const token = (claims: object, signature = 's1g_-') =>
  `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`;
const basic = (text: string) => authorization(`Basic ${Buffer.from(text).toString('base64')}`);

describe('a key that is the same in each request is an account:', () => {
  test.each<[string, Sent]>([
    ['Bearer', authorization('Bearer abc')],
    ['token', authorization('token abc')],
    ['Bot', authorization('Bot abc.def')],
    ['no scheme', authorization('abcdef')],
    ['Basic', basic('user:password')],
    ['the word secret', authorization('Bearer secret')],
    ['null, a mistake of the client', authorization('Bearer null')],
    ['undefined, a mistake of the client', authorization('Bearer undefined')],
    ['capitals with digits', authorization('Bearer AKIA4EXAMPLE7')],
    ['X-Api-Key', { headers: { 'X-Api-Key': 'abc' } }],
    ['Api-Key', { headers: { 'Api-Key': 'abc' } }],
    ['X-Goog-Api-Key', { headers: { 'X-Goog-Api-Key': 'abc' } }],
    ['Ocp-Apim-Subscription-Key', { headers: { 'Ocp-Apim-Subscription-Key': 'abc' } }],
    ['Private-Token', { headers: { 'Private-Token': 'abc' } }],
    ['api_key', { query: '?limit=5&api_key=abc' }],
    ['apikey', { query: '?apikey=abc' }],
    ['access_token', { query: '?access_token=abc' }],
    ['a long key', { query: '?key=AIzaSyA-0123456789-abcdef' }],
  ])('%s', async (_, sent) => {
    expect(brief(await judgeEntries(hasty(() => sent)))).toContain('early-retry:fail');
    expect((await judgeEntries(patient(() => sent))).outcome).toBe('pass');
  });
});

describe('two accounts stay two:', () => {
  test.each<[string, Sent, Sent]>([
    ['Bearer', authorization('Bearer a'), authorization('Bearer b')],
    ['Basic of one user, as of GitHub and GitLab', basic('oauth2:a1'), basic('oauth2:b2')],
    ['Basic of no user, as of Azure DevOps', basic(':tok-a'), basic(':tok-b')],
    ['Basic of one user, as of Mailgun', basic('api:key-a'), basic('api:key-b')],
    ['X-Api-Key', { headers: { 'X-Api-Key': 'a' } }, { headers: { 'X-Api-Key': 'b' } }],
    ['api_key', { query: '?api_key=a' }, { query: '?api_key=b' }],
    [
      'JSON Web Tokens of one issuer without a subject',
      authorization(`Bearer ${token({ iss: 'https://login.example/', iat: 1 }, 'a')}`),
      authorization(`Bearer ${token({ iss: 'https://login.example/', iat: 2 }, 'b')}`),
    ],
    [
      'JSON Web Tokens of a host',
      authorization(`Bearer ${token({ iss: 'accounts.example.com', iat: 1 }, 'a')}`),
      authorization(`Bearer ${token({ iss: 'accounts.example.com', iat: 2 }, 'b')}`),
    ],
    [
      'JSON Web Tokens of one subject of two issuers',
      authorization(`Bearer ${token({ iss: 'https://a.example/', sub: '1' })}`),
      authorization(`Bearer ${token({ iss: 'https://b.example/', sub: '1' })}`),
    ],
    [
      'JSON Web Tokens of two clients',
      authorization(`Bearer ${token({ iss: 'https://a.example/', client_id: 'x' })}`),
      authorization(`Bearer ${token({ iss: 'https://a.example/', client_id: 'y' })}`),
    ],
    [
      'OAuth 1 of two users of one consumer',
      authorization('OAuth oauth_consumer_key="c", oauth_token="a", oauth_nonce="1", oauth_signature="x"'),
      authorization('OAuth oauth_consumer_key="c", oauth_token="b", oauth_nonce="2", oauth_signature="y"'),
    ],
    [
      'AWS signatures of two keys',
      authorization('AWS4-HMAC-SHA256 Credential=AKIAONE/20260101/eu/s3/aws4_request, Signature=1'),
      authorization('AWS4-HMAC-SHA256 Credential=AKIATWO/20260101/eu/s3/aws4_request, Signature=2'),
    ],
    [
      'users of Digest',
      authorization('Digest username="a", realm="API", nonce="n", response="1"'),
      authorization('Digest username="b", realm="API", nonce="n", response="2"'),
    ],
  ])('%s', async (_, first, second) => {
    expect(brief(await judgeEntries(twoPatient(first, second)))).toBe('pass');
  });
});

describe('a credential that is new in each request keeps its account:', () => {
  test.each<[string, (attempt: number) => Sent]>([
    [
      'AWS Signature Version 4, also after midnight',
      (n) =>
        authorization(
          `AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/2026010${n + 1}/eu-west-1/execute-api/aws4_request, SignedHeaders=host;x-amz-date, Signature=${n}a`,
        ),
    ],
    ['AWS Signature Version 2', (n) => authorization(`AWS AKIAEXAMPLE:${n}abc=`)],
    ['Azure storage', (n) => authorization(`SharedKey account:${n}abc=`)],
    [
      'OAuth 1, in any order',
      (n) =>
        authorization(
          n % 2 === 0
            ? `OAuth oauth_consumer_key="c", oauth_nonce="n${n}", oauth_token="t", oauth_signature="s${n}"`
            : `OAuth oauth_nonce="n${n}",oauth_token="t",oauth_consumer_key="c",oauth_signature="s${n}"`,
        ),
    ],
    ['Digest', (n) => authorization(`Digest username="u", realm="r", nc=0000000${n}, cnonce="c${n}", response="${n}"`)],
    ['Hawk', (n) => authorization(`Hawk id="dh37", ts="13538322${n}", nonce="j${n}", mac="m${n}"`)],
    ['HTTP signatures', (n) => authorization(`Signature keyId="k1",algorithm="hs2019",signature="s${n}"`)],
    [
      'a JSON Web Token per request',
      (n) => authorization(`Bearer ${token({ iss: 'https://l/', sub: 'svc', iat: n })}`),
    ],
    ['a JSON Web Token of an app', (n) => authorization(`Bearer ${token({ iss: 123456, iat: n }, `s${n}`)}`)],
    [
      'a refreshed token of a client',
      (n) => authorization(`Bearer ${token({ iss: 'https://l/', azp: 'app', jti: n })}`),
    ],
    [
      'a signed query, which is the same request',
      (n) => ({
        query: `?prefix=a&X-Amz-Credential=AKIAEXAMPLE%2F20260101%2Feu%2Fs3%2Faws4_request&X-Amz-Date=20260101T12000${n}Z&X-Amz-Signature=${n}f`,
      }),
    ],
  ])('%s', async (_, sent) => {
    expect(brief(await judgeEntries(hasty(sent)))).toContain('early-retry:fail');
    expect((await judgeEntries(patient(sent))).outcome).toBe('pass');
  });
});

test.each(['sig', 'signature', 'nonce', 'oauth_nonce', 'X-Amz-Signature'])(
  'a new %s in the query makes no other request of a retry',
  async (name) => {
    const signed = (n: number): Sent => ({
      ...authorization('Bearer a'),
      query: `?limit=5&timestamp=17672688${n}&${name}=f${n}`,
    });
    const storm = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => of(1.5 * n, 429, signed(n)));
    expect(brief(await judgeEntries(storm))).toContain('retry-storm:fail');
    const other = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => of(1.5 * n, 429, { ...signed(n), query: `?timestamp=${n}` }));
    expect(brief(await judgeEntries(other))).not.toContain('retry-storm');
  },
);

const masks = [
  '***',
  'Bearer ***',
  'Bearer ********',
  '[Filtered]',
  '[REDACTED]',
  'Bearer [REDACTED TOKEN]',
  '<TOKEN>',
  'Bearer <hidden>',
  'REDACTED',
  'Bearer REMOVED',
  'Bearer YOUR_API_KEY',
  'token XXXXXXXX',
  'Bearer xxxxxxxx',
  'Bearer redacted',
  'Bearer •••••',
  'Bearer sk-…a1b2',
  'Bearer sk-...a1b2',
  'Basic ****',
  'AWS4-HMAC-SHA256 Credential=***/20260101/eu/s3/aws4_request, Signature=***',
  'Digest username="[REDACTED]", realm="r", response="1"',
];

describe('a mask is a missing key:', () => {
  test.each(masks)('%s', async (mask) => {
    const verdict = await judgeEntries(twoPatient(authorization(mask), authorization(mask)));
    expect(brief(verdict)).toBe('inconclusive');
    expect(verdict.reason).toContain('4 of 4 requests were recorded without an API key');
    const oneKey = await judgeEntries(
      hasty(() => authorization(mask)),
      { isOneKey: true },
    );
    expect(brief(oneKey)).toContain('early-retry:fail');
  });

  test.each<[string, Sent]>([
    ['X-Api-Key', { headers: { 'X-Api-Key': '***' } }],
    ['api_key', { query: '?api_key=%5BREDACTED%5D' }],
    ['access_token', { query: '?access_token=***' }],
  ])('in %s', async (_, sent) => {
    expect(brief(await judgeEntries(twoPatient(sent, sent)))).toBe('inconclusive');
  });

  test('also for a 401, which may be an early request of another key', async () => {
    const [a, masked] = [authorization('Bearer a'), authorization('***')];
    const waiting = (during: Sent) => judgeEntries([of(0, 429, a), of(5, 401, during), of(31, 200, a)]);
    expect((await waiting(masked)).outcome).toBe('inconclusive');
    expect((await waiting({})).outcome).toBe('pass');
  });

  test('also in a recording with other keys', async () => {
    const verdict = await judgeEntries([
      of(0, 200, authorization('Bearer a')),
      ...twoPatient(authorization('***'), authorization('***')),
    ]);
    expect(brief(verdict)).toBe('inconclusive');
  });
});

describe('--one-key', () => {
  const opaque = (n: number) => authorization(`Bearer opaque-${n}`);

  test('is obeyed for keys that differ', async () => {
    expect(brief(await judgeEntries(hasty(opaque), { isOneKey: true }))).toContain('early-retry:fail');
    expect((await judgeEntries(patient(opaque), { isOneKey: true })).outcome).toBe('pass');
  });

  test('leaves a 401 without a key apart, if the recording has keys', async () => {
    const login = [0, 1, 2, 3].map((at) => of(at, 401, {}));
    const verdict = await judgeEntries([...login, ...patient(() => authorization('Bearer a')).slice(1)], {
      isOneKey: true,
    });
    expect(verdict.findings.map(({ code }) => code)).not.toContain('retried-401');
  });

  test('is advised if more than half of the requests have a key of their own', async () => {
    const verdict = await judgeEntries(hasty(opaque));
    expect(brief(verdict)).toBe('inconclusive');
    expect(verdict.reason).toMatch(/^5 of 5 requests had a key that no other request has.*--one-key/);
  });

  const isAdvised = ({ reason }: Verdict) => reason.includes('--one-key');

  test('is not advised for ten tenants of which each retries, or for one refusal that was given up', async () => {
    const tenants = Array.from({ length: 10 }, (_, n) => authorization(`Bearer t${n}`));
    const all = [...tenants.map((sent, n) => of(n, 429, sent)), ...tenants.map((sent, n) => of(31 + n, 200, sent))];
    expect(brief(await judgeEntries(all))).toBe('pass');
    const single = [of(0, 200, opaque(1)), of(1, 200, opaque(1)), of(2, 429, opaque(2))];
    expect(isAdvised(await judgeEntries(single))).toBe(false);
  });

  test('is not advised if each of many refusals has a key of its own, but most requests have one', async () => {
    const served = Array.from({ length: 8 }, (_, n) => of(n, 200, authorization('Bearer a')));
    const refused = [1, 2, 3].map((n) => of(20 + n, 429, opaque(n)));
    expect(isAdvised(await judgeEntries([...served, ...refused]))).toBe(false);
  });
});

test('a parameter named key is an API key only if it is long', () => {
  expect(credentialOf(() => undefined, 'key=theme')).toBeUndefined();
  expect(credentialOf(() => undefined, `key=${'a1'.repeat(12)}`)?.secret).toBe('a1'.repeat(12));
});
