import { beforeAll, expect, test } from 'vitest';
import { createSimulator, type Scenario } from '../../src/entries/index.js';
import type { RunningServer } from '../../src/entries/node.js';
import { type EffectName, effectNames } from '../../src/scenario/fault-schema.js';
import { openServer } from '../support/open-server.js';

type Then = NonNullable<Scenario['faults']>[number]['then'];

/** A value of each effect, the status that a client sees, and whether it can read a pet list. */
const samples: Record<EffectName, { value: Then; status: number | 'none'; isList: boolean }> = {
  respond: { value: { respond: { status: 503 } }, status: 503, isList: false },
  reset: { value: { reset: true }, status: 'none', isList: false },
  close: { value: { close: true }, status: 'none', isList: false },
  hang: { value: { hang: true }, status: 'none', isList: false },
  ban: { value: { ban: '1s' }, status: 429, isList: false },
  truncate: { value: { truncate: { bytes: 5 } }, status: 200, isList: false },
  drip: { value: { drip: { bytes: 1_000, every: '1ms' } }, status: 200, isList: true },
  malformed: { value: { malformed: true }, status: 200, isList: false },
  empty: { value: { empty: true }, status: 200, isList: false },
  contentLength: { value: { contentLength: 5 }, status: 200, isList: false },
  contentType: { value: { contentType: 'text/html' }, status: 200, isList: false },
};

const sim = createSimulator();
let server: RunningServer;
beforeAll(async () => {
  server = await openServer(sim);
});

/** Status and readability of a list of pets. A response that hangs is ended by the reset of the simulator. */
async function list(send: typeof fetch, url: string, isHanging: boolean) {
  const request = send(`${url}/pets`, { headers: { authorization: 'Bearer free-key' } });
  if (isHanging) {
    request.catch(() => {});
    while (sim.journal.query().length === 0) await new Promise(setImmediate);
    sim.reset();
  }
  try {
    const response = await request;
    if (response.type === 'error') return { status: 'none', isList: false };
    const isList = await response.json().then(Array.isArray, () => false);
    return { status: response.status, isList };
  } catch {
    return { status: 'none', isList: false };
  }
}

test.each(effectNames)(
  'the effect %s is alike over HTTP and in process, and its record says whether it is readable',
  async (name) => {
    const { value, ...seen } = samples[name];
    for (const [send, url] of [
      [fetch, server.baseUrl],
      [sim.fetch, 'http://petstore.test/v1'],
    ] as const) {
      sim.reset();
      sim.faults.add({ then: value });
      expect(await list(send as typeof fetch, url, name === 'hang')).toEqual(seen);
      if (name === 'hang') continue;
      const isReadable = seen.isList || seen.status === 503 || seen.status === 429;
      expect(sim.journal.query().at(-1)?.isUnreadable).toBe(!isReadable);
    }
  },
);
