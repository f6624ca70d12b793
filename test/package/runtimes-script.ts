import { createSimulator } from '../../src/entries/index.js';
import { listen } from '../../src/entries/node.js';

// Runs in Bun and in Deno too, so it writes its result as JSON.
const sim = createSimulator({
  scenario: {
    clock: { mode: 'frozen' },
    keys: { 'free-key': { usage: { minute: 59 } } },
    faults: [{ name: 'cut', when: { operation: 'getPet' }, then: { reset: true } }],
  },
});
const init = { headers: { authorization: 'Bearer free-key' } };
const answerOf = async (response: Response) => [
  response.status,
  response.headers.get('x-ratelimit-remaining'),
  response.headers.get('retry-after'),
  await response.text(),
];

const inProcess = [
  await answerOf(await sim.fetch('http://petstore.test/v1/pets?limit=1', init)),
  await answerOf(await sim.fetch('http://petstore.test/v1/pets?limit=1', init)),
];
sim.clock.advance('61s');
const server = await listen(sim, { port: 0 });
const overHttp = [await answerOf(await fetch(`${server.baseUrl}/pets?limit=1`, init))];
sim.keys.setUsage('free-key', { minute: 60 });
overHttp.push(await answerOf(await fetch(`${server.baseUrl}/pets?limit=1`, init)));
sim.clock.advance('61s');
const fault = await fetch(`${server.baseUrl}/pets/1`, init).then(answerOf, () => 'no response');
const health = await answerOf(await fetch(`${server.controlUrl}/health`));
await server.close();

console.log(JSON.stringify({ inProcess, overHttp, fault, health }));
