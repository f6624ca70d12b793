import { fingerprint } from '../../src/values/fingerprint.js';
import { jsonText } from '../../src/values/json.js';

/** A hash of a state in pieces: two servers with the same digest answer alike from now on. */
export const digestOf = (pieces: Iterable<unknown>): string =>
  fingerprint(Array.from(pieces, (piece) => fingerprint(jsonText(piece))).join('\n'));
