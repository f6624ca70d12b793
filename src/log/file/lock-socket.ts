import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export interface LockSocket {
  /** Where others find it, from the folder; `null` where the folder can have no socket. */
  readonly address: string | null;
  close(): Promise<void>;
}

/** A longer path is cut by some systems: macOS has 104 bytes for it, Linux 108. */
const longestPathBytes = 100;
const isPipe = (address: string) => address.startsWith('\\\\');

/** Listens on a socket in a folder, on Windows on a pipe of that name. The system ends it with the process. */
export async function listenOnSocket(folder: string, name: string): Promise<LockSocket> {
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\petstore-sim-${name}` : name;
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    await atShortPath(folder, address, async (path) => {
      server.listen(path);
      await once(server, 'listening');
      if (!isPipe(address)) chmodSync(path, 0o600);
    });
  } catch (error) {
    // Folders that are shared from another system often have none.
    if (unsupported.has((error as NodeJS.ErrnoException).code ?? '')) return { address: null, close: async () => {} };
    throw error;
  }
  return {
    address,
    async close() {
      server.close();
      if (!isPipe(address)) rmSync(join(folder, address), { force: true });
    },
  };
}

const unsupported = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EINVAL', 'ENOSYS', 'EIO']);

/** Whether a process listens on a socket. One that is stopped or busy does; only a plain refusal says that it is gone. */
export async function socketAnswers(folder: string, address: string): Promise<boolean> {
  return atShortPath(folder, address, async (path) => {
    const socket = connect(path);
    try {
      await once(socket, 'connect');
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code !== 'ECONNREFUSED' && code !== 'ENOENT';
    } finally {
      socket.destroy();
    }
  });
}

/** Runs with a path to a socket that is short enough, by a link beside it for the time being. */
async function atShortPath<T>(folder: string, address: string, run: (path: string) => Promise<T>): Promise<T> {
  const path = isPipe(address) ? address : join(resolve(folder), address);
  if (isPipe(address) || Buffer.byteLength(path) <= longestPathBytes) return run(path);
  const shortcut = mkdtempSync(join(tmpdir(), 'petstore-sim-'));
  try {
    const link = join(shortcut, 'd');
    symlinkSync(resolve(folder), link);
    return await run(join(link, address));
  } finally {
    rmSync(shortcut, { recursive: true, force: true });
  }
}
