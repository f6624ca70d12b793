import { describe, expect, test } from 'vitest';
import { createControl } from '../../src/entries/control.js';
import { judge } from '../../src/entries/verdict.js';
import { junitReport } from '../../src/judge/report/junit.js';
import { terminalReport } from '../../src/judge/report/terminal.js';
import { maskedKey } from '../../src/values/mask-key.js';
import { frozen } from '../support/frozen.js';
import { openServer } from '../support/open-server.js';

const headers = { authorization: 'Bearer free-key' };

describe('requests outside the API', () => {
  test('are named by the verdict, the terminal and JUnit if no request reached the API', async () => {
    const sim = frozen();
    const server = await openServer(sim);
    const origin = new URL(server.baseUrl).origin;
    for (let n = 0; n < 5; n++) expect((await fetch(`${origin}/pets?limit=1`, { headers })).status).toBe(404);
    const verdict = await createControl(server.controlUrl).getVerdict();
    const reason = '5 requests went to /pets; the API is under /v1.';
    expect(verdict).toMatchObject({ outcome: 'inconclusive', reason });
    expect(verdict.unrecorded).toEqual([
      { why: 'outside', method: 'GET', path: '/pets', status: 404, api: '/v1', count: 5 },
    ]);
    expect(terminalReport([], judge(sim))).toContain(`${reason}\n  0 requests: 0 served, 0 refused, 5 not recorded\n`);
    expect(junitReport([], judge(sim))).toContain(`<property name="reason" value="${reason}"/>`);
  });

  test('through sim.fetch count like those to a server, each URL once', async () => {
    const sim = frozen();
    for (const path of ['/pets', '/pets/1', '/pets', '/api/pets', '/v2/pets'])
      expect((await sim.fetch(`http://petstore.test${path}`, { headers })).status).toBe(404);
    expect(judge(sim).reason).toBe('5 requests went to /pets, /pets/1, /api/pets and 1 more; the API is under /v1.');
  });

  test('do not affect the outcome if other requests reached the API', async () => {
    const sim = frozen();
    await sim.fetch('http://petstore.test/v1/pets', { headers });
    await sim.fetch('http://petstore.test/health');
    expect(judge(sim).reason).toMatch(/^No request was refused/);
    expect(judge(sim).unrecorded).toHaveLength(1);
  });

  test('belong to the sandbox in their path, otherwise to the main simulator', async () => {
    const server = await openServer(frozen());
    const origin = new URL(server.baseUrl).origin;
    const control = createControl(server.controlUrl);
    await control.createSandbox({ name: 'mine' });
    for (const path of ['/s/mine/pets', '/s/mine/pets', '/s/nobody/pets']) await fetch(origin + path, { headers });
    const reasons = [
      (await control.getVerdict()).reason,
      (await control.sandbox('mine').getVerdict()).reason,
      (await control.listSandboxes()).map(({ name }: { name: string }) => name).join(),
    ];
    expect(reasons).toEqual([
      '1 request went to /s/nobody/pets; the API is under /v1.',
      '2 requests went to /s/mine/pets; the API is under /s/mine/v1.',
      'mine',
    ]);
  });

  test('exclude automatic browser requests, preflights, health checks and the control API', async () => {
    const sim = frozen();
    const server = await openServer(sim);
    const origin = new URL(server.baseUrl).origin;
    await fetch(`${origin}/favicon.ico`, { headers: { 'sec-fetch-dest': 'image' } });
    await fetch(`${origin}/`, { headers: { 'sec-fetch-dest': 'document' } });
    await fetch(`${origin}/`, { method: 'OPTIONS' });
    await fetch(`${server.controlUrl}/nothing`);
    await fetch(`${origin}/pets`, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:5173', 'access-control-request-method': 'GET' },
    });
    expect(judge(sim).reason).toBe('No requests received.');
  });

  test('are cleared by a reset and with the journal, and not shared with forks', async () => {
    const sim = frozen();
    const miss = () => sim.fetch('http://petstore.test/pets', { headers });
    const forget = [() => sim.reset(), () => sim.journal.clear(), () => createControl(sim).clearJournal()];
    for (const each of forget) {
      await miss();
      expect(judge(sim).unrecorded).toHaveLength(1);
      expect(judge(sim.fork())).not.toHaveProperty('unrecorded');
      each();
      expect(judge(sim)).not.toHaveProperty('unrecorded');
      expect(judge(sim).reason).toBe('No requests received.');
    }
  });

  test('are bounded to fifty URLs, and long URLs are cut', async () => {
    const sim = frozen();
    for (let n = 0; n < 300; n++) await sim.fetch(`http://petstore.test/${n}/${'x'.repeat(1_000)}`);
    const groups = judge(sim).unrecorded ?? [];
    expect(groups).toHaveLength(51);
    expect(groups.at(-1)).toMatchObject({ path: '…', count: 250 });
    expect(groups[0]?.path).toBe('/0/…');
    expect(judge(sim).reason).toMatch(/^300 requests went to /);
  });

  test('show no key of the scenario, neither in the verdict nor in its reason', async () => {
    const sim = frozen();
    sim.keys.add('secret-of-mine-1234');
    await sim.fetch('http://petstore.test/keys/secret-of-mine-1234/pets');
    const verdict = JSON.stringify(createControl(sim).getVerdict());
    expect(verdict).toContain(`/keys/${maskedKey('secret-of-mine-1234')}/pets`);
    expect(verdict).not.toContain('secret-of-mine');
  });
});
