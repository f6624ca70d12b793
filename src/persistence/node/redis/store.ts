import type { RedisAddress } from './address.js';
import { type Connection, connect, StoreRefusedError } from './connection.js';

/**
 * Version of the format in which Redis stores a server's log. Servers reject a log in another format, so an
 * incompatible change of the format needs a new number.
 */
export const storeFormat = 2;

/** Time after which a lease ends that was not renewed. */
export const leaseMs = 2_000;

/** Time after which Redis deletes the chunks of a snapshot that was not completed. */
const unfinishedSeconds = 600;

/** Start of each script of a turn: it has an effect only while the turn's fence is stored. */
const onlyInTurn = `
local fence = redis.call('HGET', KEYS[1], 'fence')
if fence ~= ARGV[1] then return fence and 'fenced' or 'none' end
`;

/**
 * Scripts that Redis runs, each in one step. Each has the same effect if it runs twice, because a lost reply makes the
 * connection send it again. KEYS[1] is the hash `meta`.
 */
const scripts = {
  status: {
    numberOfKeys: 4,
    lua: `
return { redis.call('HGETALL', KEYS[1]), redis.call('EXISTS', KEYS[2]), redis.call('EXISTS', KEYS[3]), redis.call('EXISTS', KEYS[4]) }`,
  },
  create: {
    numberOfKeys: 2,
    lua: `
if redis.call('EXISTS', KEYS[1], KEYS[2]) > 0 then return 'exists' end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 'created'`,
  },
  take: {
    numberOfKeys: 2,
    lua: `
local mine, before, isGone, forMs = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local fence = redis.call('HGET', KEYS[1], 'fence')
if fence == mine then return 'taken' end
if fence ~= before then return fence and 'fenced' or 'none' end
if isGone == '0' and redis.call('EXISTS', KEYS[2]) == 1 then return 'fenced' end
redis.call('SET', KEYS[2], mine, 'PX', forMs)
redis.call('HSET', KEYS[1], 'fence', mine, 'owner', ARGV[5], 'configuration', ARGV[6], 'sinceMs', ARGV[7])
return 'taken'`,
  },
  renew: {
    numberOfKeys: 2,
    lua: `${onlyInTurn}
redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
redis.call('HSET', KEYS[1], 'configuration', ARGV[3])
return 'stored'`,
  },
  release: {
    numberOfKeys: 2,
    lua: `${onlyInTurn}
redis.call('HSET', KEYS[1], 'fence', '')
redis.call('DEL', KEYS[2])
return 'stored'`,
  },
  append: {
    numberOfKeys: 2,
    lua: `${onlyInTurn}
local first, count = tonumber(ARGV[2]), (#ARGV - 2) / 2
local last = tonumber(redis.call('HGET', KEYS[1], 'end'))
if first + count - 1 <= last then return 'stored' end
if first ~= last + 1 then return 'gap' end
for at = 0, count - 1 do
  redis.call('XADD', KEYS[2], string.format('%d-0', first + at), ARGV[3 + 2 * at], ARGV[4 + 2 * at])
end
redis.call('HSET', KEYS[1], 'end', string.format('%d', first + count - 1))
return 'stored'`,
  },
  addChunk: {
    numberOfKeys: 1,
    lua: `
if redis.call('LLEN', KEYS[1]) == tonumber(ARGV[1]) then redis.call('RPUSH', KEYS[1], ARGV[2]) end
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 'stored'`,
  },
  endSnapshot: {
    numberOfKeys: 4,
    lua: `${onlyInTurn}
if redis.call('HGET', KEYS[1], 'snapshot') == ARGV[2] then return 'stored' end
redis.call('PERSIST', KEYS[3])
redis.call('HSET', KEYS[1], 'snapshot', ARGV[2])
redis.call('XTRIM', KEYS[2], 'MINID', '=', ARGV[3])
redis.call('UNLINK', KEYS[4])
return 'stored'`,
  },
  remove: {
    numberOfKeys: 6,
    lua: `
if redis.call('EXISTS', KEYS[2]) == 1 then return redis.call('HGET', KEYS[1], 'owner') or '' end
redis.call('DEL', unpack(KEYS))
return false`,
  },
};

