// @module-tag extended
import { expect, test } from 'vitest';
import type { Scenario } from '../../src/entries/index.js';
import { createSimulator } from '../../src/entries/index.js';
import { calibrate } from '../../src/fidelity/ask-service/calibrate.js';
import type { Subject } from '../../src/fidelity/deduce/observation.js';
import { calibratedScenario } from '../../src/fidelity/deduce/scenario-text.js';
import { readYaml } from '../../src/scenario/read-yaml.js';
import { tries } from '../support/prove.js';
import { foreignService } from './foreign-service.js';
import { asking, banningWorld, drawSetting, type HiddenWorld, truth } from './hidden-worlds.js';

const enough = 400;
const options = { ...asking, budget: enough, allowsExhaust: true, allowsBan: true, patienceMs: 3_600_000 };
const ask = (world: HiddenWorld, budget: number, allowsBan = true) =>
  calibrate(world.transport, { ...options, budget, allowsBan });

/** Choices of a service that any procedure can learn; a ban that ends before its window does not show its end. */
function learnable({ choices: { bans } }: HiddenWorld): Subject[] {
  if (bans.banAfter === 0) return ['banAfter'];
  const always: Subject[] = ['banAfter', 'banStatus', 'banGraceMs', 'banToleranceMs', 'banEscalation'];
  return bans.banSeconds < 10 ? always : [...always, 'banSeconds', 'banExtend'];
}

/**
 * Whether a value is correct within the exactness of any observation: grace period of a burst, and longest growing ban.
 */
function isRight(world: HiddenWorld, about: Subject, value: unknown): boolean {
  const real = truth(world, about);
  if (about === 'banGraceMs' || about === 'banToleranceMs') return Math.abs(Number(value) - Number(real)) <= 100;
  const factorOf = (of: unknown) => (of as { factor?: number }).factor;
  if (about === 'banEscalation' && real !== false) return factorOf(value) === factorOf(real);
  return JSON.stringify(value) === JSON.stringify(real);
}

test.each(['ours', 'second'] as const)(
  'learns the bans of a hidden service (%s) without a wrong certain value',
  async (kind) => {
    const wrong: string[] = [];
    const sums = { learnable: 0, learnt: 0, strikes: 0, certainStrikes: 0, mostBans: 0, mostRequests: 0 };
    for (let seed = 1; seed <= tries(15, 200); seed++) {
      const world = banningWorld(kind === 'ours' ? seed : 5_000 + seed, kind);
      const { learner, knowledge, exchanges } = await ask(world, enough);
      for (const { about, state, value, evidence } of knowledge) {
        const real = truth(world, about);
        const isWrong = real !== undefined && state === 'certain' && JSON.stringify(value) !== JSON.stringify(real);
        if (isWrong || state === 'contradicted')
          wrong.push(`seed ${seed}: ${about} is ${real}, not ${value}: ${evidence}`);
      }
      for (const { observation } of learner.contradictions)
        wrong.push(`seed ${seed}: document: ${observation.description}`);
      for (const about of learnable(world)) {
        const { state, value } = learner.about(about);
        sums.learnable++;
        sums.learnt += state !== 'not asked' && isRight(world, about, value) ? 1 : 0;
      }
      const isBanning = world.choices.bans.banAfter > 0;
      sums.strikes += isBanning ? 1 : 0;
      sums.certainStrikes += isBanning && learner.about('banAfter').state === 'certain' ? 1 : 0;
      sums.mostBans = Math.max(sums.mostBans, learner.bans);
      sums.mostRequests = Math.max(sums.mostRequests, exchanges.length);
      const text = calibratedScenario(learner, { from: 'x', at: '2026-01-01', requests: exchanges.length });
      const { value, issues } = readYaml(text);
      expect(issues).toEqual([]);
      expect(() => createSimulator({ scenario: value as Scenario })).not.toThrow();
    }
    expect(wrong).toEqual([]);
    expect(sums.learnt / sums.learnable).toBeGreaterThanOrEqual(0.95);
    expect(sums.certainStrikes / sums.strikes).toBeGreaterThanOrEqual(0.95);
    expect(sums.mostBans).toBeLessThanOrEqual(8);
    expect(sums.mostRequests).toBeLessThanOrEqual(300);
  },
);

