import { fingerprint } from '../../src/values/fingerprint.js';
import { jsonText } from '../../src/values/json.js';

/** Hash of a state in pieces. Two servers with the same digest respond alike from then on. */
export const digestOf = (pieces: Iterable<unknown>): string =>
  fingerprint(Array.from(pieces, (piece) => fingerprint(jsonText(piece))).join('\n'));
