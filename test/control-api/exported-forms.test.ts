import { expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { createSimulator } from '../../src/entries/index.js';
import { noon } from '../support/frozen.js';
import { send } from './both-controls.js';

/** All text of a run with the documented windows that leaves the simulator, by the name of its form. */
async function exportedForms(): Promise<Record<string, unknown>> {
  const sim = createSimulator({
    scenario: {
      name: 'forms',
      clock: { start: noon, mode: 'frozen' },
      pets: [{ id: 1, name: 'Rex', categoryId: 1, status: 'available' }],
      plans: { free: { minute: 3 }, small: { minute: 2, day: 5 } },
      keys: {
        alice: { plan: 'small', usage: { day: 3 } },
        bob: { plan: 'pro', usage: { minute: 1, day: 2 } },
        carol: { plan: 'free', bannedFor: '90s' },
        unused: { plan: 'business', usage: { minute: 5 } },
      },
      limits: { algorithm: 'sliding-log', rejectedCounts: 'other-windows' },
      ban: { after: 2 },
      assumptions: { acceptAnyKey: true, rateLimitFields: 'structured-rt' },
    },
  });
  const control = createControl(sim);
  const calls = ['alice', 'alice', 'alice', 'bob', 'carol', 'a-stranger-1', 'free-key'];
  for (const key of calls) {
    await send(sim, { key });
    sim.clock.advance('700ms');
  }
  sim.clock.advance('2s');
  for (const key of ['alice', 'alice']) await send(sim, { key, body: '{"name":"Luna","categoryId":2}' });
  control.setKeyUsage({ key: 'pro-key', day: 7 });
  control.exhaustKey({ key: 'business-key' });
  const last = await send(sim, { key: 'pro-key' });
  return {
    listKeys: control.listKeys(),
    exportState: control.exportState(),
    queryJournal: control.queryJournal(),
    exportJournal: control.exportJournal(),
    exportHar: control.exportHar(),
    getRequest: control.getRequest({ id: 3 }),
    getVerdict: control.getVerdict(),
    'last answer': last,
  };
}

test('eight forms of a run with the windows minute and day are unchanged byte for byte', async () => {
  const forms = await exportedForms();
  expect(Object.keys(forms)).toHaveLength(8);
  const texts = Object.entries(forms).map(([name, form]) => {
    const text = typeof form === 'string' ? form : JSON.stringify(form);
    // The version of the package is part of a HAR, and changes with each release.
    return `${name}\n${text.replace(/("name":"petstore-sim","version":)"[^"]*"/, '$1"0"').replaceAll('},', '},\n')}\n`;
  });
  await expect(texts.join('\n')).toMatchFileSnapshot('expected/exported-forms.txt');
});
