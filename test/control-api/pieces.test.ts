import { expect, test } from 'vitest';
import type { AnyControlOperation } from '../../src/control-api/control-operation.js';
import { isLazy, jsonPieces } from '../../src/control-api/lazy-result.js';
import { perform, performInSteps } from '../../src/control-api/perform.js';
import type { RunReport } from '../../src/control-api/run-report.js';
import { judge, judgeInSteps } from '../../src/judge/judge.js';
import { timelineOf } from '../../src/judge/report/timeline.js';
import { createSimulatorFrom } from '../../src/petstore/create-simulator.js';
import { documentedPlans } from '../../src/petstore/document.js';
import { generatePets } from '../../src/petstore/generate-pets.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { controlOperations, createControl } from '../../src/petstore/served-petstore.js';
import { readStart } from '../../src/scenario/read-start.js';
import { displayKey } from '../../src/simulator/redact.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { maskedKey } from '../../src/values/mask-key.js';
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

test('a report names the keys of its scenario in full, and masks the secret one, also as the name of a field', async () => {
  const secret = 'sk_live_secret_5678';
  const names = ['web-frontend-staging', 'batch-job-staging', 'mobile-app-staging'];
  const resolved = resolveScenario({ keys: Object.fromEntries([secret, ...names].map((key) => [key, {}])) });
  const sim = createSimulatorFrom({ ...resolved, secretKey: secret }, { readStart, generatePets });
  for (const key of [secret, ...names]) send(sim, { key, query: `q=${key}` });
  const report = perform(controlOperations.exportRun, sim, {});
  const text = JSON.stringify(report);
  expect(text).not.toContain(secret);
  expect(text).toContain(`"${maskedKey(secret)}":{`);
  const shown = [maskedKey(secret), ...names];
  const { entries, answers } = JSON.parse(text) as RunReport;
  expect(entries.map(({ key }) => key)).toEqual(shown);
  const { keys } = answers['/keys?limit=100'] as { keys: { key: string }[] };
  expect(keys.map(({ key }) => key)).toEqual(expect.arrayContaining(shown));
  const nameKey = (key: string) => displayKey(sim, key);
  expect(timelineOf(sim.journal.query(), nameKey).rows.map(({ name }) => name)).toEqual(shown);
  // A file of the run has the same names.
  for (const file of [createControl(sim).exportHar(), createControl(sim).exportJournal()]) {
    const pieces = [new TextEncoder().encode(typeof file === 'string' ? file : JSON.stringify(file))];
    const own = { name: 'own', pieces, kind: () => undefined };
    const { exchanges } = await readRecording([own], recordedPetstore, { isAnyService: true });
    expect(exchanges.map(({ token }) => token)).toEqual(shown);
  }
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
