import { afterEach, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import { serve } from '../../src/entries/node.js';
import { judge } from '../../src/judge/judge.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { stateAsScenario } from '../../src/petstore/state-as-scenario.js';
import { readStart } from '../../src/scenario/read-start.js';
import { type DocumentedWindow, documentedNames, documentedWindows } from '../../src/values/window-fields.js';
import { noon, noonSeconds } from '../support/adapters.js';
import { newFolder } from '../support/new-folder.js';
import { openServer } from '../support/open-server.js';
import { message, rate, send, sendTimes } from '../support/plain-call.js';

/** Windows of seconds, hours and months beside those of the document, in plans that name one, three and five. */
const scenario = {
  name: 'five-windows',
  clock: { start: noon, mode: 'frozen' },
  pets: [{ id: 1, name: 'Rex', categoryId: 1, status: 'available' }],
  windows: { second: '1s', shift: '1h', month: '30d' },
  plans: {
    free: { second: 5, shift: 20, day: 1_000, minute: null },
    trial: { month: 3 },
    all: { second: 4, minute: 10, shift: 15, day: 30, month: 50 },
  },
  keys: {
    free: { plan: 'free' },
    trial: { plan: 'trial' },
    all: { plan: 'all', usage: { month: 40, shift: 2 } },
  },
} as const satisfies Scenario;

const create = () => createSimulator({ scenario });
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close();
});
const track = <Opened extends { close(): unknown }>(each: Opened): Opened => {
  opened.push(each);
  return each;
};

test('the message, the IETF fields and a 401 describe windows of the scenario', () => {
  const sim = createSimulator({ scenario: { ...scenario, assumptions: { rateLimitFields: 'structured-rt' } } });
  const served = send(sim, { key: 'trial' });
  expect(served.headers.RateLimit).toBe('"month";r=2;t=2592000');
  expect(served.headers['RateLimit-Policy']).toBe('"month";q=3;w=2592000');
  sendTimes(sim, 2, { key: 'trial' });
  expect(message(send(sim, { key: 'trial' }))).toBe(
    'The trial plan allows 3 requests in 2592000 seconds; retry in 2592000 seconds.',
  );
  // The first window of plan free, which has no minute: documented windows come first.
  const window = documentedNames[1] as DocumentedWindow;
  const limit = documentedPlans.free[window];
  expect(rate(send(sim, { key: 'unknown' }))).toEqual({
    limit,
    remaining: limit,
    reset: noonSeconds + documentedWindows[window],
    retryAfter: undefined,
  });
});

test('requests of other clients count in every window, over years too', () => {
  const sim = createSimulator({
    scenario: {
      ...scenario,
      background: { all: 0.001 },
      plans: { all: { year: 1e6, month: 1e6, shift: 100 } },
      windows: { ...scenario.windows, year: '365d' },
      keys: { all: { plan: 'all' } },
    },
  });
  send(sim, { key: 'all' });
  sim.clock.advance('400d');
  send(sim, { key: 'all' });
  const { windows = {} } = sim.keys.get('all');
  const usedIn = (name: string) => (windows[name]?.limit ?? 0) - (windows[name]?.remaining ?? 0);
  // 0.001 a second is 3.6 a shift, 86.4 a day.
  expect(usedIn('shift')).toBeLessThanOrEqual(5);
  expect(usedIn('month')).toBeGreaterThan(86 * 7);
  expect(usedIn('year')).toBeGreaterThan(86 * 300);
});

test('control operations list, use up and refill any window', async () => {
  const sim = create();
  const server = await openServer(sim);
  for (const control of [createControl(sim), createControl(server.controlUrl)]) {
    const info = await control.getKey({ key: 'free' });
    expect(info).not.toHaveProperty('minute');
    expect(Object.keys(info.windows ?? {})).toEqual(['second', 'shift']);
    await control.exhaustKey({ key: 'free', window: 'shift' });
    expect(send(sim, { key: 'free' }).status).toBe(429);
    await control.setKeyUsage({ key: 'free', day: 7, windows: { shift: 0 } });
    expect(await control.getKey({ key: 'free' })).toMatchObject({
      day: { remaining: 993 },
      windows: { shift: { remaining: 20 } },
    });
    // Without a window, the first one of the plan.
    expect(await control.exhaustKey({ key: 'trial' })).toMatchObject({ windows: { month: { remaining: 0 } } });
    const unknown = 'day, second, shift), got "shfit"; did you mean shift?';
    await expect(async () => control.exhaustKey({ key: 'free', window: 'shfit' })).rejects.toThrow(unknown);
    for (const window of ['constructor', '__proto__'])
      await expect(async () => control.exhaustKey({ key: 'free', window })).rejects.toThrow('expected a window');
    await control.reset();
  }
});

