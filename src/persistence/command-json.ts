import { maximumBodyBytes } from '../requests/api-error.js';
import type { Outcome } from '../requests/outcome.js';
import { headerOfPlainCall, type PlainCall } from '../requests/plain-call.js';
import { cutBytes, fromJsonBytes, type JsonBytes, toJsonBytes } from '../values/json-bytes.js';
import type { Command, RequestCommand, RouteEndedCommand } from './command.js';

/** Request as stored in a log, in JSON. Omits the function of a custom route, which JSON cannot express. */
export type JsonCall = Omit<PlainCall, 'body' | 'header'> & { body?: JsonBytes | undefined };

export const toJsonCall = (call: PlainCall): JsonCall =>
  call.body === undefined && call.route === undefined
    ? (call as unknown as JsonCall)
    : {
        ...call,
        route: call.route && { operation: call.route.operation, isWrite: call.route.isWrite, cost: call.route.cost },
        body: call.body && toJsonBytes(call.body),
      };

export const fromJsonCall = (call: JsonCall): PlainCall => ({
  ...call,
  header: headerOfPlainCall,
  body: call.body === undefined ? undefined : fromJsonBytes(call.body),
});

/** Outcome of a custom route as stored in a log, in JSON. */
export type JsonOutcome = Omit<Outcome, 'body' | 'raw'> & { body: JsonBytes };

/**
 * Maximum number of bytes of a response body in the server's log. The four bytes beyond the journal's maximum contain
 * the rest of a character that the journal would cut.
 */
const loggedBytes = maximumBodyBytes + 4;

/**
 * Converts the response of a custom route to JSON for the log that stores a server's state. Includes only the start of
 * the body. The start of a streamed body follows in a later log entry, after the body was sent.
 */
export function toJsonOutcome({ raw, body, ...rest }: Outcome): JsonOutcome {
  return { ...rest, body: cutBytes<JsonBytes>(raw instanceof Uint8Array ? toJsonBytes(raw) : body, loggedBytes) };
}

export const fromJsonOutcome = ({ body, ...rest }: JsonOutcome): Outcome =>
  typeof body === 'string' ? { ...rest, body } : { ...rest, body: '', raw: fromJsonBytes(body) };

type JsonCommand =
  | Exclude<Command, RequestCommand | RouteEndedCommand>
  | (Omit<RequestCommand, 'call'> & { call: JsonCall })
  | (Omit<RouteEndedCommand, 'outcome'> & { outcome: JsonOutcome });

/**
 * Converts a command, which is one change of the server's state, to JSON for the append-only log. Returns the command
 * itself if it is JSON already.
 */
export function toJsonCommand(command: Command): JsonCommand {
  if (command.kind === 'request') {
    const call = toJsonCall(command.call);
    return call === command.call ? (command as JsonCommand) : { ...command, call };
  }
  if (command.kind === 'routeEnded') return { ...command, outcome: toJsonOutcome(command.outcome) };
  return command;
}

/** Converts the JSON of a log entry back to a command, which is one change of the server's state. */
export function fromJsonCommand(value: unknown): Command {
  const command = value as JsonCommand;
  if (command.kind === 'request') return { ...command, call: fromJsonCall(command.call) };
  if (command.kind === 'routeEnded') return { ...command, outcome: fromJsonOutcome(command.outcome) };
  return command;
}
