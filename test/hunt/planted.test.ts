import { describe, expect, test } from 'vitest';
import { hunt } from '../../src/entries/hunt.js';
import { plantedBugs } from './planted-clients.js';

/** Lines of a scenario that a person reads at a glance. */
const mostLines = 8;

const names = Object.keys(plantedBugs);

/**
 * Hunts for a planted bug, and checks that one find shows it in a small scenario, and that each find tells the run of
 * its own scenario.
 */
async function expectFound(name: string, runs: number): Promise<void> {
  const { client, codes, options, mostRequests = 4 } = plantedBugs[name] as (typeof plantedBugs)[string];
  const { found } = await hunt(client, { runs, ...options });
  const own = found.filter(({ code }) => codes.includes(code));
  const sizes = own.map(({ yaml, verdict }) => [yaml.trim().split('\n').length, verdict.counts.requests] as const);
  for (const { code, text, verdict, timeline, yaml } of found) {
    expect(verdict.scenario).toBe(`hunt-${code}`);
    expect(timeline).toContain(`hunt-${code}`);
    if (verdict.findings.length > 0 && options?.check === undefined)
      expect(verdict.findings).toContainEqual(expect.objectContaining({ code, severity: 'fail', text }));
    expect(yaml).toContain(`# ${code}: ${text.split(/(?<=\.) /, 1)[0]} (seed 1)`);
  }
  expect(found.map(({ code }) => code)).toEqual(expect.arrayContaining([expect.toBeOneOf([...codes])]));
  expect(
    sizes.some(([lines, requests]) => lines <= mostLines && requests <= mostRequests),
    String(sizes),
  ).toBe(true);
}

test('the list has at least thirty planted bugs', () => {
  expect(names.length).toBeGreaterThanOrEqual(30);
});

/** Bugs of five kinds, whose tests run always. */
const five = [
  'always waits one second',
  'adds a pet again after a timeout',
  'retries inside retries',
  'trusts Remaining',
  'polls during a ban',
];

describe('a planted bug is found and reduced:', () => {
  test.each(five)('%s', (name) => expectFound(name, 120));

  test.each(names.filter((name) => !five.includes(name)))('%s', { tags: 'extended' }, (name) => expectFound(name, 120));
});
