import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { listeningLines } from '../../src/cli/listening-lines.js';
import type { EntryRow } from '../../src/control-api/entry-row.js';
import { exportKey, importKey } from '../../src/control-api/export-state.js';
import { EntryBuffer } from '../../src/dashboard/entry-buffer.js';
import { createControl, readStart } from '../../src/entries/control.js';
import { hunt } from '../../src/entries/hunt.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { Learner } from '../../src/fidelity/deduce/learner.js';
import { limitsText } from '../../src/fidelity/deduce/limit-hypotheses.js';
import { recordedScenario } from '../../src/fidelity/deduce/recorded-scenario.js';
import { effectsOfScenario } from '../../src/hunt/describe-find.js';
import { judge } from '../../src/judge/judge.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { describeService } from '../../src/petstore/openapi.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { defaultSettings } from '../../src/petstore/settings.js';
import { stateAsScenario } from '../../src/petstore/state-as-scenario.js';
import { coreOf } from '../../src/simulator/simulator.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { formatInteger } from '../../src/values/format-integer.js';
import { documentedNames, documentedWindows } from '../../src/values/window-fields.js';
import { withArticle } from '../../src/values/window-text.js';
import { harOf } from '../fidelity/recorded-traffic.js';
import { frozen, noon, noonSeconds } from '../support/frozen.js';
import { message, rate, send, sendTimes } from '../support/plain-call.js';

const { free } = documentedPlans;
const enterprise = defaultSettings.enterpriseLimits as Record<string, number>;
const usedUp = (window: string): Scenario => ({ keys: { 'free-key': { usage: { [window]: 'all' } } } });

/** What `calibrate` learns from all requests of a simulator. */
async function learnedFrom(sim: ReturnType<typeof createSimulator>) {
  const pieces = [new TextEncoder().encode(harOf(sim))];
  const { exchanges } = await readRecording([{ name: 'own.har', pieces }], recordedPetstore);
  const learner = new Learner();
  for (const exchange of exchanges) learner.add(exchange);
  return { learner, exchanges };
}

