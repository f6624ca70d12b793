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

/** Findings about a client that runs in a sandbox of a replica. */
async function blame({ origin, control }: Replica, name: string, { scenario = wall, client }: StackClient) {
  await control.createSandbox({ name, scenario: scenario as Scenario & Record<string, unknown> });
  // Sequential, so that the order of requests is fixed.
  const { connect } = stacks['one keep-alive connection'] as Stack;
  await client(connect(`${origin}/s/${name}/v1`, 'free-key'));
  return blamed(await control.sandbox(name).getVerdict()).sort();
}

test('clients receive the same verdict with 200 ms slower appends as without a log', async () => {
  const store = await startStore();
  const wire = await startWire(store.port);
  const replicas = await startReplicas(2, wire.url());
  // Each way.
  wire.delayMs = 100;
  const clients = [...rightClients, ...wrongClients];
  const seen = await Promise.all(
    clients.map((client, index) => blame(replicas[index % 2] as Replica, `client-${index}`, client)),
  );
  // The rule `lost-write` needs a report of the client's end.
  const isKnown = (code: FindingCode) => code !== 'lost-write';
  for (const [index, { does, codes }] of clients.entries()) {
    expect(seen[index], does).toEqual(codes.filter(isKnown).sort());
  }
});
