// @vitest-environment jsdom
import { act, cleanup, render, screen } from '@testing-library/react';
import { setupServer } from 'msw/node';
import { handlers } from 'petstore-sim/msw';
import { expect, test } from 'petstore-sim/vitest';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { App } from '../src/app.tsx';

const baseUrl = 'https://api.petstore.example/v1';
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  server.resetHandlers();
});
afterAll(() => server.close());

const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });

refused('the page counts down the wait, then shows the list', async ({ sim, apiKey }) => {
  server.use(...handlers(sim, { baseUrl }));
  render(<App baseUrl={baseUrl} apiKey={apiKey} />);

  await act(() => vi.advanceTimersByTimeAsync(1_000));
  expect(screen.getByRole('status').textContent).toBe('Too many requests. Going on in 60 s…');
  expect(screen.queryByRole('listitem')).toBeNull();

  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(screen.getByRole('status').textContent).toBe('Too many requests. Going on in 50 s…');

  await act(() => vi.advanceTimersByTimeAsync(51_000));
  expect(screen.getAllByRole('listitem').length).toBeGreaterThan(0);
  expect(sim).toHaveHonouredRetryAfter();
});
