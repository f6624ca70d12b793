import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startServer } from '../support/command-line.js';
import { patience } from '../support/patience.js';

const most = 64;

test('the control API recovers after its first request found no free file descriptor', async () => {
  const { child, baseUrl, listening, errors } = await startServer([], {
    node: 'bash',
    nodeFlags: ['-c', `ulimit -n ${most}; exec "$@"`, 'bash', process.execPath],
  });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = async (url: string) => {
    const request = get(url, { agent, headers: { authorization: 'Bearer free-key' } });
    const [response] = await once(request, 'response');
    let text = '';
    for await (const chunk of response) text += chunk;
    return { status: response.statusCode as number, text };
  };
  const api = `${baseUrl}/pets?limit=1`;
  const health = `${listening.controlUrl}/health`;
  // On this connection every request goes out, also when no other connection is accepted.
  expect((await ask(api)).status).toBe(200);
  const sockets = Array.from({ length: most * 2 }, () => connect(Number(new URL(baseUrl).port), '127.0.0.1'));
  const release = () => sockets.forEach((socket) => void socket.destroy());
  onTestFinished(release);
  for (const socket of sockets) socket.on('error', () => {});
  const descriptors = () => readdirSync(`/proc/${child.pid}/fd`).length;
  await vi.waitFor(() => expect(descriptors()).toBeGreaterThanOrEqual(most), patience);

  const refused = await ask(health);
  expect(refused.status).toBe(503);
  expect(JSON.parse(refused.text)).toMatchObject({ code: 'service_unavailable', status: 503 });
  // The line and the response come through two channels, in any order.
  await vi.waitFor(() => expect(errors()).toContain('EMFILE'), patience);
  expect((await ask(api)).status).toBe(200);

  release();
  await vi.waitFor(() => expect(descriptors()).toBeLessThan(most / 2), patience);
  expect((await ask(health)).status).toBe(200);
});
