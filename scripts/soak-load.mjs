// Load for scripts/soak.mjs, which watches a server's memory: API requests, control requests, sandboxes, event streams
// and malformed HTTP.
import { Agent, request } from 'node:http';
import { connect } from 'node:net';

const agent = new Agent({ keepAlive: true, maxSockets: 40 });

/** Scenario with faults of every kind, each frequent enough for hundreds of requests. */
export const scenario = {
  name: 'soak',
  keys: {
    'wide-key': { plan: 'enterprise' },
    'narrow-key': { plan: 'free' },
    'old-key': { state: 'revoked' },
  },
  plans: { enterprise: { minute: 1_000_000, day: 1_000_000_000 } },
  windows: { minute: '10s', day: '1d' },
  ban: { seconds: 5 },
  faults: [
    { name: 'slow', when: { probability: 0.02 }, then: { delay: { p50: '20ms', p99: '400ms' } } },
    { name: 'cut', when: { probability: 0.01 }, then: { reset: true } },
    { name: 'lost', when: { operation: 'createPet', probability: 0.05 }, then: { phase: 'after', close: true } },
    { name: 'busy', when: { probability: 0.01 }, then: { respond: { status: 503, headers: { 'Retry-After': 1 } } } },
    { name: 'short', when: { operation: 'listPets', probability: 0.01 }, then: { truncate: { fraction: 0.5 } } },
    { name: 'drip', when: { operation: 'getPet', probability: 0.01 }, then: { drip: { bytes: 16, every: '5ms' } } },
  ],
};

const body = JSON.stringify({ name: 'Rex', categoryId: 1, note: 'x'.repeat(200) });

/** Control requests, sent in rotation. They include deletions, so that the server's state does not grow. */
const controls = [
  ['GET', '/journal?limit=100'],
  ['GET', '/journal/count?status=429'],
  ['GET', '/keys'],
  ['GET', '/verdict'],
  ['PUT', '/snapshots/soak'],
  ['POST', '/clock', { advance: '1s' }],
  ['GET', '/journal?text=Rex&limit=10'],
  ['POST', '/keys/narrow-key/usage', { minute: 0 }],
  ['POST', '/faults', { name: 'added', when: { nth: 3 }, then: { delay: '1ms' } }],
  ['DELETE', '/faults/added'],
  ['GET', '/state'],
  ['POST', '/sandboxes', { name: 'made' }],
  ['GET', '/sandboxes/made/journal'],
  ['DELETE', '/sandboxes/made'],
  ['GET', '/journal.har'],
  ['GET', '/nothing'],
];

/**
 * Sends `rate` requests per second until the returned function `stop` is called.
 * @param {{ baseUrl: string, rate: number }} options `baseUrl` without a path
 */
export function startLoad({ baseUrl, rate }) {
  const counts = {};
  const count = (name) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  let sent = 0;
  const send = (method, path, { key, json } = {}) => {
    const headers = {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(json && { 'content-type': 'application/json' }),
    };
    const outgoing = request(baseUrl + path, { method, headers, agent }, (response) => {
      count(`${path.startsWith('/__sim') ? 'control' : 'api'} ${response.statusCode}`);
      response.on('error', () => count('cut')).resume();
    });
    outgoing.on('error', () => count('cut')).end(json && (typeof json === 'string' ? json : JSON.stringify(json)));
  };
  const kinds = [
    ...Array(8).fill(() => send('GET', '/v1/pets?limit=20', { key: 'wide-key' })),
    ...Array(2).fill(() => send('GET', `/v1/pets/${1 + (sent % 60)}`, { key: 'wide-key' })),
    ...Array(2).fill(() => send('GET', '/v1/pets?status=sold', { key: 'narrow-key' })),
    () => send('POST', '/v1/pets', { key: 'wide-key', json: body }),
    () => send('POST', '/v1/pets', { key: 'wide-key', json: '{"name":' }),
    () => send('GET', '/v1/pets', { key: `unknown-key-${sent}` }),
    () => send('GET', `/v1/${sent}?q=${'x'.repeat(sent % 3_000)}`, { key: 'old-key' }),
    () => send('GET', `/s/box-${sent % 20}/v1/pets?limit=3`, { key: 'wide-key' }),
    () => send('OPTIONS', '/v1/pets', {}),
    () =>
      connect(Number(new URL(baseUrl).port), '127.0.0.1', function () {
        this.end('no HTTP\r\n\r\n');
      })
        .on('error', () => {})
        .resume(),
  ];
  const sender = setInterval(() => {
    for (let n = 0; n < rate / 50; n++) kinds[sent++ % kinds.length]();
  }, 20);
  let turn = 0;
  const controller = setInterval(() => {
    const [method, path, json] = controls[turn++ % controls.length];
    send(method, `/__sim${path}`, { json });
  }, 200);
  // Deletes the stored pets regularly, so that memory does not grow by them. The journal stays, because it should be
  // full.
  const resetter = setInterval(() => send('POST', '/__sim/snapshots/soak/restore'), 30_000);
  let stream;
  const listen = () => {
    stream?.destroy();
    stream = request(`${baseUrl}/__sim/events`, (response) => {
      response.on('data', () => count('event chunks')).on('error', () => {});
    });
    stream.on('error', () => {}).end();
  };
  listen();
  const listener = setInterval(listen, 20_000);
  return {
    counts,
    stop() {
      for (const timer of [sender, controller, resetter, listener]) clearInterval(timer);
      stream.destroy();
      agent.destroy();
    },
  };
}
