import { createControl, type ServerControl } from '../../../src/entries/control.js';
import type { Scenario } from '../../../src/entries/index.js';
import { generatePets } from '../../../src/entries/seed.js';
import { readRedisAddress } from '../../../src/persistence/node/redis/address.js';
import { type SharedOptions, type SharedState, sharedEngine } from '../../../src/persistence/node/shared-engine.js';
import { resolveScenario } from '../../../src/petstore/scenario.js';
import { servedPetstore } from '../../../src/petstore/served-petstore.js';
import { readStart } from '../../../src/scenario/read-start.js';
import { type ServedState, serveState } from '../../../src/server/serve-state.js';
import type { ListenOptions } from '../../../src/server/server.js';
import { atEnd } from '../../support/at-end.js';

export interface SharedServer extends Omit<ServedState<SharedState>, 'close'> {
  readonly origin: string;
  readonly control: ServerControl;
  /** Sentences for the operator, and the reasons for which the server ended. */
  readonly said: string[];
  readonly ended: string[];
  /** Ends it in order, or with 0 at once. */
  close(graceMs?: number): Promise<void>;
}

/** A server in this process that shares a simulator by a store, for the time of the test. */
export async function startShared(
  { port }: { port: number },
  {
    scenario = {},
    name = 'test',
    listen = {},
    ...options
  }: Partial<Omit<SharedOptions, 'address'>> & { scenario?: Scenario; name?: string; listen?: ListenOptions } = {},
): Promise<SharedServer> {
  const said: string[] = [];
  const ended: string[] = [];
  const served = await serveState(
    sharedEngine({
      address: readRedisAddress(`redis://127.0.0.1:${port}/0?name=${name}`),
      resolved: resolveScenario(scenario, generatePets, readStart),
      scenarioName: 'default',
      service: servedPetstore,
      generatePets,
      onNotice: (sentence) => said.push(sentence),
      onFatal: (sentence) => ended.push(sentence),
      ...options,
    }),
    { port: 0, host: '127.0.0.1', ...listen },
  );
  let closing: Promise<void> | undefined;
  const close = (graceMs = 0) => {
    closing ??= served.close({ graceMs });
    return closing;
  };
  atEnd(() => close());
  return Object.create(served, {
    origin: { value: served.localUrl },
    control: { value: createControl(`${served.localUrl}/__sim`) },
    said: { value: said },
    ended: { value: ended },
    close: { value: close },
  }) as SharedServer;
}
