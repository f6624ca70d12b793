import type { PlainCall } from '../requests/plain-call.js';
import { fromJsonBytes, type JsonBytes, toJsonBytes } from '../values/json-bytes.js';
import type { Command } from './command.js';

/** JSON form of a call. */
export type JsonCall = Omit<PlainCall, 'body'> & { body?: JsonBytes | undefined };

export const toJsonCall = (call: PlainCall): JsonCall =>
  call.body === undefined ? (call as JsonCall) : { ...call, body: toJsonBytes(call.body) };

export const fromJsonCall = (call: JsonCall): PlainCall => ({
  ...call,
  body: call.body === undefined ? undefined : fromJsonBytes(call.body),
});

/** Converts a command to its JSON form. Only a request body is not JSON already. */
export const toJsonCommand = (command: Command): unknown =>
  command.kind === 'request' && command.call.body !== undefined
    ? { ...command, call: toJsonCall(command.call) }
    : command;

/** Restores a command from the result of `toJsonCommand`. */
export function fromJsonCommand(value: unknown): Command {
  const command = value as Exclude<Command, { kind: 'request' }> | { kind: 'request'; call: JsonCall };
  return command.kind === 'request' ? { ...command, call: fromJsonCall(command.call) } : command;
}
