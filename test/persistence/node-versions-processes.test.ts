// @module-tag extended

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
// @ts-expect-error plain JavaScript
import { nodeBinary } from '../../scripts/fetched-package.mjs';
import { version } from '../../src/control-api/run-report.js';
import { generatePets } from '../../src/entries/seed.js';
import type { Verdict } from '../../src/entries/verdict.js';
import type { Command } from '../../src/persistence/command.js';
import { toJsonCommand } from '../../src/persistence/command-json.js';
import { createRecording } from '../../src/persistence/node/folder/recording.js';
import { startMachine } from '../../src/persistence/start-machine.js';
import { resolveScenario } from '../../src/petstore/scenario.js';
import { runCommandLine } from '../support/command-line.js';
import { noon } from '../support/frozen.js';
import { newFolder } from '../support/new-folder.js';
import { seed, tries } from '../support/prove.js';
import { createRandom } from '../support/random.js';
import { randomCommand, randomScenario } from './random-commands.js';
import { replayOptions } from './replay-options.js';

const majors = [20, 22, 24];
const nodes = new Map<number, string>();
const folder = newFolder();
const script = join(folder, 'replay-script.mjs');
beforeAll(async () => {
  await build({
    entryPoints: [join(import.meta.dirname, 'replay-script.ts')],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
  });
  for (const major of majors) nodes.set(major, await nodeBinary(major));
}, 180_000);

/** Records random commands of every kind, on this Node. */
async function recordRandom(number: number): Promise<string> {
  const file = join(newFolder(), 'run.jsonl');
  const random = createRandom(seed * 9_000_011 + number);
  const noonMs = Date.parse(noon);
  const machine = startMachine(resolveScenario(randomScenario(random, number), generatePets), noonMs, replayOptions);
  const recording = createRecording(file, {
    version,
    scenario: { name: 'random', hash: '' },
    onLost: (error) => {
      throw error;
    },
  });
  let answered: [number, string][] = [];
  const send = async (atMs: number, ...commands: Command[]) => {
    const entry = await recording.append({ atMs, answered, commands: commands.map(toJsonCommand) });
    answered = [[entry.position, machine.apply(entry).hash]];
  };
  await send(noonMs, { kind: 'begin', scenario: machine.sim.scenario, hash: '' });
  for (let step = 0, atMs = noonMs; step < 150; step++) {
    atMs += random.pick([0, 1, 300, 2_000, 61_000]);
    await send(atMs, randomCommand(random, machine));
  }
  await send(machine.time.lastMs, { kind: 'tick' });
  await recording.close();
  return file;
}

/** Has `exec --record` write down a client, on a Node. */
async function recordClient(major: number): Promise<string> {
  const cwd = newFolder();
  writeFileSync(
    join(cwd, 'client.mjs'),
    `const { PETSTORE_BASE_URL: base, PETSTORE_SIM_URL: sim } = process.env;
    const headers = { authorization: 'Bearer free-key', 'content-type': 'application/json' };
    const post = (url, body) => fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    await Promise.all([1, 2, 3, 4].map((n) => post(base + '/pets', { name: 'Zoë ' + n, categoryId: n })));
    for (let n = 0; n < 4; n++) await fetch(base + '/pets/' + (n + 39), { headers });
    await post(sim + '/keys/free-key/exhaust', { window: 'minute' });
    for (let n = 0; n < 3; n++) await fetch(base + '/pets?limit=3', { headers });
    await post(sim + '/clock', { advance: '61s' });
    await fetch(base + '/pets?limit=3', { headers });`,
  );
  const args = ['exec', '--record', 'run.jsonl', '--', 'node', 'client.mjs'];
  await runCommandLine(args, { cwd, node: nodes.get(major) as string });
  return join(cwd, 'run.jsonl');
}

/** Replays recordings with a script on a version of Node. @returns the results */
async function outcomesOn(major: number, files: readonly string[]) {
  const { out, err } = await runCommandLine(files, { main: script, node: nodes.get(major) as string });
  expect(err, `Node ${major}`).toBe('');
  const { node, results } = JSON.parse(out);
  expect(node.split('.', 1)).toEqual([String(major)]);
  return results as { applied: number; uncompared: number; differsAt?: number; digest: string; verdict: Verdict }[];
}

test('a recording from any Node replays to the same responses, verdict and state on Node 20, 22 and 24', async () => {
  const files: string[] = [];
  for (let number = 0; number < tries(3, 500); number++) files.push(await recordRandom(number));
  files.push(...(await Promise.all(majors.map(recordClient))));
  const [first = [], ...others] = await Promise.all(majors.map((major) => outcomesOn(major, files)));
  expect(first.map(({ differsAt, uncompared }) => [differsAt, uncompared])).toEqual(files.map(() => [undefined, 0]));
  expect(Math.min(...first.map(({ applied }) => applied))).toBeGreaterThan(10);
  expect(new Set(first.map(({ digest }) => digest)).size).toBe(files.length);
  expect(first.slice(-majors.length).map(({ verdict }) => verdict.counts)).toEqual(
    majors.map(() => ({ requests: 12, served: 9, refused: 3, banned: 0, lost: 0, dropped: 0 })),
  );
  for (const other of others) expect(other).toEqual(first);
});
