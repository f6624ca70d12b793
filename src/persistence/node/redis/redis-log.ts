import { setImmediate as turnOfEvents } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { version } from '../../../control-api/run-report.js';
import { jsonText } from '../../../values/json.js';
import { fromRecordText, toRecordText } from '../../json-record.js';
import {
  type FoundEntry,
  type FoundSnapshot,
  type Log,
  type LogEntry,
  LogOpenError,
  LogUnavailableError,
  maximumEntryBytes,
  type NewEntry,
} from '../../log.js';
import type { Lease } from './lease.js';
import type { Store, StoredSnapshot, StoredText, StoreStatus, TurnReply } from './store.js';

/** Maximum number of entries in one read (XRANGE). */
const entriesPerRead = 200;
const chunkCharacters = 64 * 1024;
/** Maximum number of chunks of a snapshot in one read (LRANGE). */
const chunksPerRead = 16;
/** Pattern for texts with a number that `JSON.parse` may round. Also matches other long sequences of digits. */
const longNumber = /\d{16}/;
/** Maximum time that the server spends on a snapshot without handling other events. */
const maximumBusyMs = 5;

/** Entry as stored, without its position. */
type StoredEntry = Omit<FoundEntry, 'position'>;

export interface RedisLogOptions {
  readonly store: Store;
  readonly fence: string;
  readonly lease: Pick<Lease, 'confirm'>;
  /** State of the log at the start of the turn. */
  readonly from: Pick<StoreStatus, 'end' | 'snapshot'>;
  /** Minimum size of the entries since the last snapshot, in characters, at which the next one is due. */
  readonly minimumLogCharacters: number;
  /** Called once if the turn has ended. Appends then stay without a result. */
  readonly onLost: (reason: Exclude<TurnReply, 'stored'>) => void;
}

/** Log in a stream of Redis or Valkey, during one turn of the active server. */
export interface RedisLog extends Log {
  /** Ends all appends without a result. */
  stop(): void;
}

interface Waiting {
  readonly entry: NewEntry;
  readonly stored: StoredText;
  readonly resolve: (entry: LogEntry) => void;
  readonly reject: (error: Error) => void;
}

export function createRedisLog(options: RedisLogOptions): RedisLog {
  const { store, fence, lease, from, minimumLogCharacters, onLost } = options;
  let position = from.end;
  let { snapshot } = from;
  let waiting: Waiting[] = [];
  let isSending = false;
  let isStopped = false;
  /** Characters of the entries since the last snapshot, and their number at which the next one is due. */
  let characters = 0;
  let dueCharacters = Math.max(minimumLogCharacters, snapshot?.characters ?? 0);
  let isWritingSnapshot = false;

  /** Sends the waiting entries, one batch after the other, so that a refused batch leaves no gap. */
  async function send(): Promise<void> {
    isSending = true;
    while (waiting.length > 0) {
      const batch = takeBatch();
      let reply: TurnReply | Error;
      try {
        reply = await store.append(
          fence,
          position + 1,
          batch.map(({ stored }) => stored),
        );
      } catch (error) {
        reply = error as Error;
      }
      if (isStopped) return;
      if (reply instanceof Error) {
        for (const { reject } of batch) reject(new LogUnavailableError(reply.message));
        continue;
      }
      if (reply !== 'stored') {
        isStopped = true;
        return onLost(reply);
      }
      for (const { entry, stored, resolve } of batch) {
        position++;
        characters += stored[1].length;
        resolve({ ...entry, position });
      }
    }
    isSending = false;
  }

  function takeBatch(): Waiting[] {
    let length = 0;
    const end = waiting.findIndex(({ stored }, index) => {
      length += stored[1].length;
      return index > 0 && length > maximumEntryBytes;
    });
    return waiting.splice(0, end < 0 ? waiting.length : end);
  }

  async function writeSnapshot(at: number, pieces: Iterable<unknown>): Promise<void> {
    const id = `${at}-${fence.slice(0, 8)}`;
    const [charactersBefore, before] = [characters, snapshot];
    let [count, length, pauseDueMs] = [0, 0, performance.now() + maximumBusyMs];
    let part: string[] = [];
    let partLength = 0;
    const add = async () => {
      const text = part.join('\n');
      await store.addChunk(id, count, `${crc32(text, count)} ${text}`);
      count++;
      length += text.length;
      part = [];
      partLength = 0;
    };
    for (const piece of pieces) {
      const text = jsonText(piece);
      part.push(text);
      partLength += text.length;
      if (partLength >= chunkCharacters) await add();
      if (performance.now() < pauseDueMs) continue;
      await turnOfEvents();
      pauseDueMs = performance.now() + maximumBusyMs;
    }
    if (part.length > 0) await add();
    const written: StoredSnapshot = { position: at, version, id, count, characters: length };
    if (isStopped || (await store.endSnapshot(fence, written, before)) !== 'stored') return;
    snapshot = written;
    characters -= charactersBefore;
    dueCharacters = Math.max(minimumLogCharacters, length);
  }

  return {
    get position() {
      return position;
    },
    get snapshotPosition() {
      return snapshot?.position ?? 0;
    },
    get snapshotIsDue() {
      return characters > dueCharacters && !isWritingSnapshot;
    },
    append(entry) {
      const { atMs, commands, answered = [] } = entry;
      const record = { version, atMs, ...(answered.length > 0 && { answered }), commands } satisfies StoredEntry;
      const { text, isExact } = toRecordText(record);
      return new Promise((resolve, reject) => {
        waiting.push({ entry, stored: [isExact ? 'x' : 'e', text], resolve, reject });
        if (!isSending && !isStopped) void send();
      });
    },
    confirm: () => lease.confirm(),
    async writeSnapshot(at, pieces) {
      isWritingSnapshot = true;
      // Raised before the attempt, so that a failed one is not repeated at once.
      dueCharacters = characters + dueCharacters / 4;
      try {
        await writeSnapshot(at, pieces);
      } catch (error) {
        throw new LogUnavailableError((error as Error).message);
      } finally {
        isWritingSnapshot = false;
      }
    },
    async close() {},
    stop() {
      isStopped = true;
      waiting = [];
    },
  };
}

