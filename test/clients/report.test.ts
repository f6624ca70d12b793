import { expect, test } from 'vitest';
import { clients, settingsOf } from './clients.js';
import { gauntletScenarios } from './gauntlet.js';
import { notPassed, remaining } from './gauntlet-report.js';
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
      .filter(([, { outcome }]) => outcome !== 'pass')
      .map(([trial, { outcome }]) => `${id} ${trial}: ${outcome}`),
  );
  expect(wrong).toEqual([]);
});

test('the settings that the page shows pass every scenario of the gauntlet, but for those that it names', () => {
  const names = gauntletScenarios.map(({ name }) => name).sort();
  for (const { id } of clients.filter(({ isLoop }) => !isLoop)) {
    const { passed = [], others = {} } = results[id]?.gauntlet ?? {};
    expect([...passed, ...Object.keys(others)].sort(), id).toEqual(names);
  }
  expect([...new Set(notPassed().map(({ scenario }) => scenario))].sort()).toEqual(Object.keys(remaining).sort());
});

test('at least thirty clients that nobody here wrote are tried', () => {
  expect(clients.filter(({ isLoop }) => !isLoop).length).toBeGreaterThanOrEqual(30);
});
