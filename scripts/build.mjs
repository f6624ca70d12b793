// `npm run build`: writes dist and schema.json. Moves each file to its place when all are complete, so that a running
// server, a test or another build finds whole files. Deletes those of earlier builds at the end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { built, isAbandoned } from './built.mjs';
import { root } from './repository.mjs';

/** Lists the files below a folder by their paths, which begin with the folder's. */
const filesIn = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

const dist = join(root, 'dist');
mkdirSync(dist, { recursive: true });
// Listed before the build, so that it does not delete the files of one that begins later.
const earlier = filesIn(dist).filter((file) => !relative(dist, file).startsWith('source-') || isAbandoned(file));

// `npm run check` checks the types, which takes longer than all steps of the build.
const types = ['--noCheck', '--outDir', join(built, 'dist/types')];
const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json', ...types];
const declared = once(spawn(process.execPath, tsc, { cwd: root, stdio: 'inherit' }), 'close');
for (const step of ['scenarios', 'javascript', 'dashboard']) await import(`./build-${step}.mjs`);
const [code] = await declared;
if (code !== 0) process.exit(1);
await import('./build-declarations.mjs');
await import('./bundled-licences.mjs');

const moved = new Set();
for (const from of filesIn(built)) {
  const to = join(root, relative(built, from));
  mkdirSync(dirname(to), { recursive: true });
  try {
    renameSync(from, to);
  } catch {
    // Windows may refuse to replace a file that another process has open.
    copyFileSync(from, to);
  }
  moved.add(to);
}
for (const file of earlier) if (!moved.has(file)) rmSync(file, { force: true });
