// @module-tag needs/haproxy

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test, vi } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { freePort } from '../support/free-port.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';
import { patience } from '../support/patience.js';

/** HAProxy in front of a server, as its manual shows it; the check waits longer than a busy machine takes. */
const configuration = (check: string, { socket, front, back }: { socket: string; front: number; back: number }) => `
global
  stats socket ${socket} level admin
defaults
  mode http
  timeout connect 10s
  timeout client 30s
  timeout server 30s
  timeout check 10s
frontend clients
  bind 127.0.0.1:${front}
  default_backend simulators
backend simulators
  ${check}
  server one 127.0.0.1:${back} check inter 50ms fall 1
`;

/** A line of HAProxy's statistics by the names of its columns. */
async function statistics(socket: string): Promise<Record<string, string>> {
  const [names = '', ...rows] = (await text(connect(socket).end('show stat\n'))).split('\n');
  const row = rows.find((line) => line.startsWith('simulators,one,'))?.split(',') ?? [];
  return Object.fromEntries(
    names
      .replace('# ', '')
      .split(',')
      .map((name, column) => [name, row[column] ?? '']),
  );
}

test.each([
  ['its default check', 'option httpchk', 'OPTIONS / 204'],
  [
    'a check by HTTP/1.1',
    'option httpchk\n  http-check send meth GET uri /__sim/health ver HTTP/1.1 hdr Host localhost',
    'GET /__sim/health 200',
  ],
])('HAProxy with %s takes the server for up, and passes requests', async (_what, check, seen) => {
  const folder = newFolder();
  const socket = join(folder, 'socket');
  const others = new Set<string>();
  const server = await openServer(createSimulator({ scenario: { limits: 'off' } }), {
    onAnswer({ method, url = '' }, { status }) {
      if (!url.startsWith('/v1')) others.add(`${method} ${url} ${status}`);
    },
  });
  const front = await freePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, configuration(check, { socket, front, back: server.port }));
  const proxy = spawn('haproxy', ['-f', file], { stdio: 'ignore' });
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  const call = async (method: string, path: string, body?: string) => {
    const headers = { authorization: 'Bearer free-key', ...(body && { 'content-type': 'application/json' }) };
    const outgoing = request({ port: front, host: '127.0.0.1', method, path, headers, agent }).end(body);
    const [response] = await once(outgoing, 'response');
    return [response.statusCode, (await text(response)) !== ''];
  };
  try {
    await once(proxy, 'spawn');
    // Up it is until the first check; so until the second.
    await vi.waitFor(async () => expect(Number((await statistics(socket)).hanafail ?? 'x')).toBe(0), patience);
    await vi.waitFor(() => expect([...others]).toEqual([seen]), patience);
    for (let n = 0; n < 20; n++) {
      expect(await call('GET', '/v1/pets?limit=2')).toEqual([200, true]);
      expect(await call('POST', '/v1/pets', '{"name":"Rex","categoryId":1}')).toEqual([201, true]);
      expect(await call('HEAD', '/v1/pets')).toEqual([200, false]);
      expect(await call('GET', '/v1/pets/999999')).toEqual([404, true]);
    }
    const { status, chkfail, chkdown, check_status, hrsp_5xx } = await statistics(socket);
    expect({ status, chkfail, chkdown, check_status, hrsp_5xx }).toEqual({
      status: 'UP',
      chkfail: '0',
      chkdown: '0',
      // With an asterisk while the next check runs.
      check_status: expect.stringMatching(/^(\* )?L7OK$/),
      hrsp_5xx: '0',
    });
  } finally {
    agent.destroy();
    proxy.kill('SIGTERM');
    if (proxy.exitCode === null) await once(proxy, 'exit');
  }
});
