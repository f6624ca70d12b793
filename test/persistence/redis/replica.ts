import { createControl, type ServerControl } from '../../../src/control.js';
import type { Scenario } from '../../../src/index.js';
import { LogUnavailableError } from '../../../src/persistence/log.js';
import { readRedisAddress } from '../../../src/persistence/node/redis/address.js';
import { type StoreOptions, type StoreState, storeEngine } from '../../../src/persistence/node/store-engine.js';
import { resolveScenario } from '../../../src/petstore/scenario.js';
import { servedPetstore } from '../../../src/petstore/served-petstore.js';
import { readStart } from '../../../src/scenario/read-start.js';
import { generatePets } from '../../../src/seed.js';
import { type ServedState, serveState } from '../../../src/server/serve-state.js';
import type { RedisServer } from './redis-server.js';

export interface TestReplica extends ServedState<StoreState> {
  readonly control: ServerControl;
  /** Messages about outages of the store, and all others. */
  readonly saidOfStore: string[];
  readonly said: string[];
  /** Reasons for the end of the replica. */
  readonly ended: string[];
}

/** A replica in this process, for the time of the test. */
export async function startReplica(
  redis: RedisServer,
  {
    scenario = {},
    proxy = redis,
    ...options
  }: Partial<Omit<StoreOptions, 'address'>> & { scenario?: Scenario; proxy?: { port: number } } = {},
): Promise<TestReplica> {
  const saidOfStore: string[] = [];
  const said: string[] = [];
  const ended: string[] = [];
  const open = () =>
    serveState(
      storeEngine({
        address: readRedisAddress(`redis://127.0.0.1:${proxy.port}/0?name=test`),
        resolved: resolveScenario(scenario, generatePets, readStart),
        scenarioName: 'default',
        service: servedPetstore,
        generatePets,
        onNotice: (sentence) => (/ is (unreachable|back)\b/.test(sentence) ? saidOfStore : said).push(sentence),
        onFatal: (sentence) => ended.push(sentence),
        ...options,
      }),
      { port: 0, host: '127.0.0.1' },
    );
  // A start fails if the store does not respond for 3 s, as on a machine under load. The user then starts again.
  const served = await open().catch((error) => {
    if (error instanceof LogUnavailableError) return open();
    throw error;
  });
  let isOpen = true;
  const close = async () => {
    if (isOpen) await served.close({ graceMs: 0 });
    isOpen = false;
  };
  redis.context.onTestFinished(close);
  return Object.create(served, {
    control: { value: createControl(served.controlUrl) },
    saidOfStore: { value: saidOfStore },
    said: { value: said },
    ended: { value: ended },
    close: { value: close },
  }) as TestReplica;
}

const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };

export const create = (
  { baseUrl }: { baseUrl: string },
  { name = 'Rex', key = 'free-key' }: { name?: string; key?: string } = {},
) =>
  fetch(`${baseUrl}/pets`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${key}` },
    body: JSON.stringify({ name, categoryId: 1 }),
  });

export const get = ({ baseUrl }: { baseUrl: string }, path: string, key = 'free-key') =>
  fetch(`${baseUrl}${path}`, { headers: { authorization: `Bearer ${key}` } });
