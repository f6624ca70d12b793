// First step of `npm run build`: deletes dist. Written in JavaScript to run on every operating system.
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

rmSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true, force: true });
