import type { IncomingMessage } from 'node:http';
import { http } from 'msw';
import { expect, test, vi } from 'vitest';
import { createMatcher } from '../../src/own-routes/node/handler-matcher.js';

test('the results for a thousand targets are cached, and no more', () => {
  const match = vi.fn(() => ({ matches: false, params: {} }));
  const matches = createMatcher([http.get('*/orders/:id', () => undefined)], match);
  const ask = (id: number) =>
    matches('GET', { url: `/v1/orders/${id}`, headers: { host: 'petstore.test' } } as IncomingMessage);
  for (let id = 1; id <= 1_000; id++) ask(id);
  ask(1);
  expect(match).toHaveBeenCalledTimes(1_000);
  ask(1_001);
  ask(1);
  expect(match).toHaveBeenCalledTimes(1_002);
});
