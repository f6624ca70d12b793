import type { Redis } from 'ioredis';
import { LogOpenError } from '../../log.js';
import { connectionOptions, type RedisAddress } from './address.js';

/** Maximum time of an attempt to connect to Redis. */
const connectMs = 2_000;
/**
 * Time without any reply from Redis after which a connection counts as dead. Must exceed the maximum time of a blocking
 * read (XREAD), which is 1,000 ms.
 */
const silentMs = 3_000;
/** Interval of the checks for a dead connection. */
const watchMs = 250;

/** Error for a Redis server that cannot be reached. The message does not contain the password of the Redis URL. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/** Error if Redis rejected a Redis command. The rejected command had no effect. */
export class StoreRefusedError extends Error {
  override readonly name = 'StoreRefusedError';
  /** Kind of the error reply, its first word: `NOPERM`. */
  readonly code: string;

  constructor({ shown, name }: RedisAddress, reply: string) {
    const code = reply.split(' ', 1)[0] ?? '';
    const remedy = Object.hasOwn(remedies, code) ? remedies[code]?.(name) : undefined;
    super(`${shown} refused: ${reply.replace(/\.$/, '')}${remedy === undefined ? '' : `; ${remedy}`}`);
    this.code = code;
  }
}

/** Advice for error replies of Redis, by their first word. */
const remedies: Readonly<Record<string, (name: string) => string>> = {
  NOAUTH: () => 'write redis://user:password@host',
  NOPERM: (name) => `allow its user this command and the keys petstore-sim:{${name}}:*`,
  WRONGTYPE: (name) => `use another name, or remove the keys petstore-sim:{${name}}:*`,
  READONLY: () => 'use the address of the primary',
  OOM: () => 'raise its maxmemory, or remove other keys',
  MISCONF: () => 'free its disk',
};

/** Connection to the Redis store. It never reconnects; callers open another one. */
export interface Connection {
  /**
   * Sends a command to the Redis server and resolves with its reply.
   * @throws {StoreUnavailableError} if the connection failed, in which case Redis may have run the command;
   * {StoreRefusedError} if Redis rejected the command
   */
  call(name: string, ...args: (string | number)[]): Promise<unknown>;
  /**
   * Sends commands as one transaction.
   * @returns their replies, or `undefined` if a watched key has changed
   */
  transaction(commands: readonly (readonly [string, ...(string | number)[]])[]): Promise<unknown[] | undefined>;
  /**
   * Start of the current silence of Redis, by `performance.now()`: the last reply, or the first later command. If the
   * connection ended without pending commands, the time of the end.
   */
  readonly silentSinceMs: number;
  /** Whether the address has a password that the store does not require. */
  readonly isPasswordNeedless: boolean;
  /** Calls a function once, when the connection to the Redis store ends. */
  onEnd(run: () => void): void;
  /** Closes the connection. Pending commands fail. */
  end(): void;
}

/**
 * Connects to the Redis store.
 * @throws {StoreUnavailableError} if the store cannot be reached; {LogOpenError} if it denies access or ioredis is not
 * installed
 */
export async function connect(address: RedisAddress): Promise<Connection> {
  const { Redis } = await loadDriver();
  const client = new Redis({
    ...connectionOptions(address),
    lazyConnect: true,
    connectTimeout: connectMs,
    connectionName: 'petstore-sim',
    disableClientInfo: true,
    // Uses the protocol RESP2, because every version of Redis then sends replies of the same form.
    protocol: 2,
    // Disables the reconnects and resends of ioredis, because some Redis commands must not be executed twice. The code
    // that appends log entries resends unconfirmed entries itself.
    retryStrategy: () => null,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
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
  return createConnection(client, address, isPasswordNeedless);
}

function createConnection(client: Redis, address: RedisAddress, isPasswordNeedless: boolean): Connection {
  let isEnding = false;
  /** Number of commands to Redis without a reply so far. */
  let unansweredCommands = 0;
  /** Time of the last reply from Redis, or of the first command after this reply, by `performance.now()`. */
  let silenceStartMs = performance.now();
  let silentAtEndMs: number | undefined;
  /** Number of consecutive checks at which a command waited and Redis had not replied since the previous check. */
  let silentChecks = 0;
  // Ends the connection if Redis does not reply for too long, because TCP does not report every lost connection. Counts
  // checks instead of time: replies that arrived while the process was paused are read only after the next check.
  const watch = setInterval(() => {
    silentChecks = unansweredCommands > 0 ? silentChecks + 1 : 0;
    if (silentChecks * watchMs > silentMs) end();
  }, watchMs);
  onEnd(() => {
    clearInterval(watch);
    silentAtEndMs = unansweredCommands > 0 ? silenceStartMs : performance.now();
  });

  async function replyTo<Reply>(reply: Promise<Reply>): Promise<Reply> {
    if (unansweredCommands++ === 0) silenceStartMs = performance.now();
    const heard = () => {
      unansweredCommands--;
      silenceStartMs = performance.now();
      silentChecks = 0;
    };
    try {
      const replied = await reply;
      heard();
      return replied;
    } catch (error) {
      const own = toOwnError(address, error as Error);
      // Redis itself sent this error for a command, so the connection works.
      if (own instanceof StoreRefusedError) heard();
      throw own;
    }
  }

  function onEnd(run: () => void): void {
    if (client.status === 'end') queueMicrotask(run);
    else client.once('end', run);
  }

  function end(): void {
    if (isEnding) return;
    isEnding = true;
    client.disconnect();
    // Closes the socket at once. A graceful close would wait for the Redis store, which may be unreachable.
    client.stream.destroy();
  }

  return {
    get silentSinceMs() {
      return silentAtEndMs ?? silenceStartMs;
    },

    isPasswordNeedless,

    call: (name, ...args) => replyTo(client.call(name, ...args)),

    async transaction(commands) {
      const multi = client.multi();
      for (const [name, ...args] of commands) multi.call(name, ...args);
      const replies = await replyTo(multi.exec());
      const [failed] = replies?.find(([error]) => error !== null) ?? [];
      if (failed) throw toOwnError(address, failed);
      return replies?.map(([, reply]) => reply);
    },

    onEnd,
    end,
  };
}

/**
 * Converts an error of ioredis to a `StoreRefusedError` or `StoreUnavailableError`. The new error omits the failed
 * command, which can contain the password.
 */
function toOwnError(address: RedisAddress, error: Error & { previousErrors?: readonly Error[] }): Error {
  // A transaction fails with EXECABORT. The cause is the error reply to one of its commands.
  const { message } = error.previousErrors?.[0] ?? error;
  if (error.name === 'ReplyError') return new StoreRefusedError(address, message);
  return new StoreUnavailableError(`${address.shown} is unreachable: ${message}`);
}

function explain(address: RedisAddress, error: Error): Error {
  const { shown } = address;
  const { message } = error;
  if (/WRONGPASS|NOAUTH|NOPERM|invalid password|without any password/i.test(message)) {
    return new LogOpenError(
      `expected ${shown} to accept the user in the address, got ${message.split(' ', 1)[0]}; write redis://user:password@host`,
    );
  }
  // A Redis cluster has only database 0, and rejects any other with `SELECT is not allowed`.
  if (/DB index is out of range|SELECT is not allowed/i.test(message)) {
    return new LogOpenError(`expected the database ${address.db} of ${shown} to exist, got none; use another`);
  }
  return toOwnError(address, error);
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
