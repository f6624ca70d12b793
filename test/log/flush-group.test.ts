import { fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FlushGroup } from '../../src/log/file/flush-group.js';
import { newFolder } from './folders.js';

test('a file that the log leaves while it is being flushed is flushed once more, and then closed', async () => {
  const folder = newFolder();
  const [old, next] = ['old', 'next'].map((name) => openSync(join(folder, name), 'w')) as [number, number];
  const group = new FlushGroup(folder);
  const first = group.flush(old);
  // Now the system is at it, and what is written to the old file from here on is part of the next flush.
  await nextTurn();
  const second = group.flush(old);
  group.retire(old);
  const third = group.flush(next);
  await first;
  expect(fstatSync(old).isFile()).toBe(true);
  await Promise.all([second, third]);
  expect(() => fstatSync(old)).toThrow('EBADF');
  await group.flush(next);
});
