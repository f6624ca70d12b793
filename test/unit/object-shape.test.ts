import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createSimulator } from '../../src/index.js';

setFlagsFromString('--allow-natives-syntax');
setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
/** Whether V8 finds the fields of an object by offset instead of in a hash table. */
const hasPlaces = new Function('object', 'return %HasFastProperties(object)') as (object: object) => boolean;

test('V8 finds the fields of a simulator and of its forks by offset, also after the first ones are gone', () => {
  for (let i = 0; i < 10; i++) {
    createSimulator().fork();
    collectGarbage();
  }
  const sim = createSimulator();
  const sims = [sim, sim.fork(), sim.fork(), createSimulator(), sim.fork().fork()];
  expect(sims.map(hasPlaces)).toEqual(sims.map(() => true));
  expect(hasPlaces(Object.create(null, { x: { get: () => 1 } }))).toBe(false);
});
