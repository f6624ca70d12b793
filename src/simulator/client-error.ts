import type { Settings } from '../petstore/settings.js';
import type { Answer } from '../requests/api-call.js';
import { invalidRequest } from '../requests/api-error.js';
import { errorOutcome } from '../requests/outcome.js';
import { ScenarioError } from '../scenario/scenario-error.js';

/** A response that a route of one's own sends. */
export type ClientError = Pick<Answer, 'status' | 'headers' | 'body'>;

/** Most mistakes that one response lists. */
const mostMistakes = 10;

/** The 400 for a pet or a JSON text that was refused, as a client may have sent it; `undefined` for any other error. */
export function clientError(thrown: unknown, settings: Settings): ClientError | undefined {
  const message = messageOf(thrown);
  if (message === undefined) return undefined;
  const { status, body } = errorOutcome(invalidRequest(message), settings);
  return { status, headers: { 'Content-Type': 'application/json' }, body };
}

function messageOf(thrown: unknown): string | undefined {
  // By its name, because a handlers file has its own copy of the class beside the bundled command line.
  if (thrown instanceof Error && thrown.name === 'JsonError') return `The body is not valid JSON: ${thrown.message}.`;
  const isPet = thrown instanceof ScenarioError && thrown.subject === 'pet';
  return isPet ? thrown.message.split('\n').slice(0, mostMistakes).join('; ') : undefined;
}
