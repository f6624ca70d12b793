import { lengthOf } from '../journal/record-bytes.js';
import { jsonText } from '../values/json.js';
import type { Command } from './command.js';
import { toJsonOutcome } from './command-json.js';

/** Upper bound for a command without its variable texts, in bytes. */
const commandBytes = 1_000;
/** Maximum size of one character in JSON, in bytes: `\u0000`. */
const characterBytes = 6;
/** Upper bound for one delivery of a response, in bytes. */
const sentBytes = 200;

/** Upper bound for the size of a command in a log, in bytes, to keep entries within `maximumEntryBytes`. */
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
