import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scenario } from '../../src/entries/index.js';
import { generatePets } from '../../src/entries/seed.js';
import { createFetch } from '../../src/in-process/fetch.js';
import { createLoggedSimulators } from '../../src/persistence/logged-simulators.js';
import { createRecording } from '../../src/persistence/node/folder/recording.js';
import { Sequencer } from '../../src/persistence/sequencer.js';
import { startMachine } from '../../src/persistence/start-machine.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import type { Answer, ApiCall } from '../../src/requests/api-call.js';
import { readStart } from '../../src/scenario/read-start.js';
import type { JsonObject } from '../../src/values/json.js';
import { noon } from '../support/frozen.js';

let folder: string | undefined;
let opened = 0;

export function removeRecordings(): void {
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
}

/** A simulator that is recorded completely, like with `exec --record`, on a machine whose time stands still. */
export function openRecorded(scenario: Scenario) {
  folder ??= mkdtempSync(join(tmpdir(), 'petstore-sim-recordings-'));
  const file = join(folder, `${++opened}.jsonl`);
  const failures: unknown[] = [];
  const onError = (error: unknown) => failures.push(error);
  const resolved = resolveScenario(scenario, generatePets, readStart);
  const machine = startMachine(resolved, Date.parse(noon), {
    service: servedPetstore,
    generatePets,
    onError,
    onWarning: () => {},
    readMs: () => Date.parse(noon),
  });
  const log = createRecording(file, { version: '1.0.0', scenario: { name: resolved.name, hash: '' }, onLost: onError });
  const sequencer = new Sequencer(machine, log, { defer: setImmediate, after: () => () => {}, onError });
  // At once, because the opener continues at once.
  const begin = { atMs: Date.parse(noon), commands: [{ kind: 'begin', scenario: resolved.scenario, hash: '' }] };
  void log.append(begin);
  machine.apply({ ...begin, position: 1 });
  const { handle } = createLoggedSimulators(machine, sequencer, () => ({
    position: 0,
    snapshotPosition: 0,
    notices: [],
  }));
  const { sim } = machine;
  const answer = (call: ApiCall) => new Promise<Answer>((resolve, reject) => handle(undefined, call, resolve, reject));
  const control = (operation: string, input: JsonObject) =>
    new Promise<void>((resolve) => sequencer.submit({ kind: 'control', operation, input }, () => resolve()));
  return {
    sim,
    fetch: createFetch({ handle: answer, clock: sim.clock, basePaths: sim.basePaths }),
    moveTo: (ms: number) => control('changeClock', { set: new Date(ms).toISOString() }),
    reportAborted: () => control('reportOutcome', { result: 'aborted' }),
    async close() {
      sequencer.submit({ kind: 'tick' });
      await sequencer.close();
      await log.close();
      if (failures.length > 0) throw failures[0];
      return { machine, file };
    },
  };
}
