import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { createSimulator } from '../../src/entries/index.js';
import { startServer } from '../support/command-line.js';
import { openServer } from '../support/open-server.js';
import { patience } from '../support/patience.js';

const line = JSON.stringify({
  ...{ time: '2026-01-01T12:00:00Z', durationMs: 9, method: 'GET', baseUrl: 'http://127.0.0.1:4010/v1' },
  ...{ path: '/pets', status: 200, requestHeaders: { authorization: 'Bearer free-key' } },
});
const recording = (count: number) => `${line}\n`.repeat(count);

const judge = (controlUrl: string, count: number, signal?: AbortSignal) =>
  fetch(`${controlUrl}/judge?name=run.jsonl`, { method: 'POST', body: recording(count), ...(signal && { signal }) });

test('a recording that needs too much memory gets a 413, and the server serves on', async () => {
  const { listening } = await startServer([], { nodeFlags: ['--max-old-space-size=60'] });
  const controlUrl = listening.baseUrl.replace('/v1', '/__sim');
  const refused = await judge(controlUrl, 100_000);
  expect([refused.status, await refused.json()]).toEqual([
    413,
    {
      status: 413,
      code: 'payload_too_large',
      message:
        'The recording needs more memory than the server may use; set NODE_OPTIONS=--max-old-space-size=4096, in MiB, or shorten it.',
    },
  ]);
  expect((await judge(controlUrl, 100)).status).toBe(200);
});

test('a recording is no longer judged when its caller leaves, and the next one is', async () => {
  const ended = vi.spyOn(Worker.prototype, 'terminate');
  const { controlUrl } = await openServer(createSimulator());
  const leaving = new AbortController();
  const started = once(process, 'worker');
  const left = judge(controlUrl, 100_000, leaving.signal).catch(({ name }) => name);
  await started;
  const next = judge(controlUrl, 100);
  leaving.abort();
  expect(await left).toBe('AbortError');
  await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1), patience);
  expect((await next).status).toBe(200);
  ended.mockRestore();
});
