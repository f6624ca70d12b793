import { expect, test } from 'vitest';
import { createControl } from '../../src/control.js';
import type { Scenario } from '../../src/index.js';
import type { FindingCode } from '../../src/scenario/expectation.js';
import { startServer } from '../support/command-line.js';
import { blamed } from '../support/findings.js';
import { stacks } from '../support/http-stacks.js';
import { rightClients, type StackClient, wall, wrongClients } from '../support/stack-clients.js';
import { startReplicas } from './replicas.js';
import { startStore } from './store.js';
import { startWire } from './wire.js';

/** What the judge says of clients that run side by side, each in a sandbox; over these servers in turn. */
async function blames(origins: readonly string[], clients: readonly StackClient[]) {
  const codes = await Promise.all(
    clients.map(async ({ does, scenario = wall, client }, index) => {
      const origin = origins[index % origins.length] as string;
      const control = createControl(`${origin}/__sim`);
      const name = `client-${index}`;
      await control.createSandbox({ name, scenario: scenario as Scenario & Record<string, unknown> });
      // One after the other on one connection, so that nothing depends on which of two came first.
      const send = (stacks['one keep-alive connection'] as (typeof stacks)[string]).connect(
        `${origin}/s/${name}/v1`,
        'free-key',
      );
      await client(send);
      return [does, blamed(await control.sandbox(name).getVerdict()).sort()];
    }),
  );
  return Object.fromEntries(codes);
}

test('clients are judged the same when each append takes 200 ms more', async () => {
  const store = await startStore();
  const wire = await startWire(store.port);
  const [replicas, memory] = await Promise.all([startReplicas(2, wire.url()), startServer()]);
  wire.delayMs = 200;
  const clients = [...rightClients, ...wrongClients];
  const [slow, fast] = await Promise.all([
    blames(
      replicas.map(({ origin }) => origin),
      clients,
    ),
    blames([memory.baseUrl.replace('/v1', '')], clients),
  ]);
  expect(slow).toEqual(fast);
  // A pet that was not stored may still be, as long as nobody says that the client has ended.
  const isKnown = (code: FindingCode) => code !== 'lost-write';
  for (const { does, codes } of wrongClients) expect(slow[does], does).toEqual(codes.filter(isKnown).sort());
  for (const { does } of rightClients) expect(slow[does], does).toEqual([]);
});
