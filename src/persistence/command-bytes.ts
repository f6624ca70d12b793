import { lengthOf } from '../journal/record-bytes.js';
import { jsonText } from '../values/json.js';
import type { Command } from './command.js';
import { toJsonOutcome } from './command-json.js';

/**
 * Upper bound for the fixed part of a command, in bytes of JSON. A log stores commands (changes of the server's state).
 * The size of variable texts, such as path, headers and body, is added separately.
 */
const commandBytes = 1_000;
/** Maximum number of bytes that one character occupies in JSON, as in `\u0000`. */
const characterBytes = 6;
/** Maximum size of the log's data about one sent response, in bytes of JSON, without the response body. */
const sentBytes = 200;

/**
 * Estimates the maximum size of a command in the log, in bytes. Log entries combine commands up to `maximumEntryBytes`.
 */
export function bytesOf(command: Command): number {
  if (command.kind === 'sent') {
    let bodies = 0;
    for (const [, { responseBody }] of command.answers) bodies += lengthOf(responseBody);
    return commandBytes + command.answers.length * sentBytes + bodies * characterBytes;
  }
  if (command.kind === 'control') return commandBytes + jsonText(command.input).length * characterBytes;
  if (command.kind === 'routeEnded')
    return commandBytes + lengthOf(toJsonOutcome(command.outcome).body) * characterBytes;
  if (command.kind !== 'request') return commandBytes;
  const { path, query, baseUrl, body, headers } = command.call;
  let length = path.length + query.length + baseUrl.length + (body?.length ?? 0);
  for (const name in headers) length += (headers[name] as string).length;
  return commandBytes + length * characterBytes;
}
