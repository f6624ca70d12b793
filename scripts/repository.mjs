import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Folder of this repository. */
export const root = join(import.meta.dirname, '..');

/** Reads a file, by its path in this repository. */
export const read = (path) => readFileSync(join(root, path), 'utf8');

/** Reads a JSON file, by its path in this repository. */
export const readJson = (path) => JSON.parse(read(path));

/** Writes a file, by its path in this repository. */
export const write = (path, text) => writeFileSync(join(root, path), text);

/** Notes a result in test/proof.json. Reads the file before each write, because several scripts write to it. */
export const noteProof = (name, result) =>
  write('test/proof.json', `${JSON.stringify({ ...readJson('test/proof.json'), [name]: result }, null, 2)}\n`);
