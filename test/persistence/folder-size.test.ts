import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { captureMachine } from '../../src/persistence/capture-machine.js';
import type { Command } from '../../src/persistence/command.js';
import { sequencerHost } from '../../src/persistence/node/sequencer-host.js';
import { readMachine } from '../../src/persistence/read-machine.js';
import { Sequencer } from '../../src/persistence/sequencer.js';
import { type MachineOptions, startMachine } from '../../src/persistence/start-machine.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { servedPetstore } from '../../src/petstore/served-petstore.js';
import { headerOfPlainCall } from '../../src/requests/plain-call.js';
import { jsonText } from '../../src/values/json.js';
import { newFolder } from '../support/new-folder.js';
import { isProof, tries } from '../support/prove.js';
import { openFor } from './folders.js';

const [mebibyte, batch] = [1024 * 1024, 100];
/** Writing several hundred megabytes takes a second or two on an idle machine. */
const timeoutMs = isProof ? 3_600_000 : 120_000;

/** Bytes of everything in a folder. A file may go while it is looked at. */
const sizeOf = (folder: string) =>
  readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

/** One after the other: reads, pets, and now and then a body that is as large as it may be, which the journal keeps. */
function command(number: number, everyLarge: number): Command {
  const isLarge = number % everyLarge === 0;
  const isNew = number % 10 === 0;
  const body = isLarge ? 'x'.repeat(60_000) : `{"name":"Pet ${number}","categoryId":1}`;
  return {
    kind: 'request',
    call: {
      method: isLarge || isNew ? 'POST' : 'GET',
      path: '/pets',
      query: '',
      baseUrl: 'http://127.0.0.1:4010/v1',
      headers: { authorization: 'Bearer free-key', 'content-type': 'application/json', 'user-agent': 'test' },
      header: headerOfPlainCall,
      body: isLarge || isNew ? new TextEncoder().encode(body) : undefined,
    },
  } as Command;
}

/** Runs commands. @returns the maximum folder size relative to the bound */
async function run(commands: number, everyLarge: number) {
  const folder = newFolder();
  const options: MachineOptions = { service: servedPetstore, readMs: () => Date.now() };
  const { log } = await openFor(folder);
  const resolved = resolveScenario({ limits: 'off' });
  const machine = startMachine(resolved, Date.now(), options);
  const sequencer = new Sequencer(machine, log, sequencerHost);
  const submit = (each: Command) =>
    new Promise<void>((resolve, reject) => {
      sequencer.submit(each, (result) => ('error' in result ? reject(result.error) : resolve()));
    });
  const stateBytes = () => [...captureMachine(machine)].reduce((sum: number, piece) => sum + jsonText(piece).length, 0);
  await submit({ kind: 'begin', scenario: resolved.scenario, hash: '' });
  let [mostOver, state, snapshots] = [Number.NEGATIVE_INFINITY, stateBytes(), new Set<number>()];
  for (let done = 0; done < commands; done += batch) {
    await Promise.all(Array.from({ length: batch }, (_, index) => submit(command(done + index, everyLarge))));
    // A disk that is slower than what is written to it is another matter: the log grows while a snapshot is written.
    await sequencer.close();
    if (!snapshots.has(log.snapshotPosition)) state = Math.max(state, stateBytes());
    snapshots.add(log.snapshotPosition);
    mostOver = Math.max(mostOver, sizeOf(folder) - (3 * state + 64 * mebibyte));
  }
  await sequencer.close();
  await log.close();
  const { log: again, snapshot, entries } = await openFor(folder);
  const found = await readMachine({ snapshot, entries }, options);
  await again.close();
  const same =
    [...captureMachine(found.machine as never)].map(jsonText).join() ===
    [...captureMachine(machine)].map(jsonText).join();
  return { mostOver, snapshots: snapshots.size, position: log.position, same };
}

test('commands with large bodies keep the folder within three times the state and 64 MiB', {
  tags: 'extended',
  timeout: timeoutMs,
}, async () => {
  const { mostOver, snapshots, same } = await run(tries(1_600, 20_000), 1);
  expect(snapshots).toBeGreaterThan(3);
  expect(mostOver).toBeLessThanOrEqual(0);
  expect(same).toBe(true);
});

test('a million small commands keep it there as well', { timeout: timeoutMs }, async () => {
  // Two snapshots of the log of a few large bodies, in the part that runs always.
  const { mostOver, snapshots, same } = await run(tries(1_000, 1_000_000), isProof ? 10_000 : 2);
  expect(snapshots).toBeGreaterThan(isProof ? 5 : 1);
  expect(mostOver).toBeLessThanOrEqual(0);
  expect(same).toBe(true);
});
