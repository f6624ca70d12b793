import type { Redis } from 'ioredis';
import { LogOpenError } from '../log.js';
import { connectionOptions, type RedisAddress } from './address.js';

/** A store that does not answer within this is away. */
const connectMs = 2_000;
/** The same for one that has answered before, on a connection that has not ended. It is more than a read waits in the store. */
const silentMs = 3_000;
const watchMs = 250;

/** The store cannot be reached now. The message shows no password. */
export class StoreAwayError extends Error {
  override readonly name = 'StoreAwayError';
}

/** The store understood a command and refused it: nothing of it was done. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError';
}

/** One connection to the store. It is never made again: whoever holds it asks for another. */
export interface Connection {
  /** Sends a command. @throws {StoreAwayError} it may have been done or not; {StoreRefusedError} it was not */
  call(name: string, ...args: (string | number)[]): Promise<unknown>;
  /** Sends commands as one transaction. @returns their replies, or `undefined` where a watched key has changed */
  transaction(commands: readonly (readonly [string, ...(string | number)[]])[]): Promise<unknown[] | undefined>;
  /**
   * Since when the store owes a reply and nothing was heard of it, as `performance.now()` counts; where it owes none, when it
   * was heard last, and where it owed none at the end of the connection, that end.
   */
  readonly silentSinceMs: number;
  /** Calls back once, when it has ended. */
  onEnd(run: () => void): void;
  /** Ends it; what is not answered yet fails. */
  end(): void;
}

/**
 * Connects to the store.
 * @throws {StoreAwayError} when it cannot be reached, {LogOpenError} when it lets nobody in or the driver is not there
 */
export async function connect(address: RedisAddress): Promise<Connection> {
  const { Redis } = await loadDriver();
  const client = new Redis({
    ...connectionOptions(address),
    lazyConnect: true,
    connectTimeout: connectMs,
    connectionName: 'petstore-sim',
    disableClientInfo: true,
    // Replies of one shape, whatever the store speaks.
    protocol: 2,
    // What was sent and not answered is sent again by us, who know whether it does harm.
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
    // The driver goes on in database 0 when its own SELECT is refused.
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

  /** How many commands wait for their reply, and when the last reply came, or the first of them was sent. */
  #waiting = 0;
  #heardMs = performance.now();
  #silentAtEndMs: number | undefined;

  constructor(client: Redis, address: RedisAddress) {
    this.#client = client;
    this.#address = address;
    // A network can swallow what it is given, and tell nobody.
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
      // What fails with its connection was not heard: the store owes it for ever.
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
    // Not only when the other side has agreed: it may not be there any more.
    this.#client.stream.destroy();
  }
}

/** Errors of the driver hold the command that failed, with the password where that was in it: they go no further. */
function toOwnError({ shown }: RedisAddress, { name, message }: Error): Error {
  if (name === 'ReplyError') return new StoreRefusedError(`${shown} refused: ${message}`);
  return new StoreAwayError(`${shown} is away: ${message}`);
}

function explain(address: RedisAddress, error: Error): Error {
  const { shown } = address;
  const { message } = error;
  if (/WRONGPASS|NOAUTH|NOPERM|invalid password|without any password/i.test(message)) {
    return new LogOpenError(
      `expected ${shown} to let the user of the address in, got ${message.split(' ', 1)[0]}; write redis://user:password@host`,
    );
  }
  // A cluster has database 0 alone.
  if (/DB index is out of range|SELECT is not allowed/i.test(message)) {
    return new LogOpenError(`expected the database ${address.db} of ${shown} to be there, got none; use another`);
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
