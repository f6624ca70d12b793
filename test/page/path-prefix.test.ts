import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { listen, type RunningServer } from '../../src/entries/node.js';
import { eventually, useBrowser } from './stage.js';

let close: (() => Promise<void>) | undefined;
afterEach(() => close?.());

/** Starts a proxy that serves a simulator below `/petstore`, and passes on the simulator's own Host, as nginx does. */
async function behindProxy(hasPublicUrl: boolean) {
  let server: RunningServer;
  const proxy = createServer((request, response) => {
    const [, path] = /^\/petstore(\/.*)$/.exec(request.url ?? '') ?? [];
    if (path === undefined) return response.writeHead(404).end();
    const { method, headers } = request;
    const port = server.port;
    request.pipe(
      forward(
        { port, host: '127.0.0.1', path, method, headers: { ...headers, host: `127.0.0.1:${port}` } },
        (answer) => {
          response.writeHead(answer.statusCode as number, answer.headers);
          answer.pipe(response);
        },
      ).on('error', () => response.destroy()),
    );
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/petstore`;
  const sim = createSimulator({ scenario: { name: 'team' } });
  server = await listen(sim, { port: 0, ...(hasPublicUrl && { publicUrl: url }) });
  close = async () => {
    proxy.closeAllConnections();
    proxy.close();
    await server.close({ graceMs: 0 });
  };
  return { sim, server, url };
}

describe('dashboard below a path of a proxy', { tags: 'needs/chromium' }, () => {
  const { openPage } = useBrowser();

  test('shows, controls and copies by the public URL', async () => {
    const { sim, server, url } = await behindProxy(true);
    expect(server.baseUrl).toBe(`${url}/v1`);
    // Without the slash at the end, the browser is redirected.
    const { page } = await openPage(`${url}/__sim`);
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'team' }).waitFor();
    expect(page.url()).toBe(`${url}/__sim/`);
    await page.getByTitle(`${url}/v1`).waitFor();
    await page.getByRole('button', { name: 'quotas: free-key' }).click();
    await page.getByRole('button', { name: 'use up the minute: free-key' }).click();
    await eventually(() => sim.keys.get('free-key').minute.remaining).toBe(0);
    const status = await fetch(`${url}/v1/pets`, { headers: { authorization: 'Bearer free-key' } });
    expect(status.status).toBe(429);
  });

  test('without a public URL, works by its own address', async () => {
    const { url } = await behindProxy(false);
    const { page } = await openPage(`${url}/`);
    await page.getByRole('heading', { level: 1 }).filter({ hasText: 'team' }).waitFor();
    await page.getByTitle(`${url}/v1`).waitFor();
  });
});
