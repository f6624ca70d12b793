import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.js';

/** Creates a folder that is removed at the end of the test or, outside of a test, of the file. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-sim-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
