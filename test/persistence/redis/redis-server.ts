import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { TestContext } from 'vitest';
import { freePort } from '../../support/free-port.js';

/** Context of a concurrent test. */
export type Context = Pick<TestContext, 'onTestFinished'>;

/** Redis server for one test, stopped and removed at its end. */
export class RedisServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'petstore-sim-redis-'));
  readonly #settings: readonly string[];
  readonly context: Context;
  port = 0;
  #process: ChildProcess | undefined;

  constructor(context: Context, settings: readonly string[]) {
    this.context = context;
    this.#settings = settings;
  }

  async start(): Promise<void> {
    if (this.port === 0) this.port = await freePort();
    const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder, '--save', ''];
    const child = spawn('redis-server', [...settings, ...this.#settings], { stdio: 'ignore' });
    this.#process = child;
    for (;;) {
      if (child.exitCode !== null) throw new Error(`expected redis-server to start, got exit code ${child.exitCode}`);
      try {
        await this.call('PING');
        return;
      } catch (error) {
        // The server runs and requires a password.
        if (/NOAUTH/.test((error as Error).message)) return;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  }

  /** Sends it a signal; SIGSTOP pauses it, SIGKILL ends it at once. */
  async signal(name: NodeJS.Signals): Promise<void> {
    const child = this.#process as ChildProcess;
    const ends = name === 'SIGKILL' || name === 'SIGTERM';
    const ended = ends && child.exitCode === null ? once(child, 'exit') : undefined;
    child.kill(name);
    await ended;
  }

  /** Stops the server and starts it with its stored data. */
  async restart(): Promise<void> {
    await this.signal('SIGKILL');
    await this.start();
  }

  async call(name: string, ...args: (string | number)[]): Promise<unknown> {
    const client = new Redis({ port: this.port, protocol: 2, lazyConnect: true, retryStrategy: () => null });
    let cause: Error | undefined;
    client.on('error', (error: Error) => {
      cause = error;
    });
    try {
      await client.connect();
      return await client.call(name, ...args);
    } catch (error) {
      throw cause ?? error;
    } finally {
      client.disconnect();
    }
  }

  async close(): Promise<void> {
    this.#process?.kill('SIGCONT');
    if (this.#process?.exitCode === null && this.#process.signalCode === null) await this.signal('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Starts a store that keeps every entry, for the time of the test. */
export async function startRedis(
  context: Context,
  settings: readonly string[] = ['--appendonly', 'yes', '--appendfsync', 'always'],
): Promise<RedisServer> {
  const server = new RedisServer(context, settings);
  context.onTestFinished(() => server.close());
  await server.start();
  return server;
}
