import { createSimulator } from '../../src/entries/index.js';
import { firstId, petIds, writtenNumbers } from './int64-table.js';

// Run by node-versions.test.ts under each version of Node.

const headers = { authorization: 'Bearer business-key', 'content-type': 'application/json' };
const address = 'http://petstore.test/v1/pets';
const sim = createSimulator({
  scenario: { clock: { start: '2026-01-01T12:00:00Z', mode: 'frozen' }, ids: { start: firstId }, pets: [] },
});

const answer = async (response: Response) => [response.status, await response.text()];
const created = [];
for (const [written] of writtenNumbers) {
  const body = `{"name":"Rex","categoryId":${written}}`;
  created.push(await answer(await sim.fetch(address, { method: 'POST', headers, body })));
}
const found = [];
for (const [petId] of petIds) found.push(await answer(await sim.fetch(`${address}/${petId}`, { headers })));
const list = await answer(await sim.fetch(`${address}?limit=100`, { headers }));
console.log(JSON.stringify({ node: process.versions.node, created, found, list }));
