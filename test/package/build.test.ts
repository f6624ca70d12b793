// @module-tag extended
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
let folder: string;

// A copy, because other tests use this repository's dist.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'petstore-sim-build-'));
  const copied = ['src', 'scripts', 'scenarios', 'fixtures', 'package.json', 'tsconfig.json', 'tsconfig.build.json'];
  for (const name of copied) await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));

const start = (...args: string[]) => spawn(process.execPath, args, { cwd: folder, stdio: 'ignore' });
const ended = async (child: ReturnType<typeof start>) => (await once(child, 'close'))[0] as number | null;

/** Reads the built files, by path. */
async function readBuilt() {
  const entries = await readdir(join(folder, 'dist'), { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const files = ['schema.json', ...paths.map((path) => path.slice(folder.length + 1)).sort()];
  return Promise.all(files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')]));
}

test('builds that run at once, and a killed one, leave a complete dist', { timeout: 300_000 }, async () => {
  expect(await ended(start('scripts/build.mjs'))).toBe(0);
  const built = await readBuilt();
  const builds = [ended(start('scripts/build.mjs'))];
  await sleep(500);
  builds.push(ended(start('scripts/build.mjs')));
  let isOver = false;
  const all = Promise.all(builds).finally(() => {
    isOver = true;
  });
  while (!isOver) expect(await ended(start('dist/cli/main.cjs', 'check', 'minute-wall'))).toBe(0);
  expect(await all).toEqual([0, 0]);
  expect(await readBuilt()).toEqual(built);
  const killed = start('scripts/build.mjs');
  await sleep(2_000);
  killed.kill('SIGKILL');
  await ended(killed);
  expect((await readBuilt()).filter(([file]) => !file?.includes('source-'))).toEqual(built);
});
