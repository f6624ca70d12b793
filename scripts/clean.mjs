// First step of `npm run build`: deletes dist. Written in JavaScript to run on every operating system.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './repository.mjs';

rmSync(join(root, 'dist'), { recursive: true, force: true });