/** Description of the newest snapshot in the store. */
export interface StoredSnapshot {
  readonly position: number;
  /** Version of petstore-sim that wrote the snapshot. */
  readonly version: string;
  /** Id of the list with the snapshot's chunks, their number, and the length of the snapshot in characters. */
  readonly id: string;
  readonly count: number;
  readonly characters: number;
}

/** State of a log in the store. */
export interface StoreStatus {
  readonly format: number;
  /** Random id of the log, which a log has from its creation to its removal. */
  readonly id: string;
  /** Name of the scenario, or of its file without the folder. */
  readonly scenario: string;
  /** Random id of the current turn of an active server; empty if the last turn ended in order. */
  readonly fence: string;
  /** Address of the active server, `HOST:PORT`, and hash of its contents, flags and handlers. */
  readonly owner: string;
  readonly configuration: string;
  /** Whether the active server has renewed its lease within `leaseMs`. */
  readonly hasLease: boolean;
  /** Position of the last entry. */
  readonly end: number;
  readonly snapshot: StoredSnapshot | undefined;
}

/**
 * Effect of a script of a turn: `fenced` if another turn has begun, `none` if the store has no log, `gap` if the store
 * has lost entries.
 */
export type TurnReply = 'stored' | 'fenced' | 'none' | 'gap';

/** Parts of a log that remain in the store without the hash that describes the log, or in an earlier format. */
export type Remains = 'earlier format' | 'entries';

/** Entry in the stream: its kind (`x` if its text must be parsed exactly, else `e`) and its JSON. */
export type StoredText = readonly [kind: 'e' | 'x', text: string];

/** One log in a Redis store. Its functions throw as those of `Connection`. */
export type Store = Awaited<ReturnType<typeof openStore>>;

/**
 * Connects to the store of a log.
 * @throws as `connect`
 */
