// `npm run build`: writes dist. Overwrites files in place and deletes those of earlier builds at the end, so that a
// running server finds its files during a build.
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './repository.mjs';

const dist = join(root, 'dist');
// The clocks of file systems can be some milliseconds behind.
const startMs = Date.now() - 50;

// No code loads the declarations, which the script for them reads.
rmSync(join(dist, 'types'), { recursive: true, force: true });
for (const step of ['scenarios', 'javascript', 'declarations', 'dashboard']) await import(`./build-${step}.mjs`);
await import('./bundled-licences.mjs');

for (const name of readdirSync(dist, { recursive: true })) {
  const file = join(dist, name);
  const found = statSync(file);
  if (found.isFile() && found.mtimeMs < startMs) rmSync(file);
}
