import { expect, test } from 'vitest';
import { createHttpTransport } from '../../src/cli/http-transport.js';
import { readQuestions } from '../../src/fidelity/ask-service/questions.js';
import { Learner } from '../../src/fidelity/deduce/learner.js';
import { calibratedScenario } from '../../src/fidelity/deduce/scenario-text.js';
import { recordedPetstore } from '../../src/petstore/operations.js';
import { readRecording } from '../../src/traffic-files/read-recording.js';
import { openStage } from '../control-api/both-controls.js';
import { fileOf } from './recorded-traffic.js';

test("the invented key of calibrate is recognized in the service's recording, and is not in the learned scenario", async () => {
  const { server, here } = await openStage({ assumptions: { acceptAnyKey: true } });
  const transport = createHttpTransport(server.baseUrl, 'free-key');
  const learner = new Learner();
  const probe = readQuestions.find(({ id }) => id === 'acceptAnyKey')?.probe(learner.facts);
  if (probe === undefined) throw new Error('expected the question that sends a made-up key');
  for (let n = 0; n < 61; n++) await transport.send(probe);
  await server.close();
  const { exchanges } = await readRecording([fileOf(JSON.stringify(here.exportHar()), 50_000)], recordedPetstore);
  expect(new Set(exchanges.map(({ token }) => token))).toEqual(new Set([probe.token]));
  for (const exchange of exchanges) learner.add(exchange);
  const text = calibratedScenario(learner, { from: 'service', at: '2026-01-01T12:00:00.000Z', requests: 61 });
  expect(text).not.toMatch(/^keys:/m);
});
