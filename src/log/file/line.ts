import { crc32 } from 'node:zlib';
import { jsonText, parseJson } from '../../values/json.js';

/** Commands hold bodies and scenarios of up to 32 levels, some levels down in their line. */
const maximumDepth = 64;
const opening = '{"crc":"';
/** Of `{"crc":"0123abcd",`. */
const prefixLength = opening.length + 8 + 2;
/** Follows the checksum of a line with a whole number that JSON.parse would round. */
const exactMark = '"exact":true,';

/**
 * A record as one line of JSON with its checksum (CRC-32), which goes on from that of the line before: a line that is
 * missing, moved or of another file shows as one that was changed.
 * @param chain the checksum of the line before
 */
export function formatLine(record: object, chain: number): { text: string; chain: number } {
  const json = plainText(record);
  const rest = json === undefined ? exactMark + jsonText(record).slice(1) : json.slice(1);
  const sum = crc32(rest, chain);
  return { text: `${opening}${checksumText(sum)}",${rest}\n`, chain: sum };
}

/** `undefined` when it holds a bigint. */
function plainText(record: object): string | undefined {
  try {
    return JSON.stringify(record);
  } catch (error) {
    if (error instanceof TypeError && /BigInt/.test(error.message)) return undefined;
    throw error;
  }
}

/** The checksum of a line when it is as it was written, else `undefined`. */
export function checkLine(line: Buffer, chain: number): number | undefined {
  if (line.length <= prefixLength || line.toString('latin1', 0, opening.length) !== opening) return undefined;
  const sum = crc32(line.subarray(prefixLength), chain);
  const found = line.toString('latin1', opening.length, prefixLength);
  return found === `${checksumText(sum)}",` ? sum : undefined;
}

/** The checksum that a line claims to have. */
export const claimedChecksum = (line: Buffer): number =>
  Number.parseInt(line.toString('latin1', opening.length, opening.length + 8), 16);

/** What a checked line holds, without its checksum. */
export function parseLine<T>(line: Buffer): T {
  const rest = line.toString('utf8', prefixLength);
  return (
    rest.startsWith(exactMark) ? parseJson(`{${rest.slice(exactMark.length)}`, maximumDepth) : JSON.parse(`{${rest}`)
  ) as T;
}

/** Whether the first field of a line begins with this text. */
export const beginsWith = (line: Buffer, text: string): boolean =>
  line.toString('latin1', prefixLength, prefixLength + text.length) === text;

/** The position and the incarnation that a line of the log has or claims to have; `undefined` for any other line. */
export function placeOf(line: Buffer): { position: number; incarnation: number } | undefined {
  const start = line.toString('latin1', prefixLength, prefixLength + exactMark.length + 60);
  const found = /^(?:"exact":true,)?"position":([1-9]\d{0,15}),"incarnation":([1-9]\d{0,15}),/.exec(start);
  return found === null ? undefined : { position: Number(found[1]), incarnation: Number(found[2]) };
}

export const checksumText = (sum: number): string => sum.toString(16).padStart(8, '0');
