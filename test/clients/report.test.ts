import { expect, test } from 'vitest';
import { clients, settingsOf } from './clients.js';
import { clientsReport } from './report.js';
import { readResults } from './results.js';
import { trialIds } from './trials.js';

const { clients: results } = readResults();

test('docs/clients.md says what test/clients/results.json found', async () => {
  await expect(clientsReport(), 'run npx vitest run test/clients/report.test.ts -u').toMatchFileSnapshot(
    '../../docs/clients.md',
  );
});

test('every client has a result in every trial, and nobody else has', () => {
  expect(Object.keys(results)).toEqual(clients.map(({ id }) => id));
  for (const client of clients) {
    for (const setting of settingsOf(client)) {
      expect(Object.keys(results[client.id]?.[setting] ?? {}), `${client.id} ${setting}`).toEqual(trialIds);
    }
  }
});

test('the settings that the page shows are right in every trial', () => {
  const wrong = clients.flatMap(({ id }) =>
    Object.entries(results[id]?.setRight ?? {})
      .filter(([trial, { outcome }]) => outcome !== 'pass' && trial !== 'busy')
      .map(([trial, { outcome }]) => `${id} ${trial}: ${outcome}`),
  );
  expect(wrong).toEqual([]);
});

test('at least thirty clients that nobody here wrote are tried', () => {
  expect(clients.filter(({ isLoop }) => !isLoop).length).toBeGreaterThanOrEqual(30);
});
