import { maximumBodyBytes } from '../requests/api-error.js';
import type { Outcome } from '../requests/outcome.js';
import type { PlainCall } from '../requests/plain-call.js';
import { cutBytes, fromJsonBytes, type JsonBytes, toJsonBytes } from '../values/json-bytes.js';
import type { Command, RequestCommand, RouteEndedCommand } from './command.js';

/** JSON form of a call, without the function of its route. */
export type JsonCall = Omit<PlainCall, 'body'> & { body?: JsonBytes | undefined };

export const toJsonCall = (call: PlainCall): JsonCall =>
  call.body === undefined && call.route === undefined
    ? (call as unknown as JsonCall)
    : {
        ...call,
        route: call.route && { operation: call.route.operation },
        body: call.body && toJsonBytes(call.body),
      };

export const fromJsonCall = (call: JsonCall): PlainCall => ({
  ...call,
  body: call.body === undefined ? undefined : fromJsonBytes(call.body),
});

/** An outcome as JSON. */
export type JsonOutcome = Omit<Outcome, 'body' | 'raw' | 'bodyKey'> & { body: JsonBytes };

/** Bytes of a body in a log: as many as a journal keeps, and the rest of a character that is cut there. */
const loggedBytes = maximumBodyBytes + 4;

/** An outcome as JSON, with the start of its body. A stream has no body here; its start follows with its delivery. */
export function toJsonOutcome({ bodyKey: _, raw, body, ...rest }: Outcome): JsonOutcome {
  return { ...rest, body: cutBytes<JsonBytes>(raw instanceof Uint8Array ? toJsonBytes(raw) : body, loggedBytes) };
}

export const fromJsonOutcome = ({ body, ...rest }: JsonOutcome): Outcome =>
  typeof body === 'string' ? { ...rest, body } : { ...rest, body: '', raw: fromJsonBytes(body) };

type JsonCommand =
  | Exclude<Command, RequestCommand | RouteEndedCommand>
  | (Omit<RequestCommand, 'call'> & { call: JsonCall })
  | (Omit<RouteEndedCommand, 'outcome'> & { outcome: JsonOutcome });

/** A command as JSON in a log; the same object if it is JSON already. */
export function toJsonCommand(command: Command): JsonCommand {
  if (command.kind === 'request') {
    const call = toJsonCall(command.call);
    return call === command.call ? (command as JsonCommand) : { ...command, call };
  }
  if (command.kind === 'routeEnded') return { ...command, outcome: toJsonOutcome(command.outcome) };
  return command;
}

/** Restores a command from the result of `toJsonCommand`. */
export function fromJsonCommand(value: unknown): Command {
  const command = value as JsonCommand;
  if (command.kind === 'request') return { ...command, call: fromJsonCall(command.call) };
  if (command.kind === 'routeEnded') return { ...command, outcome: fromJsonOutcome(command.outcome) };
  return command;
}
