// `npm run test:costs`: runs the tests and prints the processor time and the started processes of each file, the
// dearest first. Arguments are those of Vitest. Linux only.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './repository.mjs';

const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-costs-'));
const file = join(folder, 'costs.jsonl');
const startMs = Date.now();
const vitest = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...process.argv.slice(2)], {
  cwd: root,
  env: { ...process.env, TEST_COSTS: file },
  stdio: 'inherit',
});
const costs = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
rmSync(folder, { recursive: true });

const inSeconds = (value) => value.toFixed(1).padStart(8);
const row = ({ file, own, children, spawns }) =>
  `${inSeconds(own + children)}${inSeconds(own)}${inSeconds(children)}${String(spawns).padStart(8)}  ${file}`;
const sum = costs.reduce(
  (total, { own, children, spawns }) => ({
    file: `all ${costs.length} files, in ${((Date.now() - startMs) / 1_000).toFixed(0)} s`,
    own: total.own + own,
    children: total.children + children,
    spawns: total.spawns + spawns,
  }),
  { own: 0, children: 0, spawns: 0 },
);
console.log('Processor time in seconds: in all, of the test worker, of its child processes; started processes');
for (const cost of costs.sort((a, b) => b.own + b.children - a.own - a.children)) console.log(row(cost));
console.log(row(sum));
process.exitCode = vitest.status ?? 1;
