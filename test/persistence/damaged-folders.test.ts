import { copyFileSync, mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatLine } from '../../src/persistence/node/folder/lines.js';
import { newFolder } from '../support/new-folder.js';
import { type Content, change, lineWith, logFiles, openFor, positionsOf, range, readFolder } from './folders.js';

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
  return positionsOf(entries);
}
const upTo = (last: number) => range(1, last);
/** Edits of a folder, by the names of its files. */
type Damaging = (folder: string) => void;
const inFile =
  (name: string, edit: (bytes: Buffer) => Buffer): Damaging =>
  (folder) =>
    change(folder, name, edit);
const flipAt = (name: string, placeIn: (bytes: Buffer) => number) =>
  inFile(name, (bytes) => {
    const at = placeIn(bytes);
    bytes[at] = (bytes[at] as number) ^ 1;
    return bytes;
  });
const flipIn = (name: string, text: string) => flipAt(name, (bytes) => bytes.indexOf(text));
const append = (name: string, text: string | Buffer) =>
  inFile(name, (bytes) => Buffer.concat([bytes, Buffer.from(text)]));
const cutLastLine = (placeIn: (line: { start: number; end: number }) => number) =>
  inFile(secondLog, (bytes) => bytes.subarray(0, placeIn(lineWith(bytes, '/v1/pets/12-'))));
const truncate =
  (bytes: number, ...names: string[]): Damaging =>
  (folder) => {
    for (const name of names) truncateSync(join(folder, name), bytes);
  };
const remove =
  (...names: string[]): Damaging =>
  (folder) => {
    for (const name of names) rmSync(join(folder, name));
  };
const replaceByFolder =
  (name: string): Damaging =>
  (folder) => {
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
  };

/** What is found after a damage. */
interface Found {
  /** Position of the snapshot; absent if none is read. */
  snapshot?: number;
  /** The entries that are left. */
  left: readonly number[];
  /** Pattern of the notices, one a line. */
  notice: RegExp;
  isNew?: boolean;
}
type Row = [what: string, damage: Damaging, found: Found];

const withoutSnapshots: Row[] = [
  [
    'a last line without its newline',
    cutLastLine(({ end }) => end - 1),
    {
      left: upTo(11),
      notice:
        /^The last write to log-000000000009\.jsonl was interrupted after entry 11; its \d+ bytes were removed\.$/,
    },
  ],
  ['one byte of a last line', cutLastLine(({ start }) => start + 1), { left: upTo(11), notice: /its 1 bytes/ }],
  [
    'a first file cut within its header',
    truncate(20, firstLog),
    {
      left: [],
      isNew: true,
      notice:
        /Failed to read log-000000000001\.jsonl from its beginning: expected a file with a header.*set aside as set-aside-1-log-000000000001\.jsonl, set-aside-1-log-000000000009\.jsonl/,
    },
  ],
  [
    'a second file cut within its header',
    truncate(100, secondLog),
    {
      left: upTo(8),
      notice: /^Failed to read log-000000000009\.jsonl after entry 8: expected a file with a header/,
    },
  ],
  [
    'a first file cut within an entry, before the second file',
    inFile(firstLog, (bytes) => bytes.subarray(0, lineWith(bytes, '/v1/pets/8-').start + 30)),
    {
      left: upTo(7),
      notice:
        /^Failed to read log-000000000001\.jsonl after entry 7: the last line is incomplete; later entries are lost/,
    },
  ],
  [
    'zeros at the end, as a power loss leaves them',
    append(secondLog, Buffer.alloc(4096)),
    { left: upTo(12), notice: /was interrupted after entry 12; its 4096 bytes were removed/ },
  ],
  [
    'zeros in the middle',
    inFile(firstLog, (bytes) =>
      bytes.fill(0, lineWith(bytes, '/v1/pets/3-').start, lineWith(bytes, '/v1/pets/5-').end),
    ),
    {
      left: upTo(2),
      notice:
        /^Failed to read log-000000000001\.jsonl after entry 2: expected the line as it was written, got a changed one; later entries are lost and were set aside as set-aside-1-log-000000000001\.jsonl, set-aside-1-log-000000000009\.jsonl\.$/,
    },
  ],
  [
    'a flipped bit in a command',
    flipAt(firstLog, (bytes) => bytes.indexOf('/v1/pets/6-') + 9),
    { left: upTo(5), notice: /after entry 5: expected the line as it was written/ },
  ],
  [
    'a changed position, which makes it an earlier one',
    inFile(firstLog, (bytes) => Buffer.from(bytes.toString().replace('"position":7', '"position":3'))),
    { left: upTo(6), notice: /after entry 6/ },
  ],
  [
    'a flipped bit in the header of the first file',
    flipAt(firstLog, () => 30),
    { left: [], isNew: true, notice: /log-000000000001\.jsonl from its beginning/ },
  ],
  [
    'an end that was written twice',
    inFile(secondLog, (bytes) => Buffer.concat([bytes, bytes.subarray(lineWith(bytes, '/v1/pets/11-').start)])),
    { left: upTo(12), notice: /^2 entries were found twice; each was applied once\.$/ },
  ],
  [
    'two entries in the wrong order',
    inFile(firstLog, (bytes) => {
      const [three, four] = [lineWith(bytes, '/v1/pets/3-'), lineWith(bytes, '/v1/pets/4-')];
      return Buffer.concat([
        bytes.subarray(0, three.start),
        bytes.subarray(four.start, four.end),
        bytes.subarray(three.start, three.end),
        bytes.subarray(four.end),
      ]);
    }),
    { left: upTo(2), notice: /after entry 2/ },
  ],
  [
    'a line of a person',
    append(secondLog, '{"hello":1}\n'),
    { left: upTo(12), notice: /after entry 12: expected the line as it was written, got a changed one/ },
  ],
  [
    'no first file',
    remove(firstLog),
    {
      left: [],
      isNew: true,
      notice:
        /^Failed to read log-000000000009\.jsonl from its beginning: expected entry 1, got a file that begins with 9;/,
    },
  ],
  [
    'a first file without content',
    truncate(0, firstLog),
    {
      left: [],
      isNew: true,
      notice: /from its beginning: expected a file with a header, got one that is empty/,
    },
  ],
  [
    'files without any content',
    truncate(0, firstLog, secondLog),
    { left: [], isNew: true, notice: /Failed to read log-000000000001\.jsonl/ },
  ],
];

