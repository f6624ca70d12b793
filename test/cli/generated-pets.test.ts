import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer } from '../support/command-line.js';
import { newFolder } from '../support/new-folder.js';

const folder = newFolder();

async function listening(args: readonly string[]) {
  const { child, baseUrl, listening, nextEvent } = await startServer(args, { cwd: folder });
  const list = () => fetch(`${baseUrl}/pets?limit=1`, { headers: { authorization: 'Bearer free-key' } });
  return { child, nextEvent, list, controlUrl: listening.controlUrl as string };
}

const post = (url: string, body: unknown) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

test('a running server rejects a scenario with too many generated pets, and continues', async () => {
  const { list, controlUrl } = await listening([]);
  const load = (available: number) =>
    post(`${controlUrl}/scenario`, { scenario: { pets: { generate: { available } } }, reseed: true });
  const refused = await load(100_000_000);
  expect([refused.status, (await refused.json()).message]).toEqual([
    400,
    'scenario: expected at most 100,000 generated pets; start the server with a scenario that has more',
  ]);
  const sandbox = await post(`${controlUrl}/sandboxes`, {
    name: 'big',
    scenario: { pets: { generate: { available: 100_001 } } },
  });
  expect(sandbox.status).toBe(400);
  expect((await load(100_000)).status).toBe(200);
  const health = await fetch(`${controlUrl}/state`).then((response) => response.json());
  expect(health.pets).toHaveLength(100_000);
  expect((await list()).status).toBe(200);
});

test('a watched file with too many pets is reported as a mistake, and the server continues', async () => {
  const file = join(folder, 'many.yaml');
  writeFileSync(file, 'pets: { generate: { available: 5 } }\n');
  const { child, nextEvent, list } = await listening(['--scenario', 'many.yaml', '--watch', '--reseed']);
  writeFileSync(file, 'pets: { generate: { available: 9000000000 } }\n');
  const beyond = await nextEvent();
  expect(beyond).toMatchObject({ event: 'reload-failed', issues: [{ path: 'pets.generate', line: 1 }] });
  writeFileSync(file, 'pets: { generate: { available: 100001 } }\n');
  const whileServing = await nextEvent();
  expect(whileServing).toMatchObject({ event: 'reload-failed' });
  expect(whileServing.issues[0].message).toContain('expected at most 100,000 pets while the server runs');
  expect((await list()).status).toBe(200);
  expect(child.exitCode).toBeNull();
});
