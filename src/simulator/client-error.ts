import type { Answer } from '../requests/api-call.js';
import { invalidRequest } from '../requests/api-error.js';
import { errorOutcome } from '../requests/outcome.js';
import { ScenarioError } from '../scenario/scenario-error.js';
import type { Settings } from '../scenario/settings.js';

/** Status, headers and body of an error response. A custom route can send the response for invalid input. */
export type ClientError = Pick<Answer, 'status' | 'headers' | 'body'>;

/** Maximum number of issues that the message of one error response lists. */
const maximumMistakes = 10;

/** Returns the 400 response for an error about a client's invalid pet or JSON text; `undefined` for any other error. */
export function clientError(thrown: unknown, settings: Settings): ClientError | undefined {
  const message = messageOf(thrown);
  if (message === undefined) return undefined;
  const { status, body } = errorOutcome(invalidRequest(message), settings);
  return { status, headers: { 'Content-Type': 'application/json' }, body };
}

function messageOf(thrown: unknown): string | undefined {
  // Errors are compared by class name, because a program may load two copies of petstore-sim with separate classes.
  if (thrown instanceof Error && thrown.name === 'JsonError') return `The body is not valid JSON: ${thrown.message}.`;
  const isPet = thrown instanceof ScenarioError && thrown.subject === 'pet';
  return isPet ? thrown.message.split('\n').slice(0, maximumMistakes).join('; ') : undefined;
}
