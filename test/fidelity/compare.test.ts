// @module-tag slow
import { describe, expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { calibrate } from '../../src/fidelity/ask-service/calibrate.js';
import { type Comparison, compare } from '../../src/fidelity/compare/compare.js';
import type { ServiceDifference } from '../../src/fidelity/compare/difference.js';
import { replayRecording } from '../../src/fidelity/deduce/replay-recording.js';
import { calibratedScenario } from '../../src/fidelity/deduce/scenario-text.js';
import { readYaml } from '../../src/scenario/read-yaml.js';
import type { Exchange } from '../../src/traffic-files/exchange.js';
import { tries } from '../support/prove.js';
import {
  type BanChoices,
  foreignService,
  limitAlternatives,
  plainChoices,
  responseAlternatives,
} from './foreign-service.js';
import { assumptionsOf, createDraw, drawSetting, type Setting, usualBans } from './hidden-worlds.js';

const patienceMs = 3_600_000;
/** Seeds from here on are for counting. Those below were used during development. */
const firstSeed = 10_001;

async function ask(setting: Setting) {
  const { budget, allowsWrite, allowsExhaust, allowsBan } = setting;
  return calibrate(foreignService(setting), { budget, allowsWrite, allowsExhaust, allowsBan, patienceMs });
}

/** The scenario that describes a service. */
function scenarioOf({ choices, limits, plan }: Setting): Scenario {
  return {
    keys: { 'own-key': { plan } },
    categories: [1, 2, 3, 4],
    ...(plan === 'enterprise' && { plans: { enterprise: limits } }),
    assumptions: assumptionsOf(choices),
  };
}

const textOf = ({ outcome, reason, differences }: Comparison) =>
  `${outcome}: ${reason} ${differences.map(({ kind, about, service, simulator, place }) => `\n    ${kind} ${about}: ${service} / ${simulator} (${place})`).join('')}`;

const shown = ({ choices, fractions, plan, before, allowsBan, allowsExhaust, latencyMs, bannedForMs }: Setting) =>
  JSON.stringify({
    a: choices.algorithm,
    w: choices.windowStart,
    rep: choices.reportedWindow,
    rej: choices.rejectedCounts,
    app: choices.limitsApply,
    fractions,
    plan,
    before,
    allowsBan,
    allowsExhaust,
    latencyMs,
    bannedForMs,
  });

/** A change of a service, and the names under which it may be reported. */
interface Planted {
  names: readonly string[];
  setting: Setting;
}

const others: Record<string, readonly unknown[]> = { ...responseAlternatives, ...limitAlternatives };

/** Choices and headers that only the counting shows. */
const ofLimits = [
  'limitsApply',
  'algorithm',
  'windowStart',
  'rejectedCounts',
  'reportedWindow',
  'X-RateLimit-Reset',
  'X-RateLimit-Remaining',
];

/** Changes one thing: every second time an error of one in a header or a ban, otherwise a choice. */
function plant(seed: number, setting: Setting): Planted {
  const { pick, chance, below } = createDraw(seed + 1_000_000);
  const { choices, faults } = setting;
  const withFault = (change: Partial<Setting['faults']>) => ({ ...setting, faults: { ...faults, ...change } });
  const withBan = (change: Partial<BanChoices>) => ({
    ...setting,
    choices: { ...choices, bans: { ...choices.bans, ...change } },
  });
  if (chance(0.5)) {
    const [id, values] = pick(Object.entries(others));
    const value = pick(values.filter((each) => JSON.stringify(each) !== JSON.stringify(choices[id as 'paging'])));
    // A window that is not fixed has no start.
    const algorithm = id === 'windowStart' ? 'fixed-window' : choices.algorithm;
    return { names: [id], setting: { ...setting, choices: { ...choices, algorithm, [id]: value } } };
  }
  const { banAfter, banSeconds } = choices.bans;
  const otherForm = choices.retryAfterForm === 'seconds' ? 'http-date' : 'seconds';
  const kinds: Planted[] = [
    { names: ['X-RateLimit-Reset'], setting: withFault({ reset: 1 }) },
    { names: ['X-RateLimit-Reset'], setting: withFault({ reset: -1 }) },
    { names: ['X-RateLimit-Remaining'], setting: withFault({ remaining: 1 }) },
    { names: ['X-RateLimit-Remaining'], setting: withFault({ remaining: -1 }) },
    { names: ['Retry-After'], setting: withFault({ retryAfter: 1 }) },
    { names: ['Retry-After'], setting: withFault({ retryAfter: -1 }) },
    { names: ['enterpriseLimits', `plans.${setting.plan}`], setting: withFault({ limit: 1 }) },
    { names: ['enterpriseLimits', `plans.${setting.plan}`], setting: withFault({ dayLimit: 1 }) },
    { names: ['Allow'], setting: withFault({ dropAllow: true }) },
    { names: ['Content-Type'], setting: withFault({ dropContentType: true }) },
    { names: ['Deprecation and Sunset', 'deprecation'], setting: withFault({ dropSunset: true }) },
    {
      names: ['retryAfterForm'],
      setting: { ...setting, choices: { ...choices, retryAfterForm: otherForm } },
    },
    { names: ['banAfter'], setting: withBan({ banAfter: banAfter + 1 }) },
    { names: ['banSeconds'], setting: withBan({ banSeconds: banSeconds + 1 }) },
    { names: ['banSeconds'], setting: withBan({ banSeconds: banSeconds - 1 }) },
  ];
  return kinds[below(kinds.length)] as Planted;
}

/** Whether a change that was planted cannot show: it has no effect in this service. */
function isWithoutEffect({ names, setting: { choices, faults, fractions } }: Planted): boolean {
  const [name] = names;
  return (
    (name === 'Allow' && choices.unknownMethod === 'not-found') ||
    (name === 'Deprecation and Sunset' && choices.deprecation === 'silent') ||
    // One second less than a reset that is rounded up is the reset that the scenario expects.
    (name === 'X-RateLimit-Reset' && faults.reset === -1 && fractions === 'up')
  );
}

/** Scenario that calibrate learns from a service. */
async function learnt(setting: Setting): Promise<Scenario> {
  const { learner } = await ask(setting);
  const text = calibratedScenario(learner, { from: 'service', at: '2026-01-01T12:00:00.000Z', requests: 40 });
  return readYaml(text).value as Scenario;
}

/** The service a day later, whose key has been used otherwise. */
const later = (setting: Setting, seed: number): Setting => {
  const { minute, agoMs } = drawSetting(seed + 1).before;
  const count = Math.min(minute, setting.limits.minute);
  return { ...setting, before: { minute: count, day: count, agoMs }, startMs: setting.startMs + 90_000_123 };
};

const described = async (setting: Setting) => scenarioOf(setting);

describe.each([
  ['4 services, under a scenario that describes them', 4, described, []],
  ['4 services, under a scenario that was calibrated from them', 4, learnt, []],
  ['60 services, under a scenario that describes them', 60, described, ['extended']],
  ['60 services, under a scenario that was calibrated from them', 60, learnt, ['extended']],
] as const)('%s', (_, slice, scenarioFor, tags) => {
  const options = { tags: [...tags], timeout: 600_000 };

  test('reports no difference for an unchanged service', options, async () => {
    const reported: string[] = [];
    for (let seed = firstSeed; seed < firstSeed + tries(slice, 600); seed++) {
      const setting = drawSetting(seed);
      const scenario = await scenarioFor(setting);
      const { exchanges, ended } = await ask(later(setting, seed));
      const comparison = await compare(scenario, exchanges, ended);
      if (comparison.differences.length > 0) reported.push(`${seed} ${shown(setting)} ${textOf(comparison)}`);
    }
    expect(reported).toEqual([]);
  });

  test('finds a planted change or lists it as not checked, and blames no other choice', options, async () => {
    const wrong: string[] = [];
    const sums = { found: 0, named: 0 };
    for (let seed = firstSeed; seed < firstSeed + tries(slice, 600); seed++) {
      const drawn = drawSetting(seed);
      const planted = plant(seed, drawn);
      const [name = ''] = planted.names;
      if (isWithoutEffect(planted)) continue;
      const algorithm = name === 'windowStart' ? 'fixed-window' : drawn.choices.algorithm;
      const scenario = await scenarioFor({ ...drawn, choices: { ...drawn.choices, algorithm } });
      const { exchanges, ended } = await ask(later(planted.setting, seed));
      const comparison = await compare(scenario, exchanges, ended);
      const { differences, unchecked } = comparison;
      const isNamed = (about: string) => planted.names.includes(about);
      // `limits` lists the choices and headers of which one has changed.
      const isListed = ({ about, service }: (typeof differences)[number]) =>
        about === 'limits' &&
        (service.includes(name) || (ofLimits.includes(name) && service.includes('no assumption')));
      const isFound = differences.some((each) => isNamed(each.about) || isListed(each));
      const isBlamed = differences.some((each) => !(isNamed(each.about) || isListed(each)));
      if (isFound) sums.found++;
      else if (unchecked.some(isNamed)) sums.named++;
      if (isBlamed || !(isFound || unchecked.some(isNamed)))
        wrong.push(`${seed} ${name} ${JSON.stringify(planted.setting.faults)} ${shown(drawn)} ${textOf(comparison)}`);
    }
    expect(wrong).toEqual([]);
    expect(sums.found / (sums.found + sums.named)).toBeGreaterThanOrEqual(0.4);
  });
});

describe('changes that show for certain', () => {
  const plain: Setting = {
    ...drawSetting(1),
    plan: 'enterprise',
    limits: { minute: 7, day: 3_000 },
    before: { minute: 0, day: 0, agoMs: 0 },
    fractions: 'seconds',
    latencyMs: 5,
    bannedForMs: 0,
    allowsWrite: false,
    allowsExhaust: true,
    allowsBan: true,
    budget: 300,
    choices: {
      ...plainChoices,
      reportedWindow: 'least-remaining',
      errorCodes: {},
      bans: { ...usualBans, banAfter: 2 },
    },
  };
  const { choices, faults } = plain;
  const reading: Setting = { ...plain, limits: { minute: 60, day: 3_000 }, allowsExhaust: false, allowsBan: false };
  const clock: Setting = { ...plain, choices: { ...choices, windowStart: 'clock' } };
  const withFaults = (setting: Setting, change: Partial<Setting['faults']>) => ({
    ...setting,
    faults: { ...faults, ...change },
  });
  const withBans = (change: Partial<BanChoices>) => ({
    ...plain,
    choices: { ...choices, bans: { ...choices.bans, ...change } },
  });

  test.each<[string, string, Setting, Setting]>([
    ['a reset one second later', 'X-RateLimit-Reset', clock, withFaults(clock, { reset: 1 })],
    ['a reset one second earlier', 'X-RateLimit-Reset', clock, withFaults(clock, { reset: -1 })],
    ['one request more', 'X-RateLimit-Remaining', reading, withFaults(reading, { remaining: 1 })],
    ['Retry-After one second less', 'Retry-After', plain, withFaults(plain, { retryAfter: -1 })],
    ['Retry-After one second more', 'Retry-After', plain, withFaults(plain, { retryAfter: 1 })],
    [
      'Retry-After as a date',
      'retryAfterForm',
      plain,
      { ...plain, choices: { ...choices, retryAfterForm: 'http-date' } },
    ],
    ['a missing Allow', 'Allow', plain, withFaults(plain, { dropAllow: true })],
    ['a ban one refusal later', 'banAfter', plain, withBans({ banAfter: 3 })],
    ['a ban one second longer', 'banSeconds', plain, withBans({ banSeconds: 121 })],
    ['a ban one second shorter', 'banSeconds', plain, withBans({ banSeconds: 119 })],
    ['one request more a minute', 'enterpriseLimits', plain, withFaults(plain, { limit: 1 })],
  ])('%s is a difference in %s alone', async (_, about, before, after) => {
    const unchanged = await ask(before);
    expect((await compare(scenarioOf(before), unchanged.exchanges, unchanged.ended)).differences).toEqual([]);
    const { exchanges, ended } = await ask(after);
    const { differences } = await compare(scenarioOf(before), exchanges, ended);
    expect(differences.map((each) => each.about)).toEqual([about]);
  });

  test('does not check limits of a plan that is not in the scenario', async () => {
    const { exchanges, ended } = await ask(plain);
    const { plans: _, keys: __, ...unknown } = scenarioOf(plain);
    const { differences, unchecked } = await compare(unknown, exchanges, ended);
    expect([differences, unchecked.includes('enterpriseLimits')]).toEqual([[], true]);
  });

  test('confirms the length of bans from one ban, and their growth from several', async () => {
    const { exchanges } = await ask(plain);
    const isBan = ({ responseBody }: Exchange) => JSON.stringify(responseBody).includes('key_banned');
    const checkedBy = async (bans: number) => {
      const start = exchanges.filter((_, at) => exchanges.slice(0, at).filter(isBan).length < bans);
      const { confirmed, unchecked } = await compare(scenarioOf(plain), start, undefined);
      return ['banSeconds', 'banEscalation'].map((about) => [confirmed.includes(about), unchecked.includes(about)]);
    };
    expect(await checkedBy(1)).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(await checkedBy(Number.POSITIVE_INFINITY)).toEqual([
      [true, false],
      [true, false],
    ]);
  });

  test('a scenario whose faults take time or lose responses is compared, without the waits', async () => {
    const { exchanges } = await ask({ ...reading, budget: 12, allowsWrite: false });
    const then = [{ delay: '5s' }, { drip: { bytes: 1, every: '1s' } }, { hang: true }, { reset: true }] as const;
    const lasting = [...then, { delay: '1s', countsQuota: false }, { truncate: { bytes: 3 } }];
    const scenario = {
      ...scenarioOf(reading),
      faults: lasting.map((effect, index) => ({ when: { nth: index + 1 }, then: effect })),
    } as Scenario;
    const { differences } = await compare(scenario, exchanges, undefined);
    const isLost = ({ about, simulator }: ServiceDifference) => about === 'status' && simulator === '0';
    const lost = differences.filter(isLost).map(({ place }) => place);
    expect(lost).toHaveLength(2);
    const asOwn = exchanges.map((each) => (each.token === 'own' ? { ...each, token: 'own-key' } : each));
    const { compared, differing } = await replayRecording(scenario, asOwn);
    expect(compared).toBe(exchanges.length);
    expect(differing.filter((text) => text.endsWith('now 0')).map((text) => text.split(': ')[0])).toEqual(lost);
  });

  test('reports no difference for a key that is banned at the start', async () => {
    const { exchanges, ended } = await ask({ ...plain, bannedForMs: 40_000, allowsBan: false });
    expect((await compare(scenarioOf(plain), exchanges, ended)).differences).toEqual([]);
  });
});
