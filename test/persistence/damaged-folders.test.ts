import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatLine } from '../../src/persistence/node/folder/lines.js';
import { type Content, change, lineWith, logFiles, newFolder, openFor, readFolder } from './folders.js';

const firstLog = 'log-000000000001.jsonl';
const secondLog = 'log-000000000009.jsonl';
const firstSnapshot = 'snapshot-000000000005.jsonl';
const secondSnapshot = 'snapshot-000000000010.jsonl';

/** Entries 1 to 8 of one version and 9 to 12 of another, in two files; with snapshots after 5 and 10. */
async function twelveEntries({ snapshots = false } = {}): Promise<string> {
  const folder = newFolder();
  for (const version of ['0.9.0', '1.0.0']) {
    const { log } = await openFor(folder, { version });
    while (log.position < (version === '0.9.0' ? 8 : 12)) {
      const number = log.position + 1;
      await log.append({ atMs: number * 1000, commands: [{ path: `/v1/pets/${number}-` }] });
      if (snapshots && number % 5 === 0) await log.writeSnapshot(number, [`state after ${number}`, 'x'.repeat(50)]);
    }
    await log.close();
  }
  return folder;
}

/** The positions of the entries, after a look whether each has its own commands. */
function positions({ entries }: Content): number[] {
  for (const { position, commands } of entries) expect(commands).toEqual([{ path: `/v1/pets/${position}-` }]);
  return entries.map(({ position }) => position);
}
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index);
const flip = (bytes: Buffer, at: number) => {
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes;
};

interface Damage {
  what: string;
  damage(folder: string): void;
  /** The entries that are left; default all twelve. */
  left?: readonly number[];
  /** Pattern of the only notice. */
  notice: RegExp;
  isNew?: boolean;
}

const cutAt = (part: (start: number, end: number) => number) => (folder: string) =>
  change(folder, secondLog, (bytes) => {
    const { start, end } = lineWith(bytes, '/v1/pets/12-');
    return bytes.subarray(0, part(start, end));
  });

const withoutSnapshots: Damage[] = [
  {
    what: 'a last line without its newline',
    damage: cutAt((_, end) => end - 1),
    left: upTo(11),
    notice: /^The last write to log-000000000009\.jsonl was interrupted after entry 11; its \d+ bytes were removed\.$/,
  },
  { what: 'one byte of a last line', damage: cutAt((start) => start + 1), left: upTo(11), notice: /its 1 bytes/ },
  {
    what: 'a first file cut within its header',
    damage: (folder) => truncateSync(join(folder, firstLog), 20),
    left: [],
    isNew: true,
    notice:
      /Failed to read log-000000000001\.jsonl from its beginning: expected a file with a header.*set aside as set-aside-1-log-000000000001\.jsonl, set-aside-1-log-000000000009\.jsonl/,
  },
  {
    what: 'a second file cut within its header',
    damage: (folder) => truncateSync(join(folder, secondLog), 100),
    left: upTo(8),
    notice: /^Failed to read log-000000000009\.jsonl after entry 8: expected a file with a header/,
  },
  {
    what: 'a first file cut within an entry, before the second file',
    damage: (folder) =>
      change(folder, firstLog, (bytes) => bytes.subarray(0, lineWith(bytes, '/v1/pets/8-').start + 30)),
    left: upTo(7),
    notice:
      /^Failed to read log-000000000001\.jsonl after entry 7: the last line is incomplete; later entries are lost/,
  },
  {
    what: 'zeros at the end, as a power loss leaves them',
    damage: (folder) => change(folder, secondLog, (bytes) => Buffer.concat([bytes, Buffer.alloc(4096)])),
    notice: /was interrupted after entry 12; its 4096 bytes were removed/,
  },
  {
    what: 'zeros in the middle',
    damage: (folder) =>
      change(folder, firstLog, (bytes) =>
        bytes.fill(0, lineWith(bytes, '/v1/pets/3-').start, lineWith(bytes, '/v1/pets/5-').end),
      ),
    left: upTo(2),
    notice:
      /^Failed to read log-000000000001\.jsonl after entry 2: expected the line as it was written, got a changed one; later entries are lost and were set aside as set-aside-1-log-000000000001\.jsonl, set-aside-1-log-000000000009\.jsonl\.$/,
  },
  {
    what: 'a flipped bit in a command',
    damage: (folder) => change(folder, firstLog, (bytes) => flip(bytes, bytes.indexOf('/v1/pets/6-') + 9)),
    left: upTo(5),
    notice: /after entry 5: expected the line as it was written/,
  },
  {
    what: 'a flipped bit in a position, which makes it an earlier one',
    damage: (folder) =>
      change(folder, firstLog, (bytes) => {
        const at = bytes.indexOf('"position":7') + 11;
        bytes[at] = '3'.charCodeAt(0);
        return bytes;
      }),
    left: upTo(6),
    notice: /after entry 6/,
  },
  {
    what: 'a flipped bit in the header of the first file',
    damage: (folder) => change(folder, firstLog, (bytes) => flip(bytes, 30)),
    left: [],
    isNew: true,
    notice: /log-000000000001\.jsonl from its beginning/,
  },
  {
    what: 'an end that was written twice',
    damage: (folder) =>
      change(folder, secondLog, (bytes) =>
        Buffer.concat([bytes, bytes.subarray(lineWith(bytes, '/v1/pets/11-').start)]),
      ),
    notice: /^2 entries were found twice; each was applied once\.$/,
  },
  {
    what: 'two entries in the wrong order',
    damage: (folder) =>
      change(folder, firstLog, (bytes) => {
        const [three, four] = [lineWith(bytes, '/v1/pets/3-'), lineWith(bytes, '/v1/pets/4-')];
        return Buffer.concat([
          bytes.subarray(0, three.start),
          bytes.subarray(four.start, four.end),
          bytes.subarray(three.start, three.end),
          bytes.subarray(four.end),
        ]);
      }),
    left: upTo(2),
    notice: /after entry 2/,
  },
  {
    what: 'a line of a person',
    damage: (folder) => change(folder, secondLog, (bytes) => Buffer.concat([bytes, Buffer.from('{"hello":1}\n')])),
    notice: /after entry 12: expected the line as it was written, got a changed one/,
  },
  {
    what: 'no first file',
    damage: (folder) => rmSync(join(folder, firstLog)),
    left: [],
    isNew: true,
    notice:
      /^Failed to read log-000000000009\.jsonl from its beginning: expected entry 1, got a file that begins with 9;/,
  },
  {
    what: 'a first file without content',
    damage: (folder) => truncateSync(join(folder, firstLog), 0),
    left: [],
    isNew: true,
    notice: /from its beginning: expected a file with a header, got one that is empty/,
  },
  {
    what: 'files without any content',
    damage: (folder) => {
      for (const name of logFiles(folder)) truncateSync(join(folder, name), 0);
    },
    left: [],
    isNew: true,
    notice: /Failed to read log-000000000001\.jsonl/,
  },
];

