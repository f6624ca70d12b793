import { fromRecordText, toRecordText } from '../json-record.js';
import type { AnswerHash } from '../log.js';

/** An entry of the stream as its writer made it. */
export interface StoredEntry {
  /** The first letters of the id of the log's birth: an entry that was meant for another log is not one of this. */
  readonly log: string;
  readonly version: string;
  readonly atMs: number;
  /** In the store's time. Left out where it may come at any time. */
  readonly deadlineMs?: number | undefined;
  /** The entry that its writer had applied last. */
  readonly after?: readonly [position: number, chain: number, id: string] | undefined;
  readonly answered?: readonly AnswerHash[] | undefined;
  /** A snapshot that has been written: what every replica compares its own state with. */
  readonly snapshot?: SnapshotNote | undefined;
  readonly commands: readonly unknown[];
}

export interface SnapshotNote {
  readonly position: number;
  readonly digest: string;
  readonly bytes: number;
}

/** The fields of a stream entry: who wrote it, in which life and as the how manieth, and what is in it. */
export interface EntryFields {
  readonly writer: string;
  readonly incarnation: number;
  readonly sequence: number;
  /** JSON; `exact` where it holds a whole number that JSON.parse would round. */
  readonly text: string;
  readonly isExact: boolean;
}

export const toFields = (of: Omit<EntryFields, 'text' | 'isExact'>, entry: StoredEntry): EntryFields => ({
  ...of,
  ...toRecordText(entry),
});

/** As XADD takes them. */
export const fieldList = ({ writer, incarnation, sequence, text, isExact }: EntryFields): string[] => [
  'w',
  `${incarnation}.${sequence} ${writer}`,
  isExact ? 'x' : 'e',
  text,
];

/** As XRANGE and XREAD give them; `undefined` for an entry that none of our versions writes. */
export function readFields([name, from, kind, text]: readonly string[]): EntryFields | undefined {
  const found = /^(\d+)\.(\d+) (.+)$/.exec(from ?? '');
  if (name !== 'w' || found === null || text === undefined || (kind !== 'e' && kind !== 'x')) return undefined;
  const [, incarnation, sequence, writer = ''] = found;
  return {
    writer,
    incarnation: Number(incarnation),
    sequence: Number(sequence),
    text,
    isExact: kind === 'x',
  };
}

/** What is in an entry; `undefined` for one that none of our versions writes. */
export function readStored({ text, isExact }: EntryFields): StoredEntry | undefined {
  try {
    return fromRecordText<StoredEntry>(text, isExact);
  } catch {
    return undefined;
  }
}

/** What is in an entry of the log that begins its id with `log`; `undefined` for any other entry. */
export function readStoredOf(log: string, list: readonly string[]): StoredEntry | undefined {
  const fields = readFields(list);
  const stored = fields && readStored(fields);
  return stored?.log === log ? stored : undefined;
}

/** The instant of the store that a stream id begins with. */
export const msOfId = (id: string): number => Number.parseInt(id, 10);
