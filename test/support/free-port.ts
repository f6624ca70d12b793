import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Lowest and highest port to choose from. They are below the ephemeral ports of Linux, macOS and Windows, so that no
 * connection of another test takes a port between its choice and its use, or while its server restarts.
 */
const [lowest, highest] = [20_000, 32_767];

/** A loopback port on which no process listens. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest + 1);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    );
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
