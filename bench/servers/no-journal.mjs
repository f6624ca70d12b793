/**
 * petstore-sim without the content of its journal, to measure the journal's cost. Runs in a folder with petstore-sim
 * installed: `node no-journal.mjs PORT`
 */
import { readFileSync } from 'node:fs';
import { createSimulator } from 'petstore-sim';
import { listen } from 'petstore-sim/node';

const sim = createSimulator({ scenario: JSON.parse(readFileSync('scenario.json', 'utf8')) });
sim.journal.add = () => {};
await listen(sim, { port: Number(process.argv[2]) });
