import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import type { Fault } from '../../src/entries/index.js';
import { newFolder } from '../support/new-folder.js';
import { useBrowser } from './stage.js';

describe("Playwright's replay of an exported HAR", { tags: 'needs/chromium' }, () => {
  const { openPage, openStage } = useBrowser();

  /** Sends two requests, of which a fault changes the first, and replays their HAR to a page without the server. */
  async function replay(then: Fault['then']): Promise<{ live: number[]; replayed: string[] }> {
    const { sim, server, call } = await openStage({ limits: 'off', faults: [{ when: { nth: 1 }, then }] });
    const live = [await call('pro-key', '/pets?limit=1'), await call('pro-key', '/pets?limit=1')];
    const file = join(newFolder(), 'run.har');
    writeFileSync(file, JSON.stringify(createControl(sim).exportHar()));
    const { page } = await openPage(`${server.controlUrl}/health`);
    await page.routeFromHAR(file, { url: `${server.baseUrl}/**`, notFound: 'abort' });
    const ask = (url: string) =>
      fetch(url, { headers: { authorization: 'Bearer pro-key' } }).then(
        async (response) => `${response.status} ${await response.text()}`,
        String,
      );
    const replayed = [];
    for (let n = 0; n < 2; n++) replayed.push(await page.evaluate(ask, `${server.baseUrl}/pets?limit=1`));
    expect(sim.journal.query()).toHaveLength(2);
    return { live, replayed };
  }

  test.each<Fault['then']>([{ reset: true }, { reset: true, phase: 'after' }, { close: true }])(
    'fails where the run lost the response: %j',
    async (then) => {
      const { live, replayed } = await replay(then);
      expect(live).toEqual([0, 200]);
      expect(replayed).toEqual(['TypeError: Failed to fetch', 'TypeError: Failed to fetch']);
    },
  );

  test('sends the part of a cut body that was sent', async () => {
    const { replayed } = await replay({ truncate: { bytes: 8 } });
    expect(replayed[0]).toBe('200 [{"id":1');
  });

  test('sends a whole response', async () => {
    const { live, replayed } = await replay({ delay: '1ms' });
    expect(live).toEqual([200, 200]);
    expect(replayed[0]).toMatch(/^200 \[\{"id":1,.*\]$/);
  });
});