/** The older snapshot and all entries after it, and the notice about the newer one. */
const fallsBack = (notice = /Failed to read snapshot-000000000010/): Found => ({
  snapshot: 5,
  left: range(6, 12),
  notice,
});
/** The newer snapshot and the entries after it that are left; without a notice, all are. */
const reads = (left = [11, 12], notice = /^$/): Found => ({ snapshot: 10, left, notice });

/** Repeats entry 9 before itself as an entry 11. */
const claimsToBeLater = (bytes: Buffer): Buffer => {
  const { start, end } = lineWith(bytes, '/v1/pets/9-');
  const claim = bytes.toString('utf8', start, end).replace('"position":9,', '"position":11,');
  return Buffer.concat([bytes.subarray(0, start), Buffer.from(claim), bytes.subarray(start)]);
};

const withSnapshots: Row[] = [
  [
    'a flipped bit in the newest snapshot',
    flipIn(secondSnapshot, 'state after'),
    fallsBack(
      /^Failed to read snapshot-000000000010\.jsonl: expected unchanged lines; it was set aside as set-aside-1-snapshot-000000000010\.jsonl\.$/,
    ),
  ],
  [
    'a snapshot without its last line',
    inFile(secondSnapshot, (bytes) => bytes.subarray(0, lineWith(bytes, '"end"').start)),
    fallsBack(),
  ],
  ['a snapshot cut in a line', inFile(secondSnapshot, (bytes) => bytes.subarray(0, -3)), fallsBack()],
  ['a snapshot with more after its last line', append(secondSnapshot, '{}\n'), fallsBack()],
  ['a snapshot without content', truncate(0, secondSnapshot), fallsBack()],
  [
    'a folder in the place of the newest snapshot',
    replaceByFolder(secondSnapshot),
    fallsBack(
      /^Failed to read snapshot-000000000010\.jsonl: expected a file, got a folder; it was set aside as set-aside-1-snapshot-000000000010\.jsonl\.$/,
    ),
  ],
  [
    'both snapshots broken',
    truncate(50, firstSnapshot, secondSnapshot),
    { left: upTo(12), notice: /^Failed to read snapshot-000000000010.*\n.*snapshot-000000000005/ },
  ],
  ['damage in the log before the newest snapshot', flipIn(firstLog, '/v1/pets/6-'), reads()],
  ['damage in the file of the newest snapshot, before it', flipIn(secondLog, '/v1/pets/9-'), reads()],
  [
    'a line before the newest snapshot that claims to come after it',
    inFile(firstLog, (bytes) => {
      const { start, end } = lineWith(bytes, '/v1/pets/6-');
      return Buffer.concat([bytes, Buffer.from(bytes.toString('utf8', start, end).replace(':6,', ':11,'))]);
    }),
    reads(),
  ],
  [
    'a line in the file of the newest snapshot that claims to come after it',
    inFile(secondLog, claimsToBeLater),
    reads(),
  ],
  [
    'such a line, where the file ends with the entry of the newest snapshot',
    inFile(secondLog, (bytes) => claimsToBeLater(bytes.subarray(0, lineWith(bytes, '/v1/pets/10-').end))),
    reads([]),
  ],
  ['no first file, which the newest snapshot does not need', remove(firstLog), reads()],
  [
    'a snapshot that was not finished',
    (folder) => copyFileSync(join(folder, secondSnapshot), join(folder, 'snapshot-000000000012.jsonl.unfinished')),
    reads(),
  ],
  [
    'a folder in the place of a file that was not finished',
    (folder) => mkdirSync(join(folder, 'snapshot-000000000012.jsonl.unfinished')),
    reads([11, 12], /^Failed to read snapshot-000000000012\.jsonl\.unfinished: expected a file, got a folder/),
  ],
  [
    'damage after the newest snapshot',
    flipIn(secondLog, '/v1/pets/12-'),
    reads([11], /after entry 11: expected the line as it was written/),
  ],
  [
    'no log after the newest snapshot',
    remove(secondLog),
    reads([], /^Failed to find the log after entry 10: later entries are lost\.$/),
  ],
  [
    'no log at all',
    remove(firstLog, secondLog),
    reads([], /^Failed to find the log after entry 10: later entries are lost\.$/),
  ],
  [
    'a folder in the place of a file of the log',
    replaceByFolder(secondLog),
    reads(
      [],
      /^Failed to read log-000000000009\.jsonl: expected a file, got a folder.*\nFailed to find the log after entry 10/,
    ),
  ],
];