test('starts no ban that the budget cannot finish, prints the required budget, and continues from there', async () => {
  const world = banningWorld(2, 'ours');
  const first = await ask(world, 20);
  expect(first.learner.bans).toBe(0);
  expect(first.ended).toMatch(
    /^A ban needs \d+ requests, and the budget has \d+ left; continue with a larger --budget\.$/,
  );
  const [takes = 0, left = 0] = (first.ended?.match(/\d+/g) ?? []).map(Number);
  const enoughForOne = 20 + takes - left;
  const almost = await ask(banningWorld(2, 'ours'), enoughForOne - 1);
  expect([almost.learner.bans, almost.ended]).toEqual([
    0,
    first.ended?.replace(`has ${left} left`, `has ${takes - 1} left`),
  ]);
  expect((await ask(banningWorld(2, 'ours'), enoughForOne)).learner.bans).toBe(1);
  const { exchanges } = first;
  const whole = await calibrate(world.transport, options, exchanges);
  expect(whole.learner.about('banAfter')).toMatchObject({ state: 'certain', value: world.choices.bans.banAfter });
  const again = await calibrate(world.transport, options, whole.exchanges);
  expect(again.exchanges.length).toBe(whole.exchanges.length);
});

test('never gets a key banned without permission', async () => {
  for (const seed of [3, 4, 5]) {
    const world = banningWorld(seed, 'ours');
    const { learner } = await ask(world, enough, false);
    expect([learner.bans, world.behaviour().bans, world.behaviour().early]).toEqual([0, 0, 0]);
  }
});

test('detects a ban with the code of the limit, and sends no more requests during it', async () => {
  const unnoticed: string[] = [];
  for (let seed = 1; seed <= 10; seed++) {
    const world = banningWorld(seed, 'ours');
    const { banAfter, banStatus, banSeconds } = world.choices.bans;
    // A ban that ends with the window does not move the reset.
    if (banAfter === 0 || banStatus !== 429 || banSeconds < 90) continue;
    const { errorCodes } = world.choices;
    const codeOfLimit = errorCodes.rate_limit_exceeded ?? 'rate_limit_exceeded';
    const send: typeof world.transport.send = async (probe) => {
      const answer = await world.transport.send(probe);
      return { ...answer, body: answer.body.replace('key_banned', codeOfLimit) };
    };
    const marked = await ask(banningWorld(seed, 'ours'), enough);
    const { learner, exchanges } = await ask({ ...world, transport: { ...world.transport, send } }, enough);
    expect(learner.about('banStatus').state).not.toBe('certain');
    expect(learner.limits.unexplained).toBeUndefined();
    if (learner.about('banAfter').value !== banAfter || exchanges.length > marked.exchanges.length)
      unnoticed.push(`seed ${seed}: ${JSON.stringify(learner.about('banAfter'))}, ${exchanges.length} requests`);
  }
  expect(unnoticed).toEqual([]);
});

test('the duration of a ban is exact, or an interval if resets are rounded up', async () => {
  const wrong: string[] = [];
  let learnt = 0;
  for (let seed = 60_001; seed <= 60_080; seed++) {
    const setting = drawSetting(seed);
    if (!setting.allowsBan) continue;
    const { learner } = await calibrate(foreignService({ ...setting, fractions: 'up' }), options);
    const { state, left } = learner.about('banSeconds');
    if (state === 'not asked') continue;
    learnt++;
    if (!left.includes(setting.choices.bans.banSeconds)) wrong.push(`seed ${seed}: ${left}`);
  }
  expect(wrong).toEqual([]);
  expect(learnt).toBeGreaterThan(10);
});
