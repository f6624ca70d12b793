import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clients, settingsOf } from './clients.js';
import { gauntletScenarios } from './gauntlet.js';
import { notPassed, remaining } from './gauntlet-report.js';
import { clientsPages } from './report.js';
import { readResults } from './results.js';
import { trialIds } from './trials.js';

const { clients: results } = readResults();

const written = clientsPages();

test.each(Object.entries(written))('%s contains the results of test/clients/results.json', async (path, text) => {
  await expect(text, 'run npx vitest run test/clients/report.test.ts -u').toMatchFileSnapshot(`../../${path}`);
});

test('docs/clients contains no other page', () => {
  const files = readdirSync(new URL('../../docs/clients', import.meta.url)).map((name) => `docs/clients/${name}`);
  expect(files.sort()).toEqual(
    Object.keys(written)
      .filter((path) => path !== 'docs/clients.md')
      .sort(),
  );
});

test('exactly the listed clients have results, in every trial', () => {
  expect(Object.keys(results)).toEqual(clients.map(({ id }) => id));
  for (const client of clients) {
    for (const setting of settingsOf(client)) {
      expect(Object.keys(results[client.id]?.[setting] ?? {}), `${client.id} ${setting}`).toEqual(trialIds);
    }
  }
});

test('the documented settings pass every trial', () => {
  const wrong = clients.flatMap(({ id }) =>
    Object.entries(results[id]?.setRight ?? {})
      .filter(([, { outcome }]) => outcome !== 'pass')
      .map(([trial, { outcome }]) => `${id} ${trial}: ${outcome}`),
  );
  expect(wrong).toEqual([]);
});

test('the documented settings pass every gauntlet scenario except the listed ones', () => {
  const names = gauntletScenarios.map(({ name }) => name).sort();
  for (const { id } of clients.filter(({ isLoop }) => !isLoop)) {
    const { passed = [], others = {} } = results[id]?.gauntlet ?? {};
    expect([...passed, ...Object.keys(others)].sort(), id).toEqual(names);
  }
  expect([...new Set(notPassed().map(({ scenario }) => scenario))].sort()).toEqual(Object.keys(remaining).sort());
});

test('at least thirty published clients are tested', () => {
  expect(clients.filter(({ isLoop }) => !isLoop).length).toBeGreaterThanOrEqual(30);
});
