import { errorBody } from '../requests/api-error.js';
import { emptyOutcome, type Outcome } from '../requests/outcome.js';
import { isWithoutAnswer } from '../requests/wire-fault.js';
import type { FaultEffect, FaultRule } from './fault-rule.js';
import { htmlPage } from './hostile-headers.js';

/**
 * Applies a fault rule to a request, after the rule's delay.
 * @param first outcome of an operation that ran before the delay, because the rule has `phase: after`
 * @param run runs the operation; not called if `first` is defined or the rule replaces the operation's response
 */
export function injectFault(rule: FaultRule, first: Outcome | undefined, run: () => Outcome): Outcome {
  return corrupt(first ?? (needsOperation(rule) ? run() : emptyOutcome), rule);
}

/**
 * Whether the API operation of a request must run although a fault rule applies. `false` if the fault rule sets the
 * response instead of the operation.
 */
export const needsOperation = ({ effect, phase }: FaultRule): boolean => effect.kind === 'none' || phase === 'after';

const readable: readonly FaultEffect['kind'][] = ['none', 'respond', 'ban'];

/**
 * Whether a fault makes the response unreadable for the client. Another status, a ban, a delay or a slow body stays
 * readable.
 */
export function makesUnreadable({ effect }: FaultRule, method: string): boolean {
  if (method === 'HEAD') return effect.kind === 'wire' && isWithoutAnswer(effect.wire);
  return effect.kind === 'wire' ? effect.wire.kind !== 'drip' : !readable.includes(effect.kind);
}

const comma = 44;

function corrupt(outcome: Outcome, { effect, name }: FaultRule): Outcome {
  const { status, body, raw } = outcome;
  // The response body `raw` is never a stream, because a custom route with a fault rule buffers its body.
  const bytes = raw instanceof Uint8Array ? raw : undefined;
  switch (effect.kind) {
    case 'none':
    // A fault rule with the effect `ban` leaves the response unchanged, because the response already reports the ban.
    case 'ban':
      return outcome;
    case 'respond':
      return {
        status: effect.status,
        body: effect.body ?? defaultBody(effect.status, name),
        headers: effect.headers,
      };
    case 'malformed':
      return bytes === undefined
        ? { ...outcome, body: `${body.slice(0, -1)},`, utf8: undefined }
        : { ...outcome, raw: bytes.with(-1, comma) };
    case 'empty':
      return { ...outcome, body: '', utf8: undefined, raw: undefined };
    case 'html':
      return {
        ...outcome,
        body: htmlPage(status),
        utf8: undefined,
        raw: undefined,
        headers: { ...outcome.headers, 'Content-Type': 'text/html' },
      };
    case 'truncateFraction':
      return {
        ...outcome,
        wire: { kind: 'truncate', bytes: Math.floor((bytes?.length ?? byteLength(body)) * effect.fraction) },
      };
    case 'wire':
      return { ...outcome, wire: effect.wire };
  }
}

/**
 * Default response body of a fault rule that sets only a status: the API's `Error` JSON. Empty for a status below 400.
 */
function defaultBody(status: number, name: string): string {
  if (status < 400) return '';
  const code = { 401: 'unauthorized', 404: 'not_found', 429: 'rate_limit_exceeded', 503: 'service_unavailable' }[
    status
  ];
  const message = `The fault rule "${name}" answered this request.`;
  return errorBody({ status, code: code ?? (status < 500 ? 'invalid_request' : 'internal_error'), message });
}

const byteLength = (text: string) => new TextEncoder().encode(text).length;
