// @module-tag extended
// @module-tag needs/redis
import { expect, test } from 'vitest';
import type { Scenario } from '../../src/index.js';
import type { FindingCode } from '../../src/scenario/finding-codes.js';
import { blamed } from '../support/findings.js';
import { type Stack, stacks } from '../support/http-stacks.js';
import { rightClients, type StackClient, wall, wrongClients } from '../support/stack-clients.js';
import { type Replica, startReplicas } from './replicas.js';
import { startStore } from './store.js';
import { startWire } from './wire.js';

/** What is held against a client that runs in a sandbox of a replica. */
async function blame({ origin, control }: Replica, name: string, { scenario = wall, client }: StackClient) {
  await control.createSandbox({ name, scenario: scenario as Scenario & Record<string, unknown> });
  // One after the other, so that nothing depends on which of two came first.
  const { connect } = stacks['one keep-alive connection'] as Stack;
  await client(connect(`${origin}/s/${name}/v1`, 'free-key'));
  return blamed(await control.sandbox(name).getVerdict()).sort();
}

test('clients are judged as without a log when each append takes 200 ms more', async () => {
  const store = await startStore();
  const wire = await startWire(store.port);
  const replicas = await startReplicas(2, wire.url());
  // Each way.
  wire.delayMs = 100;
  const clients = [...rightClients, ...wrongClients];
  const seen = await Promise.all(
    clients.map((client, index) => blame(replicas[index % 2] as Replica, `client-${index}`, client)),
  );
  // A pet that was not stored may still be, as long as nobody says that the client has ended.
  const isKnown = (code: FindingCode) => code !== 'lost-write';
  for (const [index, { does, codes }] of clients.entries()) {
    expect(seen[index], does).toEqual(codes.filter(isKnown).sort());
  }
});
