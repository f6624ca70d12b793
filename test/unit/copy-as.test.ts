import { describe, expect, test } from 'vitest';
import { asMarkdown } from '../../src/dashboard/copy-as.js';
import { asTest, type CurrentState, scenarioBefore } from '../../src/dashboard/copy-as-test.js';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { readShippedScenarios } from '../../src/scenario-files/shipped-scenarios.js';
import { frozen } from '../support/frozen.js';

const list = (sim: ReturnType<typeof createSimulator>) =>
  sim.fetch('http://petstore.test/v1/pets', { headers: { authorization: 'Bearer free-key' } });

test('the scenario of the request that triggers a ban reproduces the ban', async () => {
  const sim = frozen({ keys: { 'free-key': { usage: { minute: 'all' } } } });
  for (let n = 0; n < 4; n++) {
    await list(sim);
    sim.clock.advance('2s');
  }
  const control = createControl(sim);
  const [entry] = (await control.queryJournal({})).entries.filter(
    ({ refusal }: { refusal?: string }) => refusal === 'ban',
  );
  expect(entry?.strike).toBe(true);
  const present = { scenario: sim.scenario, known: [], faults: [] } as CurrentState;
  const scenario = scenarioBefore(entry as never, present) as Scenario;
  expect(scenario.keys?.['free-key']).not.toHaveProperty('bannedFor');
  const again = createSimulator({ scenario });
  expect(again.keys.get('free-key').state).toBe('active');
  const response = await list(again);
  expect([response.status, (await response.json()).code]).toEqual([429, 'key_banned']);
  expect(response.headers.get('Retry-After')).toBe(entry?.headers['Retry-After']);
  expect(again.keys.get('free-key').state).toBe('banned');
});

test('a finding as Markdown ends with its measurement and scenario', () => {
  const finding = {
    code: 'early-retry',
    severity: 'fail',
    at: '',
    requests: [],
    measured: '1 s waited',
    allowed: 'at least 2 s',
    text: 'Retried too early. Wait.',
  } as const;
  const of = { key: 'free-key', scenario: 'storm', rows: [] };
  const plain = asMarkdown({ ...finding, requests: [] }, of);
  expect(plain.endsWith('\nWait.\n\n1 s waited; allowed: at least 2 s. Scenario storm.\n')).toBe(true);
});

describe('a test for a request', () => {
  test('has no field of the default scenario, and no TypeScript syntax', async () => {
    const scenarios = readShippedScenarios();
    const sim = createSimulator({ scenario: { name: 'mine', windows: { minute: '10s' } }, scenarios: () => scenarios });
    await list(sim);
    const control = createControl(sim);
    const [entry] = (await control.queryJournal({})).entries;
    const known = await control.listScenarios();
    const scenario = scenarioBefore(entry as never, { scenario: sim.scenario, known, faults: [] } as CurrentState);
    expect(Object.keys(scenario).sort()).toEqual(['clock', 'description', 'keys', 'name', 'windows']);
    const text = asTest(entry as never, scenario);
    expect(text).toContain("    clock: {\n      start: '");
    expect(text).toContain("    windows: {\n      minute: '10s'\n    },\n");
    expect(text).toContain("      'free-key': {\n        plan: 'free'");
    expect(text).not.toContain('"');
    expect(text.split('\n').length).toBeLessThan(50);
    expect(text).not.toMatch(/type Scenario|: Scenario/);
  });
});
