import type { Redis } from 'ioredis';
import { LogOpenError } from '../../log.js';
import { connectionOptions, type RedisAddress } from './address.js';

/** Maximum time of an attempt to connect to Redis. */
const connectMs = 2_000;
/** Time without a reply after which the connection is replaced, because TCP does not report every lost one. */
const silentMs = 3_000;
const retryMs = 100;

/** Error for a Redis server that cannot be reached. The message does not contain the password of the Redis URL. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** Error if Redis rejected a Redis command. The rejected command had no effect. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError';

  constructor({ shown, name }: RedisAddress, reply: string) {
    const code = codeOf(reply);
    const remedy = Object.hasOwn(remedies, code) ? remedies[code]?.(name) : undefined;
    super(`${shown} refused: ${reply.replace(/\.$/, '')}${remedy === undefined ? '' : `; ${remedy}`}`);
  }
}

/** Advice for error replies of Redis, by their kind. */
const remedies: Readonly<Record<string, (name: string) => string>> = {
  NOAUTH: () => 'write redis://user:password@host',
  NOPERM: (name) => `allow its user this command and the keys petstore-sim:{${name}}:*`,
  WRONGTYPE: (name) => `use another name, or remove the keys petstore-sim:{${name}}:*`,
  READONLY: () => 'use the address of the primary',
  OOM: () => 'raise its maxmemory, or remove other keys',
  MISCONF: () => 'free its disk',
};

/** Kind of an error reply: `NOPERM`. For a command of a script, some versions of Redis say it later or in other words. */
const codeOf = (reply: string) =>
  /\bcan't run this command\b/.test(reply)
    ? 'NOPERM'
    : (/\b(?:NOAUTH|NOPERM|WRONGTYPE|READONLY|OOM|MISCONF)\b/.exec(reply)?.[0] ?? '');

/** Kinds of error replies of a store that starts or changes its role. The command is sent again. */
const passing = /^(?:LOADING|BUSY|TRYAGAIN|MASTERDOWN|CLUSTERDOWN)\b/;

/**
 * Connection to the Redis store, which is made again after each failure. Commands wait until the store replies, and are
 * sent again if a reply is lost, so each must have the same effect if it runs twice.
 */
export interface Connection {
  /**
   * Sends a command, and resolves with the reply.
   * @throws {StoreRefusedError} if Redis rejected the command; {StoreUnavailableError} after `end`
   */
  call(name: string, ...args: (string | number)[]): Promise<unknown>;
  /**
   * Runs a Lua script with its keys and arguments. Throws as `call`.
   * @param name name of a script that was passed to `connect`
   */
  run(name: string, ...args: (string | number)[]): Promise<unknown>;
  /** IP address of this machine on the way to the store. */
  readonly localAddress: string | undefined;
  /** Whether the address has a password that the store does not require. */
  readonly isPasswordNeedless: boolean;
  /** Closes the connection. Pending commands may never settle. */
  end(): void;
}

/**
 * Connects to the Redis store.
 * @param scripts Lua texts with their numbers of keys, by name
 * @throws {StoreUnavailableError} if the store cannot be reached; {LogOpenError} if it denies access or ioredis is not
 * installed
 */