/** Advice for the user, at the end of an error message about a log in Redis with missing parts. */
export const remedies = 'restore the store, use another name, or delete the log with --data-reset';

/** Returns the snapshot of a log and the entries after it, which are read one after the other. */
export function readLog(
  store: Store,
  { end, snapshot }: Pick<StoreStatus, 'end' | 'snapshot'>,
): { snapshot: FoundSnapshot | undefined; entries: AsyncIterable<FoundEntry> } {
  const found = snapshot && {
    position: snapshot.position,
    version: snapshot.version,
    pieces: readSnapshot(store, snapshot),
  };
  return { snapshot: found, entries: readEntries(store, (snapshot?.position ?? 0) + 1, end) };
}

/** @throws {LogOpenError} if the store has lost an entry */
async function* readEntries(store: Store, first: number, last: number): AsyncGenerator<FoundEntry> {
  for (let position = first; position <= last; ) {
    const entries = await store.readEntries(position, entriesPerRead);
    for (const [id, [kind, text]] of entries) {
      if (id !== `${position}-0`) break;
      yield { ...fromRecordText<StoredEntry>(text, kind === 'x'), position };
      position++;
    }
    const isContinued = entries.at(-1)?.[0] === `${position - 1}-0`;
    if (!isContinued)
      throw new LogOpenError(`expected entry ${position} of ${last}, got none: the store has lost it; ${remedies}`);
  }
}

/**
 * Reads the parts of the server's state from a snapshot in Redis, in their order.
 * @throws {LogOpenError} if the snapshot is incomplete or damaged
 */
async function* readSnapshot(store: Store, { id, count, position }: StoredSnapshot): AsyncGenerator<unknown> {
  const broken = (got: string) =>
    new LogOpenError(`expected the snapshot at entry ${position}, got ${got}: the store has lost it; ${remedies}`);
  for (let first = 0; first < count; first += chunksPerRead) {
    const last = Math.min(count, first + chunksPerRead) - 1;
    const texts = await store.readChunks(id, first, last);
    if (texts.length !== last - first + 1) throw broken('a part of it');
    for (const [index, chunk] of texts.entries()) {
      const [sum = ''] = chunk.split(' ', 1);
      const text = chunk.slice(sum.length + 1);
      if (crc32(text, first + index) !== Number(sum)) throw broken('one with changed content');
      for (const piece of text.split('\n')) yield fromRecordText(piece, longNumber.test(piece));
    }
  }
}
