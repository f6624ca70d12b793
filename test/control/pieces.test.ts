import { expect, test } from 'vitest';
import { controlOperations } from '../../src/control/control-operations.js';
import { perform, performInPieces } from '../../src/control/perform.js';
import { judge, judgeInSteps } from '../../src/verdict/judge.js';
import { RunJudge } from '../../src/verdict/run-judge.js';
import { frozen } from '../support/frozen.js';
import { send, sendTimes } from '../support/plain-call.js';

/** A simulator whose client was refused, banned and served, with keys that are shown masked. */
function used() {
  const sim = frozen({ keys: { 'free-key': { usage: { minute: 58 } } } });
  sendTimes(sim, 8);
  sim.clock.advance('2s');
  send(sim, { body: { name: 'Žofie', categoryId: 1 } });
  send(sim, { key: 'sent-secret-5678', query: 'limit=7' });
  return sim;
}

const inPieces = Object.entries(controlOperations).filter(([, operation]) => 'pieces' in operation);

test.each(inPieces)('%s gives in pieces what it gives at once', (_name, operation) => {
  const sim = used();
  const pieces = [...performInPieces(operation, sim, operation.example ?? {}, {})];
  const text = pieces.join('');
  const result = perform(operation, sim, operation.example ?? {});
  expect(text).toBe(typeof result === 'string' ? result : JSON.stringify(result));
  expect(text).not.toContain('sent-secret');
});

test('the verdict on many requests is reached in many steps, and so is a report', () => {
  const sim = frozen({ limits: 'off' });
  sendTimes(sim, 2_000);
  for (const operation of [controlOperations.getVerdict, controlOperations.exportRun]) {
    const pieces = performInPieces(operation, sim, {}, {})[Symbol.iterator]();
    let steps = 0;
    while (pieces.next().value === undefined) steps++;
    expect(steps).toBeGreaterThan(20);
  }
});

test('a verdict in steps is of what there was at its start; the next one knows what came in between', () => {
  const sim = used();
  const runJudge = new RunJudge({ scenario: sim.name });
  const records = sim.journal.query();
  for (const record of records.slice(0, -1)) runJudge.add(record);
  const nowMs = sim.clock.now();
  const before = runJudge.verdict({ nowMs });
  const steps = runJudge.verdictInSteps({ nowMs: nowMs + 1 });
  steps.next();
  runJudge.add(records.at(-1) as (typeof records)[number]);
  runJudge.report({ call: undefined, result: 'failed', atMs: nowMs });
  let step = steps.next();
  while (!step.done) step = steps.next();
  expect(step.value).toEqual(before);
  expect(runJudge.verdict({ nowMs: nowMs + 1 }).counts.requests).toBe(records.length);
});

test('a verdict in steps is not changed by requests that are served in between', () => {
  const sim = used();
  const before = judge(sim);
  const steps = judgeInSteps(sim, undefined);
  const { size } = sim.journal;
  let step = steps.next();
  while (!step.done) {
    send(sim);
    step = steps.next();
  }
  expect(step.value).toEqual(before);
  expect(sim.journal.size).toBeGreaterThan(size);
});