export async function connect(
  address: RedisAddress,
  scripts: Readonly<Record<string, { readonly numberOfKeys: number; readonly lua: string }>> = {},
): Promise<Connection> {
  const { Redis } = await loadDriver();
  let isOpen = false;
  const client = new Redis({
    ...connectionOptions(address),
    scripts: Object.fromEntries(Object.entries(scripts).map(([name, script]) => [scriptName(name), script])),
    lazyConnect: true,
    connectTimeout: connectMs,
    socketTimeout: silentMs,
    connectionName: 'petstore-sim',
    disableClientInfo: true,
    // Uses the protocol RESP2, because every version of Redis then sends replies of the same form.
    protocol: 2,
    // The check would need the command INFO, which a user of Redis may lack; a loading store says so to each command.
    enableReadyCheck: false,
    retryStrategy: () => (isOpen ? retryMs : null),
    maxRetriesPerRequest: null,
  });
  let isPasswordNeedless = false;
  const authenticate = client.auth.bind(client) as (...credentials: unknown[]) => Promise<'OK'>;
  // Without this, ioredis would print a warning for each connection if the store does not require the password.
  client.auth = (...credentials: unknown[]) =>
    authenticate(...credentials).catch((error: Error) => {
      isPasswordNeedless = /no password is set|without any password/.test(error.message);
      if (!isPasswordNeedless) throw error;
      return 'OK' as const;
    });
  let cause: Error | undefined;
  client.on('error', (error: Error) => {
    cause ??= error;
  });
  const timer = setTimeout(() => client.disconnect(), 2 * connectMs);
  try {
    await client.connect();
    // Selects the Redis database explicitly, because ioredis would continue with database 0 if its automatic SELECT
    // failed.
    if (address.db !== 0) await client.select(address.db);
  } catch (error) {
    client.disconnect();
    throw explain(address, cause ?? (error as Error));
  } finally {
    clearTimeout(timer);
  }
  isOpen = true;
  return createConnection(client, address, isPasswordNeedless, () => {
    isOpen = false;
  });
}

/** Name of a script's function in ioredis, which has functions and fields of its own. */
const scriptName = (name: string) => `petstore-sim:${name}`;

type Send = (...args: (string | number)[]) => Promise<unknown>;

function createConnection(
  client: Redis,
  address: RedisAddress,
  isPasswordNeedless: boolean,
  onEnd: () => void,
): Connection {
  let isEnded = false;
  const { localAddress } = client.stream as { localAddress?: string };

  async function repeat(send: () => Promise<unknown>, isOwn: (command: string) => boolean): Promise<unknown> {
    for (;;) {
      if (isEnded) throw new StoreUnavailableError(`${address.shown} is unreachable: the connection was closed`);
      try {
        return await send();
      } catch (error) {
        const { name, message, command } = error as Error & { command?: { name: string } };
        // An error reply to AUTH after a reconnect rejects all pending commands, which may have run before.
        const isReply = name === 'ReplyError' && command !== undefined && isOwn(command.name);
        if (isReply && !passing.test(message)) throw new StoreRefusedError(address, message);
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
  }

  return {
    localAddress,
    isPasswordNeedless,
    call: (name, ...args) =>
      repeat(
        () => client.call(name, ...args),
        (command) => command.toLowerCase() === name.toLowerCase(),
      ),
    run: (name, ...args) =>
      repeat(
        () => (client as unknown as Record<string, Send>)[scriptName(name)]?.(...args) as Promise<unknown>,
        (command) => command.startsWith('eval'),
      ),
    end() {
      isEnded = true;
      onEnd();
      client.disconnect();
      // Closes the socket at once. A graceful close would wait for the Redis store, which may be unreachable.
      client.stream.destroy();
    },
  };
}

function explain(address: RedisAddress, { name, message }: Error): Error {
  const { shown } = address;
  if (/WRONGPASS|NOAUTH|NOPERM|invalid password|without any password/i.test(message)) {
    return new LogOpenError(
      `expected ${shown} to accept the user in the address, got ${message.split(' ', 1)[0]}; write redis://user:password@host`,
    );
  }
  // A Redis cluster has only database 0, and rejects any other with `SELECT is not allowed`.
  if (/DB index is out of range|SELECT is not allowed/i.test(message)) {
    return new LogOpenError(`expected the database ${address.db} of ${shown} to exist, got none; use another`);
  }
  return name === 'ReplyError'
    ? new StoreRefusedError(address, message)
    : new StoreUnavailableError(`${shown} is unreachable: ${message}`);
}

async function loadDriver() {
  try {
    return await import('ioredis');
  } catch (error) {
    // Error code of a missing package: `ERR_MODULE_NOT_FOUND` for `import`, `MODULE_NOT_FOUND` for `require`. The
    // CommonJS build converts `import` to `require`.
    if (!/MODULE_NOT_FOUND$/.test(String((error as NodeJS.ErrnoException).code))) throw error;
    throw new LogOpenError(
      'expected the package ioredis, which --data redis:// needs, got none; install it: npm install ioredis@6',
    );
  }
}
