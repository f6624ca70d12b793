// Preloaded by a test into a process that keeps a log (node --import): records in `fileCalls` which files the process writes,
// flushes, renames, cuts and removes, in their order. An asynchronous flush takes 10 ms longer here, so that entries arrive
// during it.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const folder = process.argv[2];
const calls = [];
globalThis.fileCalls = calls;

const nameOf = (path) => (path === folder ? 'folder' : basename(path));
const names = new Map();
const nameOfFile = (file) => names.get(file) ?? '';

const { openSync, closeSync, writeSync, fsyncSync, fdatasyncSync, fsync, fdatasync, ftruncateSync } = fs;
const { renameSync, rmSync, unlinkSync, promises } = fs;
const { open, rename, rm, writeFile } = promises;

fs.openSync = (path, ...rest) => {
  const file = openSync(path, ...rest);
  names.set(file, nameOf(path));
  return file;
};
fs.writeSync = (file, ...rest) => {
  calls.push(`write ${nameOfFile(file)}`);
  return writeSync(file, ...rest);
};

/** A flush is recorded where it begins and where it ends. */
const flushing = (run) => (file) => {
  const name = nameOfFile(file);
  calls.push(`flush ${name}`);
  run(file);
  calls.push(`flushed ${name}`);
};
fs.fsyncSync = flushing(fsyncSync);
fs.fdatasyncSync = flushing(fdatasyncSync);
const flushingLater = (run) => (file, callback) => {
  const name = nameOfFile(file);
  calls.push(`flush ${name}`);
  run(file, (error) =>
    setTimeout(() => {
      calls.push(`flushed ${name}`);
      callback(error);
    }, 10),
  );
};
fs.fsync = flushingLater(fsync);
fs.fdatasync = flushingLater(fdatasync);

promises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  const name = nameOf(path);
  for (const method of ['sync', 'datasync']) {
    const run = handle[method].bind(handle);
    handle[method] = async () => {
      calls.push(`flush ${name}`);
      await run();
      await delay(10);
      calls.push(`flushed ${name}`);
    };
  }
  return handle;
};

promises.writeFile = async (path, data, options) => {
  await writeFile(path, data, options);
  if (options?.flush) calls.push(`flush ${nameOf(path)}`, `flushed ${nameOf(path)}`);
};

const recordPath =
  (verb, run) =>
  (path, ...rest) => {
    if (fs.existsSync(path)) calls.push(`${verb} ${nameOf(path)}`);
    return run(path, ...rest);
  };
fs.rmSync = recordPath('remove', rmSync);
fs.unlinkSync = recordPath('remove', unlinkSync);
promises.rm = recordPath('remove', rm);
fs.truncateSync = (path, length) => {
  calls.push(`cut ${nameOf(path)}`);
  const file = openSync(path, 'r+');
  ftruncateSync(file, length);
  closeSync(file);
};
fs.ftruncateSync = (file, ...rest) => {
  calls.push(`cut ${nameOfFile(file)}`);
  return ftruncateSync(file, ...rest);
};

const recordRename = (run) => (from, to) => {
  calls.push(`rename ${nameOf(from)} ${nameOf(to)}`);
  return run(from, to);
};
fs.renameSync = recordRename(renameSync);
promises.rename = recordRename(rename);

syncBuiltinESMExports();