test.for(withoutSnapshots)(
  'reads a log with $what up to the damage, and reports it',
  async ({ damage, left, notice, isNew }) => {
    const folder = await twelveEntries();
    damage(folder);
    const before = bytesIn(folder);
    const found = await readFolder(folder);
    expect(positions(found)).toEqual(left ?? upTo(12));
    expect(found.isNew).toBe(isNew ?? false);
    const notices = found.notices.filter(
      (sentence) => !sentence.startsWith('The log was written by petstore-sim 0.9.0'),
    );
    expect(notices[0]).toMatch(notice);
    // Only an interrupted write is removed; all other bytes are still in the folder.
    if (!/was interrupted/.test(notices[0] ?? '')) expect(bytesIn(folder)).toBeGreaterThanOrEqual(before);
    await goesOn(folder, found);
  },
);

function replaceByFolder(folder: string, name: string): void {
  rmSync(join(folder, name));
  mkdirSync(join(folder, name));
}

/** Checks that the log works normally after the first report of a damage. */
async function goesOn(folder: string, { entries, snapshot }: Content): Promise<void> {
  const last = entries.at(-1)?.position ?? snapshot?.position ?? 0;
  const { log } = await openFor(folder);
  expect((await log.append({ atMs: 99_000, commands: ['goes on'] })).position).toBe(last + 1);
  await log.close();
  const again = await readFolder(folder);
  expect(again.entries.map(({ commands }) => commands)).toEqual([
    ...entries.map(({ commands }) => commands),
    ['goes on'],
  ]);
  expect(again.notices.filter((notice) => !/^\d (?:entries were|entry was) found twice/.test(notice))).toEqual([]);
}

const bytesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

