import { describe, expect, test } from 'vitest';
import { calibrate } from '../../src/fidelity/ask-service/calibrate.js';
import type { Transport } from '../../src/fidelity/ask-service/service-client.js';
import type { Subject } from '../../src/fidelity/deduce/observation.js';
import { seed } from '../support/prove.js';
import { drawExpressSettings, type ExpressSettings, expressService } from './express-service.js';
import { foreignService, plainChoices, plainService, plainSettings } from './foreign-service.js';
import {
  asking,
  createDraw,
  drawSetting,
  learnable as learnableOf,
  setText,
  shownByReads,
  shownByWrites,
  truth as truthOf,
} from './hidden-worlds.js';

// calibrate against services that share no code with the simulator, in settings drawn at random. docs/fidelity.md has
// the table that the tests with the tag `extended` print.

/** Value of a choice that no value of the simulator describes; a certain value is wrong. */
const noChoice = 'no choice of the simulator';

interface Foreign {
  readonly transport: Transport & { close?(): Promise<void> };
  readonly truth: (about: Subject) => unknown;
  readonly learnable: readonly Subject[];
  readonly allowsWrite: boolean;
  readonly allowsExhaust: boolean;
}

const limitSubjects: readonly Subject[] = [
  'algorithm',
  'windowStart',
  'limitsApply',
  'rejectedCounts',
  'reportedWindow',
  'enterpriseLimits',
];

/** Truth of a service without any choice about limits. */
const unlike = (truth: Foreign['truth']) => (about: Subject) =>
  limitSubjects.includes(about) ? noChoice : truth(about);

function expressTruth(settings: ExpressSettings): Foreign['truth'] {
  const values: Partial<Record<Subject, unknown>> = {
    ...plainChoices,
    ...settings.choices,
    rejectedCounts: 'all',
    enterpriseLimits: noChoice,
    rateLimitFields: settings.standardHeaders === false ? 'none' : 'legacy',
    afterRemoval: noChoice,
    cors: noChoice,
  };
  return (about) => {
    const code = /^errorCodes\.(.*)$/.exec(about)?.[1];
    return code ?? (about.startsWith('ban') ? noChoice : values[about]);
  };
}

async function expressWorld(seed: number, instances: number): Promise<Foreign> {
  const settings = drawExpressSettings(seed, instances);
  const draw = createDraw(seed + 500_000);
  const allowsWrite = draw.chance(0.6);
  const isAlike = instances === 1 && !settings.skipFailedRequests;
  const limits: Subject[] = ['limitsApply', 'algorithm', 'windowStart'];
  const truth = expressTruth(settings);
  return {
    transport: await expressService(settings),
    truth: isAlike ? truth : unlike(truth),
    learnable: [...shownByReads, ...(allowsWrite ? shownByWrites : []), ...(isAlike ? limits : [])],
    allowsWrite,
    allowsExhaust: draw.chance(0.5),
  };
}

async function fractionsWorld(seed: number): Promise<Foreign> {
  const { pick } = createDraw(seed + 500_000);
  const setting = { ...drawSetting(seed), fractions: pick(['up', 'down'] as const) };
  const { choices, limits, plan, before, allowsWrite, allowsExhaust } = setting;
  const usage = { minute: before.minute, day: before.day };
  const transport = foreignService(setting);
  const world = { choices, limits, usage, allowsWrite, allowsExhaust, transport };
  return {
    transport,
    truth: (about) => {
      if (about === 'enterpriseLimits') return plan === 'enterprise' ? limits : noChoice;
      return about === 'cors' || about === 'afterRemoval'
        ? noChoice
        : truthOf({ ...world, behaviour: noBehaviour }, about);
    },
    learnable: learnableOf({ ...world, behaviour: noBehaviour }),
    allowsWrite,
    allowsExhaust,
  };
}

const noBehaviour = () => ({ early: 0, bans: 0, outcome: '' });

