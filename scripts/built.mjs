// Part of `npm run build`: the folder with the files of one build, until build.mjs moves them to this repository. Builds
// that run at the same time, and one that is killed, thus leave dist whole.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './repository.mjs';

const start = '.build-';
/** Age above which temporary files are those of a killed process, because a build takes seconds. */
const abandonedMs = 3_600_000;

/** Whether a temporary file or folder is so old that no process uses it. */
export function isAbandoned(path) {
  const { mtimeMs = Number.POSITIVE_INFINITY } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return mtimeMs < Date.now() - abandonedMs;
}

for (const name of readdirSync(root))
  if (name.startsWith(start) && isAbandoned(join(root, name))) remove(join(root, name));

/** Folder of this build, which contains `dist` and `schema.json`. Removed when the process ends. */
export const built = mkdtempSync(join(root, start));
process.on('exit', () => remove(built));

function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Another build removes the folder too, or the compiler of an ended build still writes. A later build removes it.
  }
}

/** Reads a file of this build, by its later path in this repository. */
export const readBuilt = (path) => readFileSync(join(built, path), 'utf8');

/** Writes a file of this build, by its later path in this repository. */
export function writeBuilt(path, text) {
  mkdirSync(dirname(join(built, path)), { recursive: true });
  writeFileSync(join(built, path), text);
}