const isOldVersion = (notice: string) => notice.startsWith('The log was written by petstore-sim 0.9.0');
const bytesIn = (folder: string) => logFiles(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

test.for([
  ...withoutSnapshots.map((row) => [false, ...row] as const),
  ...withSnapshots.map((row) => [true, ...row] as const),
])('reads a log (with snapshots: %s) with %s up to the damage, and reports it', async ([snapshots, , damage, row]) => {
  const folder = await twelveEntries({ snapshots });
  damage(folder);
  const before = bytesIn(folder);
  const found = await readFolder(folder);
  expect(positions(found)).toEqual(row.left);
  expect(found.snapshot?.position).toBe(row.snapshot);
  expect(found.snapshot?.pieces[0]).toBe(row.snapshot && `state after ${row.snapshot}`);
  expect(found.isNew).toBe(row.isNew ?? false);
  const notices = found.notices.filter((notice) => !isOldVersion(notice)).join('\n');
  expect(notices).toMatch(row.notice);
  // Only an interrupted write is removed; all other bytes are still in the folder.
  if (!/was interrupted/.test(notices)) expect(bytesIn(folder)).toBeGreaterThanOrEqual(before);
  expect(readdirSync(folder).filter((name) => /^(?!set-aside-).*\.unfinished$/.test(name))).toEqual([]);
  await goesOn(folder, found);
});

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

test('reads and reports a folder of another version', async () => {
  const folder = await twelveEntries();
  const found = await readFolder(folder, { version: '1.2.0' });
  expect(found.notices).toEqual(['The log was written by petstore-sim 1.0.0; this is 1.2.0.']);
  expect(positions(found)).toEqual(upTo(12));
});

test.for([firstLog, secondSnapshot])('leaves a folder with a newer format unchanged: %s', async (name) => {
  const folder = await twelveEntries({ snapshots: true });
  flipAt(firstSnapshot, () => 40)(folder);
  change(folder, name, (bytes) => {
    const end = bytes.indexOf(10);
    const { crc: _, ...header } = JSON.parse(bytes.toString('utf8', 0, end));
    const line = formatLine({ ...header, format: 2, version: '3.0.0' }, 0).bytes;
    return Buffer.concat([line, bytes.subarray(end + 1)]);
  });
  const before = logFiles(folder);
  await expect(readFolder(folder)).rejects.toThrow(
    'expected files of format 1, got format 2, which petstore-sim 3.0.0 wrote; use that version or a newer one, another folder, or start a new log with --data-reset',
  );
  expect(logFiles(folder)).toEqual(before);
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
  expect(positionsOf(found.entries)).toEqual(upTo(8));
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

test.for([
  ['a file', ''],
  ['a path below a file', 'data'],
] as const)('%s in place of a folder is refused', async ([, below]) => {
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');
  const path = join(file, below);
  await expect(openFor(path)).rejects.toThrow(
    `expected a folder for the log, got ${path}, which is a file or lies below one; name another`,
  );
});
