import type { Redis } from 'ioredis';
import { LogOpenError } from '../log.js';
import { connectionOptions, type RedisAddress } from './address.js';

/** Timeout of a connection attempt, in milliseconds. */
const connectMs = 2_000;
/** Maximum time without a reply to a pending command, in milliseconds. Longer than one blocking read. */
const silentMs = 3_000;
const watchMs = 250;

/** The store cannot be reached. The message contains no password. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** The store rejected a command, which had no effect. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError';
}

/** Connection to the store. It never reconnects; callers open a new one. */
export interface Connection {
  /**
   * Sends a command. @throws {StoreUnavailableError} if the command may have run; {StoreRefusedError} if the store rejected it
   */
  call(name: string, ...args: (string | number)[]): Promise<unknown>;
  /** Sends commands as one transaction. @returns their replies, or `undefined` if a watched key has changed */
  transaction(commands: readonly (readonly [string, ...(string | number)[]])[]): Promise<unknown[] | undefined>;
  /**
   * Start of the current silence, on the clock of `performance.now()`: the last reply or, if no command was pending
   * before, the oldest pending command. After the connection has ended without a pending command: the time of the end.
   */
  readonly silentSinceMs: number;
  /** Calls back once, at the end of the connection. */
  onEnd(run: () => void): void;
  /** Closes the connection and rejects pending commands. */
  end(): void;
}

/**
 * Connects to the store.
 * @throws {StoreUnavailableError} if the store cannot be reached; {LogOpenError} if it denies access or ioredis is not installed
 */
export async function connect(address: RedisAddress): Promise<Connection> {
  const { Redis } = await loadDriver();
  const client = new Redis({
    ...connectionOptions(address),
    lazyConnect: true,
    connectTimeout: connectMs,
    connectionName: 'petstore-sim',
    disableClientInfo: true,
    // RESP2 gives replies of one shape on every version of the store.
    protocol: 2,
    // The appender resends commands itself, because it knows which are idempotent.
    retryStrategy: () => null,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: null,
  });
  let cause: Error | undefined;
  client.on('error', (error: Error) => {
    cause ??= error;
  });
  const timer = setTimeout(() => client.disconnect(), 2 * connectMs);
  try {
    await client.connect();
    // The driver stays in database 0 if its own SELECT fails.
    if (address.db !== 0) await client.select(address.db);
  } catch (error) {
    client.disconnect();
    throw explain(address, cause ?? (error as Error));
  } finally {
    clearTimeout(timer);
  }
  return new DriverConnection(client, address);
}

class DriverConnection implements Connection {
  readonly #client: Redis;
  readonly #address: RedisAddress;
  #isEnding = false;

  /** Number of pending commands, and the time of the last reply or of the oldest pending command. */
  #waiting = 0;
  #heardMs = performance.now();
  #silentAtEndMs: number | undefined;

  constructor(client: Redis, address: RedisAddress) {
    this.#client = client;
    this.#address = address;
    // Detects a dead connection that TCP does not report.
    const watch = setInterval(() => {
      if (this.#waiting > 0 && performance.now() - this.#heardMs > silentMs) this.end();
    }, watchMs);
    this.onEnd(() => {
      clearInterval(watch);
      this.#silentAtEndMs = this.#waiting > 0 ? this.#heardMs : performance.now();
    });
  }

  get silentSinceMs(): number {
    return this.#silentAtEndMs ?? this.#heardMs;
  }

  call(name: string, ...args: (string | number)[]): Promise<unknown> {
    return this.#reply(this.#client.call(name, ...args));
  }

  async transaction(commands: readonly (readonly [string, ...(string | number)[]])[]): Promise<unknown[] | undefined> {
    const multi = this.#client.multi();
    for (const [name, ...args] of commands) multi.call(name, ...args);
    const replies = await this.#reply(multi.exec());
    const [failed] = replies?.find(([error]) => error !== null) ?? [];
    if (failed) throw toOwnError(this.#address, failed);
    return replies?.map(([, reply]) => reply);
  }

  async #reply<Reply>(reply: Promise<Reply>): Promise<Reply> {
    if (this.#waiting++ === 0) this.#heardMs = performance.now();
    const heard = () => {
      this.#waiting--;
      this.#heardMs = performance.now();
    };
    try {
      const replied = await reply;
      heard();
      return replied;
    } catch (error) {
      const own = toOwnError(this.#address, error as Error);
      // A command that fails with its connection never gets a reply.
      if (own instanceof StoreRefusedError) heard();
      throw own;
    }
  }

  onEnd(run: () => void): void {
    if (this.#client.status === 'end') queueMicrotask(run);
    else this.#client.once('end', run);
  }

  end(): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#client.disconnect();
    // Closes the socket without waiting for the other side, which may be unreachable.
    this.#client.stream.destroy();
  }
}

/** Converts an error of the driver, which contains the failed command and so perhaps the password. */
function toOwnError({ shown }: RedisAddress, { name, message }: Error): Error {
  if (name === 'ReplyError') return new StoreRefusedError(`${shown} refused: ${message}`);
  return new StoreUnavailableError(`${shown} is unreachable: ${message}`);
}

function explain(address: RedisAddress, error: Error): Error {
  const { shown } = address;
  const { message } = error;
  if (/WRONGPASS|NOAUTH|NOPERM|invalid password|without any password/i.test(message)) {
    return new LogOpenError(
      `expected ${shown} to accept the user in the address, got ${message.split(' ', 1)[0]}; write redis://user:password@host`,
    );
  }
  // A cluster has only database 0.
  if (/DB index is out of range|SELECT is not allowed/i.test(message)) {
    return new LogOpenError(`expected the database ${address.db} of ${shown} to exist, got none; use another`);
  }
  return toOwnError(address, error);
}

async function loadDriver() {
  try {
    return await import('ioredis');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new LogOpenError(
      'expected the package ioredis, which --data redis:// needs, got none; install it: npm install ioredis@6',
    );
  }
}
