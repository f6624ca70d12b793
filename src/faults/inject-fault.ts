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
export function injectFault(
  { effect, phase, name }: FaultRule,
  first: Outcome | undefined,
  run: () => Outcome,
): Outcome {
  const isAnswered = effect.kind !== 'none' && phase === 'before';
  return corrupt(first ?? (isAnswered ? emptyOutcome : run()), effect, name);
}

const readable: readonly FaultEffect['kind'][] = ['none', 'respond', 'ban'];

/** Whether the fault makes the response unreadable. Another status, a ban, a delay or a slow body does not. */
export function makesUnreadable({ effect }: FaultRule, method: string): boolean {
  if (method === 'HEAD') return effect.kind === 'wire' && isWithoutAnswer(effect.wire);
  return effect.kind === 'wire' ? effect.wire.kind !== 'drip' : !readable.includes(effect.kind);
}

function corrupt(outcome: Outcome, effect: FaultEffect, name: string): Outcome {
  const { status, body } = outcome;
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
      return { ...outcome, body: `${body.slice(0, -1)},` };
    case 'empty':
      return { ...outcome, body: '' };
    case 'html':
      return { ...outcome, body: htmlPage(status), headers: { ...outcome.headers, 'Content-Type': 'text/html' } };
    case 'truncateFraction':
      return { ...outcome, wire: { kind: 'truncate', bytes: Math.floor(byteLength(body) * effect.fraction) } };
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
