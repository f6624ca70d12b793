import { act, render, screen } from '@testing-library/react';
import { setupServer } from 'msw/node';
import { test } from 'petstore-sim/jest';
import { handlers } from 'petstore-sim/msw';
import { PetList } from '../src/pet-list';

const baseUrl = 'https://api.petstore.example/v1';
const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
  server.resetHandlers();
});
afterAll(() => server.close());

const refused = test.extend({ scenario: { keys: { 'free-key': { usage: { minute: 'all' } } } } });

refused('the component shows the wait, then the list', async ({ sim, apiKey }) => {
  server.use(...handlers(sim, { baseUrl }));
  render(<PetList baseUrl={baseUrl} apiKey={apiKey} />);

  await act(() => jest.advanceTimersByTimeAsync(1_000));
  expect(screen.getByRole('status').textContent).toContain('Too many requests');
  expect(screen.queryByRole('listitem')).toBeNull();

  await act(() => jest.advanceTimersByTimeAsync(61_000));
  expect(screen.getAllByRole('listitem')).toHaveLength(40);
  expect(sim).toHaveHonouredRetryAfter();
});
