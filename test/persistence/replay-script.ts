// Replays recordings and prints the results. Run by node-versions-processes.test.ts on several versions of Node,
// bundled: node replay-script.mjs FILE...

import { captureMachine } from '../../src/persistence/capture-machine.js';
import { readRecordedLog } from '../../src/persistence/node/folder/recording.js';
import { replayLog } from '../../src/persistence/replay-log.js';
import { digestOf } from '../support/digest.js';
import { replayOptions } from './replay-options.js';

const results = [];
for (const file of process.argv.slice(2)) {
  const { entries, notice } = readRecordedLog(file);
  const { machine, applied, uncompared, difference } = await replayLog({ entries }, replayOptions, {});
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
