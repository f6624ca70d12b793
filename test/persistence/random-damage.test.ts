import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newFolder } from '../support/new-folder.js';
import { fuzz } from '../support/prove.js';
import { type Content, change, logFiles, openFor, readFolder } from './folders.js';

const entryCount = 30;
const commandsOf = (position: number) => [{ at: position, text: 'ü'.repeat(position % 7) }];
const stateAfter = (position: number) => [`state after ${position}`, { position }];

/** Thirty entries in some files, by two versions, with two snapshots. */
async function thirtyEntries(): Promise<string> {
  const folder = newFolder();
  for (const [version, last] of [
    ['1.0.0', 8],
    ['1.1.0', entryCount],
  ] as const) {
    const { log } = await openFor(folder, { version, minimumLogBytes: 1500 });
    while (log.position < last) {
      const { position } = await log.append({ atMs: log.position, commands: commandsOf(log.position + 1) });
      if (position === 13 || position === 24) await log.writeSnapshot(position, stateAfter(position));
    }
    await log.close();
  }
  return folder;
}

/** Position in the concatenated files of a folder. */
const place = fc.nat();
const damages = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('flip' as const), place, bit: fc.nat(7) }) },
  fc.record({ kind: fc.constant('cut' as const), place }),
  fc.record({ kind: fc.constant('zeros' as const), place, length: fc.integer({ min: 1, max: 600 }) }),
  fc.record({ kind: fc.constant('copy' as const), place, length: fc.integer({ min: 1, max: 600 }), to: place }),
  fc.record({ kind: fc.constant('remove' as const), place }),
);
type Damage = typeof damages extends fc.Arbitrary<infer T> ? T : never;

function damageFile(folder: string, damage: Damage): void {
  const names = logFiles(folder);
  const name = names[damage.place % names.length];
  if (name === undefined) return;
  if (damage.kind === 'remove') {
    rmSync(join(folder, name));
    return;
  }
  change(folder, name, (bytes) => {
    if (bytes.length === 0) return bytes;
    const at = Math.floor(damage.place / names.length) % bytes.length;
    switch (damage.kind) {
      case 'flip':
        bytes[at] = (bytes[at] as number) ^ (1 << damage.bit);
        return bytes;
      case 'cut':
        return bytes.subarray(0, at);
      case 'zeros':
        return bytes.fill(0, at, Math.min(at + damage.length, bytes.length));
      case 'copy': {
        const to = damage.to % bytes.length;
        return Buffer.concat([bytes.subarray(0, to), bytes.subarray(at, at + damage.length), bytes.subarray(to)]);
      }
    }
  });
}

/** The position up to which a folder was read, after looking whether everything until then is as it was acknowledged. */
function checkedPosition({ snapshot, entries }: Content): number {
  if (snapshot !== undefined) expect(snapshot.pieces).toEqual(stateAfter(snapshot.position));
  const from = snapshot?.position ?? 0;
  expect(entries.map(({ position }) => position)).toEqual(entries.map((_, index) => from + 1 + index));
  for (const { position, commands } of entries) expect(commands).toEqual(commandsOf(position));
  return from + entries.length;
}

async function readDamaged(template: string, list: readonly Damage[]) {
  const folder = `${template}-damaged`;
  try {
    cpSync(template, folder, { recursive: true });
    for (const each of list) damageFile(folder, each);
    const found = await readFolder(folder, { version: '1.1.0' });
    const position = checkedPosition(found);
    expect(found.isNew ? position : 0).toBe(0);
    const again = await readFolder(folder, { version: '1.1.0' });
    expect(checkedPosition(again)).toBe(position);
    return { position, notices: found.notices, isToldAgain: again.notices.some((notice) => /Failed/.test(notice)) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('a damaged folder is read as the acknowledged entries up to some position', async () => {
  const template = await thirtyEntries();
  const property = fc.asyncProperty(fc.array(damages, { minLength: 1, maxLength: 4 }), async (list) => {
    await readDamaged(template, list);
  });
  await fc.assert(property, fuzz(60, 10_000));
});

test('the loss by a flipped bit is reported', async () => {
  const template = await thirtyEntries();
  const flip = fc.record({ kind: fc.constant('flip' as const), place, bit: fc.nat(7) });
  const property = fc.asyncProperty(fc.array(flip, { minLength: 1, maxLength: 2 }), async (flips) => {
    const { position, notices, isToldAgain } = await readDamaged(template, flips);
    if (position < entryCount)
      expect(notices.filter((notice) => /Failed|was interrupted/.test(notice))).not.toEqual([]);
    expect(isToldAgain).toBe(false);
  });
  await fc.assert(property, fuzz(60, 10_000));
});
