import { expect, test } from 'vitest';
import type { AnyControlOperation } from '../../src/control-api/control-operation.js';
import { isLazy, jsonPieces } from '../../src/control-api/lazy-result.js';
import { perform, performInSteps } from '../../src/control-api/perform.js';
import { judge, judgeInSteps } from '../../src/judge/judge.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { controlOperations, createControl } from '../../src/petstore/served-petstore.js';
import { runToEnd } from '../../src/values/steps.js';
import { frozen } from '../support/frozen.js';
import { send, sendTimes } from '../support/plain-call.js';

/** A simulator whose client was refused, banned and served, with keys that are shown masked. */
function used() {
  const sim = frozen({ keys: { 'free-key': { usage: { minute: documentedPlans.free.minute - 2 } } } });
  sendTimes(sim, 8);
  sim.clock.advance('2s');
  send(sim, { body: { name: 'Žofie', categoryId: 1 } });
  send(sim, { key: 'sent-secret-5678', query: 'limit=7' });
  return sim;
}

const lazy = ['queryJournal', 'exportHar', 'exportJournal', 'exportRun', 'exportState', 'getScenario'] as const;

test.each(lazy)('%s in pieces equals the result in one piece', (name) => {
  const sim = used();
  const operation: AnyControlOperation = controlOperations[name];
  const result = runToEnd(performInSteps(operation, sim, operation.example ?? {}, {}));
  expect(isLazy(result)).toBe(true);
  const text = [...jsonPieces(result)].join('');
  const whole = perform(operation, sim, operation.example ?? {});
  expect(isLazy(whole)).toBe(false);
  expect(text).toBe(typeof whole === 'string' ? whole : JSON.stringify(whole));
  // A state is for the same simulator only.
  if (name !== 'exportState') expect(text).not.toContain('sent-secret');
});

test('a report masks the keys of its scenario, also as names of fields', () => {
  const secret = 'sk_live_secret_5678';
  const sim = frozen({ keys: { [secret]: { plan: 'pro' } } });
  send(sim, { key: secret, query: `q=${secret}` });
  const text = JSON.stringify(perform(controlOperations.exportRun, sim, {}));
  expect(text).not.toContain(secret);
  expect(text).toContain('"…5678":{');
});

test('the verdict on many requests takes many steps, and so does a report', () => {
  const sim = frozen({ limits: 'off' });
  sendTimes(sim, 2_000);
  for (const operation of [controlOperations.getVerdict, controlOperations.exportRun]) {
    const steps = performInSteps(operation as AnyControlOperation, sim, {}, {});
    let count = 0;
    while (!steps.next().done) count++;
    expect(count).toBeGreaterThan(20);
  }
});

test('a verdict in steps is unaffected by requests and outcomes between the steps, which the next one covers', () => {
  const sim = used();
  const before = judge(sim);
  const steps = judgeInSteps(sim, undefined);
  const { size } = sim.journal;
  let step = steps.next();
  while (!step.done) {
    send(sim);
    createControl(sim).reportOutcome({ result: 'aborted' });
    step = steps.next();
  }
  expect(step.value).toEqual(before);
  expect(sim.journal.size).toBeGreaterThan(size);
  expect(judge(sim).counts.requests).toBe(sim.journal.size);
});