describe.each(documentedNames)('the documented window %s', (window) => {
  const lengthSeconds = documentedWindows[window];
  const limit = free[window];

  test('refuses with its limit, its reset and its name, and reports it if asked to', () => {
    const sim = frozen(usedUp(window));
    const refused = send(sim);
    expect([refused.status, rate(refused)]).toEqual([
      429,
      { limit, remaining: 0, reset: noonSeconds + lengthSeconds, retryAfter: lengthSeconds },
    ]);
    expect(message(refused)).toContain(`allows ${limit} requests ${withArticle(window)};`);
    expect(sim.journal.query()[0]?.window).toBe(window);
    sim.clock.advance(lengthSeconds * 1000);
    expect(send(sim).status).toBe(200);
    const reporting = frozen({ limits: { reportedWindow: window } });
    expect(rate(send(reporting))).toMatchObject({ limit, remaining: limit - 1 });
    const fields = frozen({ limits: { reportedWindow: window }, assumptions: { rateLimitFields: 'structured-aw' } });
    expect(JSON.stringify(send(fields).headers)).toContain(`${window}\\";q=${limit};w=${lengthSeconds}`);
  });

  test('is shorter than the next one, and has a limit in each plan', () => {
    const longer = documentedNames[documentedNames.indexOf(window) + 1];
    for (const limits of [...Object.values(documentedPlans), enterprise] as Record<string, number>[]) {
      expect(limits[window]).toBeGreaterThan(0);
      if (longer !== undefined) expect(limits[longer]).toBeGreaterThan(limits[window] as number);
    }
    if (longer !== undefined) expect(documentedWindows[longer]).toBeGreaterThan(lengthSeconds);
  });

  test('is shortened, limited and left out by a scenario', () => {
    const sim = frozen({
      windows: { [window]: '7s' },
      plans: { free: { [window]: 2 } },
      keys: { 'free-key': { usage: { [window]: 'all but 1' } } },
    });
    expect(sendTimes(sim, 2).map(({ status }) => status)).toEqual([200, 429]);
    expect(message(send(sim))).toContain('2 requests in 7 seconds');
    const without = frozen({ plans: { free: { [window]: null } } });
    expect(without.keys.get('free-key')[window]).toBeUndefined();
    expect(() => frozen({ keys: { 'free-key': { usage: { [window]: limit + 1 } } } })).toThrow(
      `keys.free-key.usage.${window}: expected at most the limit of the plan (${limit}), got ${limit + 1}`,
    );
  });

  test('is a field of a key, which the control API shows, sets and uses up', () => {
    const sim = frozen();
    const control = createControl(sim);
    expect(control.getKey({ key: 'free-key' })[window]).toMatchObject({ limit, remaining: limit });
    expect(control.setKeyUsage({ key: 'free-key', [window]: 3 })[window].remaining).toBe(limit - 3);
    const exhausted = control.exhaustKey({ key: 'free-key', window });
    expect([exhausted[window].remaining, exhausted.windows]).toEqual([0, undefined]);
    expect(sim.keys.add('other', { usage: { [window]: 1 } })[window].remaining).toBe(limit - 1);
  });

  test('is restored by a snapshot, an exported state and its scenario, also from an earlier place', () => {
    const sim = frozen(usedUp(window));
    send(sim);
    const snapshot = sim.snapshot();
    const state = createControl(sim).exportState();
    sim.reset();
    sim.keys.setUsage('free-key', { [window]: 0 });
    sim.restore(snapshot);
    const copy = frozen();
    createControl(copy).importState(JSON.parse(JSON.stringify(state)));
    const again = createSimulator({ scenario: stateAsScenario(JSON.parse(JSON.stringify(state))), readStart });
    for (const each of [sim, copy, again]) expect(each.keys.get('free-key')[window].remaining).toBe(0);
    const { resolved, keys } = coreOf(sim).state;
    const { [window]: usage, ...exported } = exportKey(keys.get('free-key') as never);
    expect(usage).toMatchObject({ used: limit });
    const earlier = { ...exported, windows: { [window]: usage } } as typeof exported;
    const imported = importKey(earlier, 'keys[0]', resolved, sim.clock.now());
    expect(imported.windows.find(({ name }) => name === window)).toMatchObject({ used: limit });
    const unused = importKey(exported, 'keys[0]', resolved, sim.clock.now());
    expect(unused.windows.find(({ name }) => name === window)).toMatchObject({ used: 0 });
  });

  test('is described by OpenAPI, the start message and the documentation', () => {
    const { description } = describeService().info as { description: string };
    const rows = description.split('\n').filter((line) => line.startsWith('|'));
    const column = (rows[0] as string).split('|').indexOf(` Requests per ${window} `);
    const cells = rows.map((row) => row.split('|')[column]?.trim());
    expect(cells.slice(2)).toEqual([
      ...Object.values(documentedPlans).map((plan) => formatInteger(plan[window])),
      'Custom',
    ]);
    const urls = { baseUrl: 'http://127.0.0.1:4010/v1', controlUrl: 'http://127.0.0.1:4010/__sim' };
    const text = stripVTControlCharacters(listeningLines('pretty', createSimulator(), urls, false).join('\n'));
    const limits = documentedNames.map((name) => `${formatInteger(free[name])} ${withArticle(name)}`);
    expect(text).toContain(limits.join(', '));
    const page = readFileSync(join(import.meta.dirname, '../../docs/http-server.md'), 'utf8');
    const header = /^\| Key \| Plan \|.*$/m.exec(page)?.[0].split('|') ?? [];
    const inPage = /^\| `free-key` \|.*$/m.exec(page)?.[0].split('|') ?? [];
    expect(inPage[header.indexOf(` ${withArticle(window)} `)]).toBe(` ${formatInteger(limit)} `);
  });

  test('is tried and described by hunt', async () => {
    const tried: Scenario[] = [];
    await hunt(({ fetch, baseUrl, apiKey }) => fetch(`${baseUrl}/pets`, { headers: { authorization: apiKey } }), {
      runs: 40,
      check: ({ sim }) => tried.push(sim.scenario),
    });
    expect(tried.some(({ keys }) => Object.values(keys ?? {}).some(({ usage }) => usage?.[window] === limit))).toBe(
      true,
    );
    expect(effectsOfScenario({ keys: { 'free-key': { usage: { [window]: 5 } } } })).toContain(
      `5 requests of the ${window} are used up`,
    );
    expect(effectsOfScenario({ windows: { [window]: '5s' } })).toBe(`The ${window} lasts 5s.`);
    expect(effectsOfScenario({ plans: { free: { [window]: null } } })).toMatch(
      new RegExp(`${window} is left out`, 'i'),
    );
  });

  test('is a long limit for the judge unless it is the shortest', () => {
    const sim = frozen({ ...usedUp(window), ban: 'off' });
    for (let n = 0; n < 4; n++) {
      send(sim);
      sim.clock.advance('1100ms');
    }
    const found = judge(sim, { isOver: true }).findings.filter(({ code }) => code === 'ignored-day-window');
    expect(found.length).toBe(window === documentedNames[0] ? 0 : 1);
  });

  test('is learned by calibrate, without a contradiction', async () => {
    const sim = frozen({ keys: { 'free-key': { usage: { [window]: 'all but 5' } } }, ban: 'off' });
    for (let n = 0; n < 7; n++) {
      send(sim);
      sim.clock.advance('1100ms');
    }
    const { learner, exchanges } = await learnedFrom(sim);
    expect([learner.contradictions, learner.limits.unexplained]).toEqual([[], undefined]);
    const [key] = Object.values(recordedScenario(exchanges, learner, 'own').keys ?? {});
    expect(key).toMatchObject({ plan: 'free', usage: { [window]: limit - 5 } });
    expect(limitsText(free, ', ')).toContain(`${limit} ${withArticle(window)}`);
  });

  test('ends on the timeline of the page', () => {
    const resetAt = new Date((noonSeconds + lengthSeconds) * 1000).toISOString();
    const row = { id: 1, time: noon, durationMs: 0, strikes: 0, keyId: 'key_1', window, usage: { resetAt } };
    const buffer = new EntryBuffer();
    buffer.add([row as unknown as EntryRow], []);
    expect(buffer.lanes.get('key_1')?.borders).toEqual([(noonSeconds + lengthSeconds) * 1000]);
    expect([...buffer.windows]).toEqual([window]);
  });
});