const withSnapshots: (Damage & { snapshot: number | undefined })[] = [
  {
    what: 'a flipped bit in the newest snapshot',
    damage: (folder) => change(folder, secondSnapshot, (bytes) => flip(bytes, bytes.indexOf('state after'))),
    snapshot: 5,
    left: upTo(12, 6),
    notice:
      /^Failed to read snapshot-000000000010\.jsonl: expected unchanged lines; it was set aside as set-aside-1-snapshot-000000000010\.jsonl\.$/,
  },
  {
    what: 'a snapshot without its last line',
    damage: (folder) => change(folder, secondSnapshot, (bytes) => bytes.subarray(0, lineWith(bytes, '"end"').start)),
    snapshot: 5,
    left: upTo(12, 6),
    notice: /Failed to read snapshot-000000000010/,
  },
  {
    what: 'a snapshot cut in a line',
    damage: (folder) => change(folder, secondSnapshot, (bytes) => bytes.subarray(0, -3)),
    snapshot: 5,
    left: upTo(12, 6),
    notice: /Failed to read snapshot-000000000010/,
  },
  {
    what: 'a snapshot with more after its last line',
    damage: (folder) => change(folder, secondSnapshot, (bytes) => Buffer.concat([bytes, Buffer.from('{}\n')])),
    snapshot: 5,
    left: upTo(12, 6),
    notice: /Failed to read snapshot-000000000010/,
  },
  {
    what: 'a snapshot without content',
    damage: (folder) => truncateSync(join(folder, secondSnapshot), 0),
    snapshot: 5,
    left: upTo(12, 6),
    notice: /Failed to read snapshot-000000000010/,
  },
  {
    what: 'damage in the log before the newest snapshot',
    damage: (folder) => change(folder, firstLog, (bytes) => flip(bytes, bytes.indexOf('/v1/pets/6-'))),
    snapshot: 10,
    left: [11, 12],
    notice: /^$/,
  },
  {
    what: 'damage in the file of the newest snapshot, before it',
    damage: (folder) => change(folder, secondLog, (bytes) => flip(bytes, bytes.indexOf('/v1/pets/9-'))),
    snapshot: 10,
    left: [11, 12],
    notice: /^$/,
  },
  {
    what: 'a line before the newest snapshot that claims to come after it',
    damage: (folder) =>
      change(folder, firstLog, (bytes) => {
        const { start, end } = lineWith(bytes, '/v1/pets/6-');
        return Buffer.concat([bytes, Buffer.from(bytes.toString('utf8', start, end).replace(':6,', ':11,'))]);
      }),
    snapshot: 10,
    left: [11, 12],
    notice: /^$/,
  },
  {
    what: 'a line in the file of the newest snapshot that claims to come after it',
    damage: (folder) =>
      change(folder, secondLog, (bytes) => {
        const { start, end } = lineWith(bytes, '/v1/pets/9-');
        const claim = bytes.toString('utf8', start, end).replace('"position":9,', '"position":11,');
        return Buffer.concat([bytes.subarray(0, start), Buffer.from(claim), bytes.subarray(start)]);
      }),
    snapshot: 10,
    left: [11, 12],
    notice: /^$/,
  },
  {
    what: 'damage after the newest snapshot',
    damage: (folder) => change(folder, secondLog, (bytes) => flip(bytes, bytes.indexOf('/v1/pets/12-'))),
    snapshot: 10,
    left: [11],
    notice: /after entry 11: expected the line as it was written/,
  },
  {
    what: 'no log after the newest snapshot',
    damage: (folder) => rmSync(join(folder, secondLog)),
    snapshot: 10,
    left: [],
    notice: /^Failed to find the log after entry 10: later entries are lost\.$/,
  },
  {
    what: 'no log at all',
    damage: (folder) => {
      for (const name of [firstLog, secondLog]) rmSync(join(folder, name));
    },
    snapshot: 10,
    left: [],
    notice: /^Failed to find the log after entry 10: later entries are lost\.$/,
  },
  {
    what: 'no first file, which the newest snapshot does not need',
    damage: (folder) => rmSync(join(folder, firstLog)),
    snapshot: 10,
    left: [11, 12],
    notice: /^$/,
  },
  {
    what: 'both snapshots broken',
    damage: (folder) => {
      for (const name of [firstSnapshot, secondSnapshot]) truncateSync(join(folder, name), 50);
    },
    snapshot: undefined,
    left: upTo(12),
    notice: /^Failed to read snapshot-000000000010.*\n.*snapshot-000000000005/,
  },
  {
    what: 'a folder in the place of the newest snapshot',
    damage: (folder) => replaceByFolder(folder, secondSnapshot),
    snapshot: 5,
    left: upTo(12, 6),
    notice:
      /^Failed to read snapshot-000000000010\.jsonl: expected a file, got a folder; it was set aside as set-aside-1-snapshot-000000000010\.jsonl\.$/,
  },
  {
    what: 'a folder in the place of a file of the log',
    damage: (folder) => replaceByFolder(folder, secondLog),
    snapshot: 10,
    left: [],
    notice:
      /^Failed to read log-000000000009\.jsonl: expected a file, got a folder.*\nFailed to find the log after entry 10/,
  },
  {
    what: 'a folder in the place of a file that was not finished',
    damage: (folder) => mkdirSync(join(folder, 'snapshot-000000000012.jsonl.unfinished')),
    snapshot: 10,
    left: [11, 12],
    notice: /^Failed to read snapshot-000000000012\.jsonl\.unfinished: expected a file, got a folder/,
  },
  {
    what: 'a snapshot that was not finished',
    damage: (folder) =>
      copyFileSync(join(folder, secondSnapshot), join(folder, 'snapshot-000000000012.jsonl.unfinished')),
    snapshot: 10,
    left: [11, 12],
    notice: /^$/,
  },
];

