import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { LogOpenError } from '../log.js';
import { listFolder } from './folder-files.js';
import { beatMs, hasBeat } from './lock-beat.js';
import { listenOnSocket, socketAnswers } from './lock-socket.js';

/** What a lock file says of the process that holds, or held, the folder. */
interface LockNote {
  /** A socket on which that process listens, which ends with it; `null` where the folder can have none. */
  readonly socket: string | null;
  /** The running kernel: sockets reach no other, as when machines share a folder. */
  readonly kernel: string;
  readonly host: string;
  /** For people. Two containers are both process 1. */
  readonly pid: number;
  readonly since: string;
  readonly isReleased?: true;
}

export interface FolderLock {
  release(): Promise<void>;
}

const lockName = (number: number) => `lock-${number}.json`;

/**
 * Takes a folder for this process alone. A lock file with the greatest number belongs to the process that has the
 * folder; whoever finds it dead makes the next, which only one of many can, and the greatest is never removed.
 * @param onLost called when the folder is removed or another machine took it over, which this process seemed dead to
 * @throws {LogOpenError} when another process has it
 */
export async function lockFolder(folder: string, onLost: (reason: string) => void): Promise<FolderLock> {
  const id = randomBytes(6).toString('hex');
  const socket = await listenOnSocket(folder, `lock-${id}.sock`);
  const note: LockNote = {
    socket: socket.address,
    kernel: kernelId(),
    host: hostname(),
    pid: process.pid,
    since: new Date().toISOString(),
  };
  const draft = join(folder, `lock-${id}.draft`);
  try {
    writeFileSync(draft, JSON.stringify(note), { mode: 0o600 });
    const name = await claim(folder, draft);
    for (const other of listFolder(folder).locks) {
      if (other !== name && other !== note.socket) rmSync(join(folder, other), { force: true });
    }
    let isHeld = true;
    const lose = (reason: string) => {
      if (isHeld) onLost(reason);
    };
    const beats = setInterval(() => beat(folder, name, lose), beatMs).unref();
    return {
      async release() {
        isHeld = false;
        clearInterval(beats);
        try {
          writeFileSync(draft, JSON.stringify({ ...note, isReleased: true }), { mode: 0o600 });
          renameSync(draft, join(folder, name));
        } catch {
          // On a full disk: without its process the lock is as good as released.
          rmSync(draft, { force: true });
        }
        await socket.close();
      },
    };
  } catch (error) {
    rmSync(draft, { force: true });
    await socket.close();
    throw error;
  }
}

/** @returns the name of the lock file that is now this process's */
async function claim(folder: string, draft: string): Promise<string> {
  for (;;) {
    const last = newest(folder);
    if (last > 0) await refuseIfHeld(folder, lockName(last));
    const name = lockName(last + 1);
    try {
      // Its content is whole when its name is there, and only one process can give a name.
      linkSync(draft, join(folder, name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw error;
    }
    rmSync(draft, { force: true });
    if (newest(folder) === last + 1) return name;
    // It was slow: others came and went in between, and the greatest number is not its own.
    rmSync(join(folder, name), { force: true });
  }
}

async function refuseIfHeld(folder: string, name: string): Promise<void> {
  const note = readNote(join(folder, name));
  if (note === undefined || note.isReleased) return;
  const isHere = note.kernel === kernelId();
  const isHeld =
    isHere && note.socket !== null ? await socketAnswers(folder, note.socket) : await hasBeat(join(folder, name));
  if (!isHeld) return;
  throw new LogOpenError(
    `expected a folder that no other process uses, got ${folder}, which process ${note.pid} on ${note.host} has used since ${note.since}; end it, or use another folder`,
  );
}

/** `undefined` for what is no lock file; a broken one is of no living process, since each is whole when it is named. */
function readNote(path: string): LockNote | undefined {
  try {
    const note = JSON.parse(readFileSync(path, 'utf8'));
    return typeof note === 'object' && note !== null && 'kernel' in note ? note : undefined;
  } catch {
    return undefined;
  }
}

const newest = (folder: string): number =>
  listFolder(folder).locks.reduce((most, name) => Math.max(most, Number(/^lock-(\d+)\.json$/.exec(name)?.[1] ?? 0)), 0);

async function beat(folder: string, name: string, onLost: (reason: string) => void): Promise<void> {
  try {
    const now = new Date();
    await utimes(join(folder, name), now, now);
    if (newest(folder) === Number(/\d+/.exec(name)?.[0])) return;
    onLost(`another process took over the folder ${folder}, to which this one had seemed dead`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') onLost(`the folder ${folder} was removed or emptied`);
  }
}

/** The same in all containers of one running kernel; elsewhere the name of the machine has to do. */
function kernelId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return hostname();
  }
}