async function instancesWorld(seed: number): Promise<Foreign> {
  const { pick, below } = createDraw(seed + 700_000);
  if (seed % 2 === 0) return expressWorld(seed, 2 + below(3));
  const settings = {
    ...plainSettings,
    algorithm: pick(['fixed-window', 'sliding-log', 'token-bucket'] as const),
    limit: pick([5, 9, 20, 60, 60, 100, 300, 1_000]),
    fractions: pick(['seconds', 'down', 'up'] as const),
    instances: 2 + below(3),
    startMs: plainSettings.startMs + below(900_000),
  };
  const express = expressTruth(drawExpressSettings(seed, 1));
  // Ten requests a second find every bucket full: one instance responds exactly like several.
  const isAlike = settings.algorithm === 'token-bucket' && settings.limit > 600;
  const limits = { algorithm: settings.algorithm, limitsApply: 'all', reportedWindow: 'minute' };
  const plain: Partial<Record<Subject, unknown>> = {
    ...plainChoices,
    ...Object.fromEntries(limitSubjects.map((about) => [about, noChoice])),
    ...(isAlike && limits),
    'errorCodes.payload_too_large': 'invalid_request',
  };
  return {
    transport: plainService(settings),
    truth: (about) => (about in plain ? plain[about] : unlike(express)(about)),
    learnable: [...shownByReads, ...shownByWrites],
    allowsWrite: true,
    allowsExhaust: true,
  };
}

const services = {
  'Express with express-rate-limit': (seed: number) => expressWorld(seed, 1),
  'fractions of a second, rounded up or down': fractionsWorld,
  'several instances behind a balancer': instancesWorld,
};

async function measure(name: keyof typeof services, firstSeed: number, count: number) {
  const states = { certain: 0, certainWrong: 0, likely: 0, likelyWrong: 0 };
  const sums = { ...states, learnable: 0, learnt: 0, requests: 0, most: 0 };
  const wrong: string[] = [];
  const ofLimits = { learnable: 0, learnt: 0 };
  const missed = new Map<string, number>();
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const { transport, truth, learnable, allowsWrite, allowsExhaust } = await services[name](seed);
    const options = { ...asking, allowsWrite, allowsExhaust };
    const { learner, knowledge, exchanges } = await calibrate(transport, options).finally(() => transport.close?.());
    for (const { about, state, value, evidence } of knowledge) {
      const isRight = setText(truth(about)) === setText(value);
      if (state === 'certain') sums[isRight ? 'certain' : 'certainWrong']++;
      if (state === 'likely') sums[isRight ? 'likely' : 'likelyWrong']++;
      if (state === 'certain' && !isRight)
        wrong.push(`seed ${seed}: ${about} ${setText(value)}, not ${setText(truth(about))}: ${evidence}`);
    }
    for (const about of learnable) {
      const { state, value } = learner.about(about);
      const isLearnt = state === 'certain' && setText(value) === setText(truth(about));
      sums.learnable++;
      if (limitSubjects.includes(about)) ofLimits.learnable++;
      if (limitSubjects.includes(about) && isLearnt) ofLimits.learnt++;
      if (isLearnt) sums.learnt++;
      else missed.set(`${about} ${state}`, (missed.get(`${about} ${state}`) ?? 0) + 1);
    }
    sums.requests += exchanges.length;
    sums.most = Math.max(sums.most, exchanges.length);
  }
  return { sums, ofLimits, wrong, missed };
}

async function check(name: keyof typeof services, firstSeed: number, count: number): Promise<void> {
  const { sums, ofLimits, wrong, missed } = await measure(name, firstSeed, count);
  const seeds = `seeds ${firstSeed} to ${firstSeed + count - 1}`;
  console.log(`${name}, ${seeds}: ${JSON.stringify({ ...sums, ofLimits })} ${JSON.stringify([...missed])}`);
  expect(wrong, seeds).toEqual([]);
  expect(sums.most, seeds).toBeLessThanOrEqual(40);
  expect(sums.learnt / sums.learnable, seeds).toBeGreaterThanOrEqual(0.9);
  expect(ofLimits.learnt, seeds).toBeGreaterThanOrEqual(0.9 * ofLimits.learnable);
  expect(sums.likelyWrong, seeds).toBeLessThanOrEqual((sums.likely + sums.likelyWrong) / 10);
}

const names = Object.keys(services) as (keyof typeof services)[];

describe('nothing certain is wrong, and 9 of 10 learnable choices are certain, of', () => {
  test.each(names)('5 services: %s', (name) => check(name, 300_000 + seed * 1_000, 5));
  test.each(names)('50 services: %s', { tags: ['extended'], timeout: 600_000 }, (name) =>
    check(name, 400_000 + seed * 1_000, 50),
  );
});