export async function openStore(address: RedisAddress) {
  const connection = await connect(address, scripts);
  const start = `petstore-sim:{${address.name}}`;
  const [meta, lease, log] = [`${start}:meta`, `${start}:lease`, `${start}:log`];
  const chunks = (id: string) => `${start}:snapshot:${id}`;
  /** Keys of the format before `meta`. */
  const earlier = [`${start}:birth`, `${start}:snapshots`] as const;
  const run = (script: keyof typeof scripts, ...args: (string | number)[]) => connection.run(script, ...args);

  const status = async (): Promise<StoreStatus | Remains | undefined> => {
    const reply = await run('status', meta, lease, log, earlier[0]);
    const [list, hasLease, hasLog, isEarlier] = reply as [string[], number, number, number];
    if (list.length === 0) return isEarlier ? 'earlier format' : hasLog ? 'entries' : undefined;
    const fields: Record<string, string> = {};
    for (let at = 0; at < list.length; at += 2) fields[list[at] as string] = list[at + 1] as string;
    const { format, id = '', scenario = '', fence = '', owner = '', configuration = '', end, snapshot } = fields;
    return {
      ...{ id, scenario, fence, owner, configuration, hasLease: hasLease === 1 },
      format: Number(format),
      end: Number(end),
      snapshot: snapshot === undefined ? undefined : (JSON.parse(snapshot) as StoredSnapshot),
    };
  };

  return {
    connection,
    /** Name of the key that describes the log, for messages. */
    meta,
    status,
    /** Creates the log, unless the store contains parts of one. */
    create: ({ id, scenario }: Pick<StoreStatus, 'id' | 'scenario'>) =>
      run('create', meta, log, 'format', storeFormat, 'id', id, 'scenario', scenario, 'fence', '', 'end', 0),
    /**
     * Begins a turn, if the turn with the fence `before` is the current one.
     * @param isGone whether that turn has certainly ended; otherwise its lease must have ended
     */
    take: async (turn: {
      fence: string;
      before: string;
      isGone: boolean;
      owner: string;
      configuration: string;
      sinceMs: number;
    }) => {
      const { fence, before, isGone, owner, configuration, sinceMs } = turn;
      return (
        (await run('take', meta, lease, fence, before, isGone ? 1 : 0, leaseMs, owner, configuration, sinceMs)) ===
        'taken'
      );
    },
    renew: (fence: string, configuration: string) =>
      run('renew', meta, lease, fence, leaseMs, configuration) as Promise<TurnReply>,
    release: (fence: string) => run('release', meta, lease, fence) as Promise<TurnReply>,
    /** Appends entries at a position. Has no further effect if they are stored already. */
    append: (fence: string, position: number, entries: readonly StoredText[]) =>
      run('append', meta, log, fence, position, ...entries.flat()) as Promise<TurnReply>,
    /** Adds the chunk with this number, from 0, to an unfinished snapshot. */
    addChunk: (id: string, number: number, text: string) =>
      run('addChunk', chunks(id), number, text, unfinishedSeconds),
    /** Replaces the last snapshot by a finished one, and removes the entries that it includes. */
    endSnapshot: (fence: string, snapshot: StoredSnapshot, before: StoredSnapshot | undefined) =>
      run(
        'endSnapshot',
        ...[meta, log, chunks(snapshot.id), chunks(before?.id ?? 'none')],
        ...[fence, JSON.stringify(snapshot), `${snapshot.position + 1}-0`],
      ) as Promise<TurnReply>,
    readChunks: (id: string, first: number, last: number) =>
      connection.call('LRANGE', chunks(id), first, last) as Promise<string[]>,
    /** Reads at most `count` entries from a position on. */
    readEntries: (position: number, count: number) =>
      connection.call('XRANGE', log, `${position}-0`, '+', 'COUNT', count) as Promise<[string, [string, string]][]>,
    /** Time of the store, in Unix milliseconds. */
    async time() {
      const [seconds, micros] = (await connection.call('TIME')) as [string, string];
      return Number(seconds) * 1_000 + Number(micros) / 1_000;
    },
    /**
     * Deletes the log, unless a server has renewed its lease within `leaseMs`.
     * @returns the address of that server
     */
    async remove() {
      const found = await status();
      const snapshot = typeof found === 'object' ? (found.snapshot?.id ?? 'none') : 'none';
      return (await run('remove', meta, lease, log, ...earlier, chunks(snapshot))) as string | null;
    },
    warnings: () => storeWarnings(connection),
    end: () => connection.end(),
  };
}

/** Settings of the Redis store that prevent lost log entries: name, required value and the risk of any other value. */
const safeSettings = [
  ['appendonly', 'yes', 'loses all data when it stops'],
  ['maxmemory-policy', 'noeviction', 'may evict the log when its memory is full'],
] as const;

/**
 * Returns a warning for each Redis setting with which Redis can lose log entries. Also warns if Redis hides its
 * settings, or does not require the password of its address.
 */
async function storeWarnings(connection: Connection): Promise<string[]> {
  const values = await Promise.all(safeSettings.map(([name]) => setting(connection, name)));
  const risks = safeSettings.flatMap(([name, expected, risk], index) => {
    const value = values[index];
    return value === undefined || value === expected
      ? []
      : `The store ${risk}: expected "${name} ${expected}" in its settings, got ${JSON.stringify(value)}.`;
  });
  const hidden = 'The store does not show its settings; expected "appendonly yes" and "maxmemory-policy noeviction".';
  const open = 'The store does not require the password of its address: everybody who reaches it can change the state.';
  return [...(connection.isPasswordNeedless ? [open] : []), ...(values.includes(undefined) ? [hidden] : []), ...risks];
}

/**
 * Reads a setting of the Redis server by CONFIG GET; `undefined` if the server refuses the command, as managed Redis
 * services do.
 */
async function setting(connection: Connection, name: string): Promise<string | undefined> {
  try {
    const [, value] = (await connection.call('CONFIG', 'GET', name)) as [string?, string?];
    return value;
  } catch (error) {
    if (error instanceof StoreRefusedError) return undefined;
    throw error;
  }
}
