import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { read, root } from './repository.mjs';

/** Hashes the dashboard's code, which docs/page-light.webp shows. */
export function dashboardHash() {
  const hash = createHash('sha256');
  for (const name of readdirSync(join(root, 'src/dashboard')).sort()) {
    hash.update(`${name}\n${read(`src/dashboard/${name}`)}`);
  }
  return hash.digest('hex').slice(0, 16);
}