test.for(withSnapshots)('reads a log with snapshots and $what', async ({ damage, snapshot, left, notice, isNew }) => {
  const folder = await twelveEntries({ snapshots: true });
  damage(folder);
  const found = await readFolder(folder);
  expect(found.snapshot?.position).toBe(snapshot);
  if (snapshot !== undefined) expect(found.snapshot?.pieces[0]).toBe(`state after ${snapshot}`);
  expect(positions(found)).toEqual(left);
  expect(found.isNew).toBe(isNew ?? false);
  expect(found.notices.filter((sentence) => !/was written by petstore-sim 0\.9\.0/.test(sentence)).join('\n')).toMatch(
    notice,
  );
  expect(readdirSync(folder).filter((name) => /^(?!set-aside-).*\.unfinished$/.test(name))).toEqual([]);
  await goesOn(folder, found);
});

test('reads and reports a folder of another version', async () => {
  const folder = await twelveEntries();
  const found = await readFolder(folder, { version: '1.2.0' });
  expect(found.notices).toEqual(['The log was written by petstore-sim 1.0.0; this is 1.2.0.']);
  expect(positions(found)).toEqual(upTo(12));
});

test.for([firstLog, secondSnapshot])('leaves a folder with a newer format unchanged: %s', async (name) => {
  const folder = await twelveEntries({ snapshots: true });
  change(folder, firstSnapshot, (bytes) => flip(bytes, 40));
  change(folder, name, (bytes) => {
    const end = bytes.indexOf(10);
    const { crc: _, ...header } = JSON.parse(bytes.toString('utf8', 0, end));
    const line = formatLine({ ...header, format: 2, version: '3.0.0' }, 0).text;
    return Buffer.concat([Buffer.from(line), bytes.subarray(end + 1)]);
  });
  const before = readdirSync(folder).filter((each) => each.endsWith('.jsonl'));
  await expect(readFolder(folder)).rejects.toThrow(
    'expected files of format 1, got format 2, which petstore-sim 3.0.0 wrote; use that version or a newer one, another folder, or start a new log with --data-reset',
  );
  expect(readdirSync(folder).filter((each) => each.endsWith('.jsonl'))).toEqual(before);
});

test('rejects a file of another log', async () => {
  const [folder, other] = [await twelveEntries(), await twelveEntries()];
  copyFileSync(join(other, secondLog), join(folder, secondLog));
  const found = await readFolder(folder);
  expect(positions(found)).toEqual(upTo(8));
  expect(found.notices[0]).toMatch(/after entry 8: expected a file of this log, got a file of another log/);
});

test('rejects a second file that is a copy of an earlier time', async () => {
  const folder = await twelveEntries();
  copyFileSync(join(folder, secondLog), join(folder, 'kept'));
  const opened = await openFor(folder);
  await opened.log.setAside(5, 'a test says so');
  await opened.log.close();
  const { log } = await openFor(folder);
  for (let number = 5; number <= 8; number++) await log.append({ atMs: number, commands: ['another way'] });
  await log.close();
  copyFileSync(join(folder, 'kept'), join(folder, secondLog));
  const found = await readFolder(folder);
  expect(found.entries.map(({ position }) => position)).toEqual(upTo(8));
  expect(found.notices.join()).toMatch(/after entry 8: expected a file that continues the previous file/);
});

test('rejects a folder with foreign content, and leaves it unchanged', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'thesis.txt'), 'mine');
  await expect(openFor(folder)).rejects.toThrow(
    `expected an empty folder or one with a log, got ${folder}, which has thesis.txt; name another folder`,
  );
  expect(readdirSync(folder)).toEqual(['thesis.txt']);
});

test('treats a new volume as empty', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'lost+found'));
  writeFileSync(join(folder, '.gitkeep'), '');
  expect((await readFolder(folder)).isNew).toBe(true);
});

test.for(['a file', 'rejects %s in place of a folder'])('%s in place of a folder is refused', async (where) => {
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');
  const path = where === 'a file' ? file : join(file, 'data');
  await expect(openFor(path)).rejects.toThrow(
    `expected a folder for the log, got ${path}, which is a file or lies below one; name another`,
  );
});
