import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { createRequestLogEntries, type RequestLogEntry } from '../../src/cli/request-log-entry.js';
import { createSimulator } from '../../src/entries/index.js';
import { guarded } from '../../src/entries/msw.js';
import { openServer } from '../support/open-server.js';

test('the log contains key and plan for requests to guarded routes only', async () => {
  const sim = createSimulator({ scenario: { keys: { 'free-key': { usage: { minute: 59 } } } } });
  const entryOf = createRequestLogEntries();
  const entries: RequestLogEntry[] = [];
  const handlers = () => [
    http.get(
      '*/v1/categories',
      guarded(sim, () => HttpResponse.json([])),
    ),
    http.get('*/v1/open', () => HttpResponse.json([])),
  ];
  const server = await openServer(sim, {
    handlers: handlers as never,
    onAnswer: (request, answer, ms) => entries.push(entryOf(request, answer, ms)),
  });
  const init = { headers: { authorization: 'Bearer free-key' } };
  for (const path of ['categories', 'categories', 'open'])
    await (await fetch(`${server.baseUrl}/${path}`, init)).text();
  await server.close();
  expect(entries.map(({ status, key, plan, remaining }) => [status, key, plan, remaining])).toEqual([
    [200, 'free-key', 'free', 0],
    [429, 'free-key', 'free', 0],
    [200, undefined, undefined, undefined],
  ]);
});
