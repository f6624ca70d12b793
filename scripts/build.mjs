// `npm run build`: writes dist. Overwrites files in place and deletes those of earlier builds at the end, so that a
// running server finds its files during a build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './repository.mjs';

const dist = join(root, 'dist');
// The clocks of file systems can be some milliseconds behind.
const startMs = Date.now() - 50;

// No code loads the declarations, which the script for them reads.
rmSync(join(dist, 'types'), { recursive: true, force: true });
// `npm run check` checks the types, which takes longer than all steps of the build.
const tsc = [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json', '--noCheck'];
const declared = once(spawn(process.execPath, tsc, { cwd: root, stdio: 'inherit' }), 'close');
for (const step of ['scenarios', 'javascript', 'dashboard']) await import(`./build-${step}.mjs`);
const [code] = await declared;
if (code !== 0) process.exit(1);
await import('./build-declarations.mjs');
await import('./bundled-licences.mjs');

for (const name of readdirSync(dist, { recursive: true })) {
  const file = join(dist, name);
  const found = statSync(file);
  if (found.isFile() && found.mtimeMs < startMs) rmSync(file);
}
