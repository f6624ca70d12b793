import { lengthOf } from '../journal/record-bytes.js';
import { jsonText } from '../values/json.js';
import type { Command } from './command.js';
import { toJsonOutcome } from './command-json.js';

/** What a command takes beside the texts in it. */
const commandBytes = 1_000;
/** A character takes at most so many bytes: `\u0000`. */
const characterBytes = 6;
/** What one answer takes among those that were sent. */
const sentBytes = 200;

/** What a command takes in a log, at most, so that an entry is never too long. */
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
