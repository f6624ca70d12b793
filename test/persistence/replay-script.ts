// Replays recordings and prints the results. Run by node-versions-processes.test.ts on several versions of Node,
// bundled: node replay-script.mjs FILE...

import { recordedSandboxes } from '../../src/node/recording-engine.js';
import { captureMachine } from '../../src/persistence/capture-machine.js';
import { readRecordedLog } from '../../src/persistence/folder/recording.js';
import { replayLog } from '../../src/persistence/replay-log.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { generatePets } from '../../src/seed.js';
import { digestOf } from '../support/digest.js';

const results = [];
for (const file of process.argv.slice(2)) {
  const { entries, notice } = readRecordedLog(file);
  const options = {
    service: servedPetstore,
    generatePets,
    onError: () => {},
    onWarning: () => {},
    sandboxes: recordedSandboxes,
  };
  const { machine, applied, uncompared, difference } = await replayLog({ entries }, options, {});
  if (machine === undefined) throw new Error(`expected entries in ${file}`);
  results.push({
    notice,
    applied,
    uncompared,
    differsAt: difference?.entry.position,
    // Pets, keys, journals, faults, clocks, sandboxes: everything.
    digest: digestOf(captureMachine(machine)),
    verdict: machine.judge(),
  });
}
console.log(JSON.stringify({ node: process.versions.node, results }));
