/**
 * petstore-sim without the content of its journal, to measure the journal's cost. Runs in a folder with petstore-sim
 * installed: `node no-journal.mjs PORT`
 */
import { readFileSync } from 'node:fs';
import { createSimulator } from 'petstore-sim';
import { listen } from 'petstore-sim/node';

const sim = createSimulator({ scenario: JSON.parse(readFileSync('scenario.json', 'utf8')) });
// The journal itself. `sim.journal` only reads it.
sim[Symbol.for('petstore-sim core')].state.journal.add = () => {};
await sim.fetch('/v1/pets');
if (sim.journal.size > 0) throw new Error('Failed to empty the journal: expected no entry, got one');
await listen(sim, { port: Number(process.argv[2]) });
