import { errorBody } from '../requests/api-error.js';
import { emptyOutcome, isWithoutAnswer, type Outcome } from '../requests/outcome.js';
import type { FaultEffect, FaultRule } from './fault-rule.js';
import { htmlPage } from './hostile-headers.js';

/** Runs the operation before the delay, if the rule delays only the response. */
export const beforeDelay = ({ phase }: FaultRule, run: () => Outcome): Outcome | undefined =>
  phase === 'after' ? run() : undefined;

/**
 * Applies a fault rule to a request, after the rule's delay.
 * @param first result of `beforeDelay`
 * @param run runs the operation; not called if `first` exists or the rule's effect replaces the operation
 */
export function injectFault(rule: FaultRule, first: Outcome | undefined, run: () => Outcome): Outcome {
  return corrupt(first ?? (needsOperation(rule) ? run() : emptyOutcome), rule);
}

/** Whether the response to a rule is the operation's, changed or not, so that the operation must run. */
export const needsOperation = ({ effect, phase }: FaultRule): boolean => effect.kind === 'none' || phase === 'after';

const readable: readonly FaultEffect['kind'][] = ['none', 'respond', 'ban'];

/** Whether the fault makes the response unreadable. Another status, a ban, a delay or a slow body does not. */
export function makesUnreadable({ effect }: FaultRule, method: string): boolean {
  if (method === 'HEAD') return effect.kind === 'wire' && isWithoutAnswer(effect.wire);
  return effect.kind === 'wire' ? effect.wire.kind !== 'drip' : !readable.includes(effect.kind);
}

const comma = 44;

function corrupt(outcome: Outcome, { effect, name }: FaultRule): Outcome {
  const { status, body, raw } = outcome;
  // A route reads the body of its response to the end if a rule applies.
  const bytes = raw instanceof Uint8Array ? raw : undefined;
  switch (effect.kind) {
    case 'none':
    // The request was already refused before the rule's delay.
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
        ? { ...outcome, body: `${body.slice(0, -1)},` }
        : { ...outcome, raw: bytes.with(-1, comma) };
    case 'empty':
      return { ...outcome, body: '', raw: undefined };
    case 'html':
      return {
        ...outcome,
        body: htmlPage(status),
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

/** Error body in the service's own form, for a rule without a body. */
function defaultBody(status: number, name: string): string {
  if (status < 400) return '';
  const code = { 401: 'unauthorized', 404: 'not_found', 429: 'rate_limit_exceeded', 503: 'service_unavailable' }[
    status
  ];
  const message = `The fault rule "${name}" answered this request.`;
  return errorBody({ status, code: code ?? (status < 500 ? 'invalid_request' : 'internal_error'), message });
}

const byteLength = (text: string) => new TextEncoder().encode(text).length;
