import { expect, test } from 'vitest';
import { calibrate } from '../../src/fidelity/ask-service/calibrate.js';
import { tries } from '../support/prove.js';
import { asking, hiddenWorld, learnable, setText, truth } from './hidden-worlds.js';

const same = (a: unknown, b: unknown) => setText(a) === setText(b);

test.each(['ours', 'second'] as const)(
  'learns a hidden service (%s) in 40 requests without a wrong certain value',
  async (kind) => {
    const count = tries(10, 100);
    const sums = { learnable: 0, learnt: 0, most: 0 };
    const wrong: string[] = [];
    const behaviours: string[] = [];
    for (let seed = 1; seed <= count; seed++) {
      const world = hiddenWorld(kind === 'ours' ? seed : 1_000 + seed, kind);
      const { allowsWrite, allowsExhaust } = world;
      const options = { ...asking, allowsWrite, allowsExhaust };
      const { learner, knowledge, exchanges } = await calibrate(world.transport, options);
      sums.most = Math.max(sums.most, exchanges.length);
      for (const { about, state, value, left, evidence } of knowledge) {
        const real = truth(world, about);
        const isRight = same(value, real);
        if (real !== undefined && state === 'certain' && !isRight)
          wrong.push(`seed ${seed}: ${about} is ${JSON.stringify(real)}, not ${JSON.stringify(value)}: ${evidence}`);
        if (state === 'contradicted')
          wrong.push(`seed ${seed}: ${about} contradicted: ${evidence} (${JSON.stringify(world.choices)})`);
        const isOpen = !['windowStart', 'enterpriseLimits', 'cors'].includes(about);
        if (state === 'not asked' && left.length > 0 && isOpen && !left.some((each) => same(each, real)))
          wrong.push(`seed ${seed}: ${about} left without the truth ${left}`);
      }
      for (const { observation } of learner.contradictions)
        wrong.push(`seed ${seed}: document: ${observation.description}`);
      for (const subject of learnable(world)) {
        sums.learnable++;
        const { state, value } = learner.about(subject);
        const isLearnt = state === 'certain' && same(value, truth(world, subject));
        sums.learnt += isLearnt ? 1 : 0;
      }
      const { early, bans, outcome } = world.behaviour();
      if (early > 0 || bans > 0 || outcome === 'fail')
        behaviours.push(`seed ${seed}: ${early} early, ${bans} bans, ${outcome}`);
    }
    expect(wrong).toEqual([]);
    expect(behaviours).toEqual([]);
    expect(sums.most).toBeLessThanOrEqual(asking.budget);
    expect(sums.learnt / sums.learnable).toBeGreaterThanOrEqual(0.95);
  },
);