test('an exported state, its import and its scenario have every window', () => {
  const sim = create();
  sendTimes(sim, 3, { key: 'all' });
  sendTimes(sim, 2, { key: 'free' });
  sendTimes(sim, 4, { key: 'trial' });
  const control = createControl(sim);
  const exported = control.exportState();
  const [free] = exported.keys;
  expect(Object.keys(free ?? {})).not.toContain('minute');
  expect(free?.windows).toEqual({
    second: { startSeconds: noonSeconds, used: 2, log: [] },
    shift: { startSeconds: noonSeconds, used: 2, log: [] },
  });
  const text = JSON.stringify(exported);
  const other = createSimulator({ scenario });
  const otherControl = createControl(other);
  otherControl.importState(JSON.parse(text));
  expect(JSON.stringify(otherControl.exportState())).toBe(text);
  expect(other.keys.list()).toEqual(sim.keys.list());

  const again = createSimulator({ scenario: stateAsScenario(exported), readStart });
  expect(again.keys.list()).toEqual(sim.keys.list());
  expect(send(again, { key: 'trial' }).status).toBe(429);

  const wrong = JSON.parse(text.replaceAll('"shift"', '"shfit"'));
  expect(() => otherControl.importState({ ...exported, keys: wrong.keys })).toThrow(
    /keys\[0\]\.windows\.shfit: expected a window of the plan \(.*day, second, shift\), got "shfit"; did you mean shift\?/,
  );
});

test('a restart keeps the usage of every window, and a sandbox has its own', async () => {
  const data = newFolder();
  const options = { data, port: 0, scenario };
  const ask = async (baseUrl: string, key: string) => {
    const response = await fetch(`${baseUrl}/pets`, { headers: { authorization: `Bearer ${key}` } });
    await response.text();
    return [response.status, Number(response.headers.get('x-ratelimit-remaining'))];
  };
  const first = await serve(options);
  expect(await ask(first.baseUrl, 'trial')).toEqual([200, 2]);
  expect(await ask(first.baseUrl, 'trial')).toEqual([200, 1]);
  const sandboxOf = (baseUrl: string) => baseUrl.replace('/v1', '/s/mine/v1');
  expect(await ask(sandboxOf(first.baseUrl), 'trial')).toEqual([200, 2]);
  await first.close({ graceMs: 0 });
  const second = track(await serve(options));
  expect(await ask(second.baseUrl, 'trial')).toEqual([200, 0]);
  expect(await ask(second.baseUrl, 'trial')).toEqual([429, 0]);
  expect(await ask(sandboxOf(second.baseUrl), 'trial')).toEqual([200, 1]);
});

test('a client that hammers an exhausted long window is told so, also before the shortest one', () => {
  const verdictOf = (key: string, window: string) => {
    const sim = createSimulator({ scenario: { ...scenario, ban: 'off' } });
    sim.keys.setUsage(key, { [window]: sim.keys.get(key).windows?.[window]?.limit ?? 0 });
    for (let n = 0; n < 4; n++) {
      send(sim, { key });
      sim.clock.advance('1100ms');
    }
    return judge(sim, { isOver: true });
  };
  const hammered = (key: string, window: string) =>
    verdictOf(key, window).findings.filter(({ code }) => code === 'ignored-day-window');
  expect(verdictOf('free', 'shift').reason).toContain('kept sending although a long limit was exhausted');
  expect(hammered('free', 'shift')).toMatchObject([
    { severity: 'fail', measured: '3 requests before the reset of the window shift' },
  ]);
  expect(hammered('all', 'month')).toMatchObject([{ measured: '3 requests before the reset of the window month' }]);
  const banned = createSimulator({
    scenario: {
      ...scenario,
      keys: { k: { plan: 'free', bannedFor: '60s' } },
      plans: { free: { minute: 60, shift: 9 } },
    },
  });
  for (let n = 0; n < 4; n++) send(banned, { key: 'k' });
  expect(judge(banned, { isOver: true }).findings.map(({ code }) => code)).not.toContain('ignored-day-window');
  expect(hammered('free', 'second')).toEqual([]);
  expect(hammered('trial', 'month')).toEqual([]);
});

test.each([
  ['all', 0],
  ['all but 2', 2],
  ['all but 999999', 20],
] as const)('a key with the usage %s has %i requests left, whatever the limit', (quarter, left) => {
  const scenario: Scenario = {
    windows: { quarter: '15m' },
    plans: { small: { quarter: 20 } },
    keys: { 'small-key': { plan: 'small', usage: { quarter } } },
  };
  const sim = createSimulator({ scenario });
  expect(sim.keys.get('small-key')).toMatchObject({ windows: { quarter: { limit: 20, remaining: left } } });
});

test('the usage of a key is a number, all, or all but a number', () => {
  const scenario = { keys: { 'free-key': { usage: { minute: 'al' } } } } as unknown as Scenario;
  expect(() => createSimulator({ scenario })).toThrow('keys.free-key.usage.minute: expected a number, "all"');
});
