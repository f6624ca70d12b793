import { isIP } from 'node:net';
import { LogOpenError } from '../../log.js';

/** Address of a Redis server, and name of a log on this server that stores simulator state. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly isSecure: boolean;
  /** Name of the log. A Redis server can contain several. */
  readonly name: string;
  /** Address of the Redis server without user and password, for messages. */
  readonly shown: string;
}

const namePattern = /^[A-Za-z0-9._-]{1,64}$/;
const example = 'redis://127.0.0.1:6379/0?name=staging';

/**
 * Parses the address of a log in Redis, `redis://user:password@host:port/db?name=staging`, where `name` is the name of
 * the log.
 * @throws {LogOpenError} with a message that contains no password
 */
export function readRedisAddress(text: string): RedisAddress {
  if (!URL.canParse(text)) throw bad('the form of a URL');
  const { protocol, hostname, port, pathname, searchParams, hash, username, password } = new URL(text);
  if (hostname === '') throw bad('a host after "//"');
  const [, db] = /^\/?(\d{0,5})$/.exec(pathname) ?? [];
  if (db === undefined) throw bad('the number of a database as the path');
  const unknown = [...searchParams.keys()].find((key) => key !== 'name');
  if (unknown !== undefined) throw bad(`no parameter but "name", got ${JSON.stringify(unknown)}`);
  if (hash !== '') throw bad('no "#"; in a password it is written %23');
  const names = searchParams.getAll('name');
  const [name = 'default'] = names;
  if (names.length > 1 || !namePattern.test(name)) {
    throw bad(`one name of 1 to 64 letters, digits, ".", "_" or "-", got ${JSON.stringify(names.join(', '))}`);
  }
  const host = hostname.replace(/^\[|\]$/g, '');
  const address = { host, port: Number(port || 6379), db: Number(db), name, isSecure: protocol === 'rediss:' };
  return {
    ...address,
    username: decode(username),
    password: decode(password),
    shown: `${protocol}//${hostname}:${address.port}/${address.db}?name=${name}`,
  };
}

/** Converts an address to options of the client library ioredis. */
export const connectionOptions = ({ host, port, db, username, password, isSecure }: RedisAddress) => ({
  host,
  port,
  db,
  ...(username !== undefined && { username }),
  ...(password !== undefined && { password }),
  // Omits the TLS server name (SNI) for an IP address, because RFC 6066 allows only host names.
  ...(isSecure && { tls: isIP(host) === 0 ? { servername: host } : {} }),
});

function decode(text: string): string | undefined {
  if (text === '') return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    throw bad('user and password with every "%" written %25');
  }
}

const bad = (expected: string) =>
  new LogOpenError(`expected the address of the store to have ${expected}, such as ${example}`);
