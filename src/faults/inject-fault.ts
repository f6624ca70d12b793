import { errorBody } from '../requests/api-error.js';
import { emptyOutcome, isWithoutAnswer, type Outcome } from '../requests/outcome.js';
import type { FaultEffect, FaultRule } from './fault-rule.js';
import { htmlPage } from './hostile-headers.js';

/** What runs before the delay of a rule: the operation, where only its answer is late. */
export const beforeDelay = ({ phase }: FaultRule, run: () => Outcome): Outcome | undefined =>
  phase === 'after' ? run() : undefined;

/**
 * What a fault rule makes of a request, when its delay is over.
 * @param first what `beforeDelay` gave
 * @param run runs the operation; called once, or never where the rule's phase is `before` and its effect is the answer
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

/** Whether the rule keeps the client from reading the answer. Another status, a ban, a delay and a slow body can all be read. */
export function makesUnreadable({ effect }: FaultRule, method: string): boolean {
  if (method === 'HEAD') return effect.kind === 'wire' && isWithoutAnswer(effect.wire);
  return effect.kind === 'wire' ? effect.wire.kind !== 'drip' : !readable.includes(effect.kind);
}

function corrupt(outcome: Outcome, effect: FaultEffect, name: string): Outcome {
  const { status, body } = outcome;
  switch (effect.kind) {
    case 'none':
    // Refused before the delay of the rule.
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

/** An injected error looks like one of the service's own. */
function defaultBody(status: number, name: string): string {
  if (status < 400) return '';
  const code = { 401: 'unauthorized', 404: 'not_found', 429: 'rate_limit_exceeded', 503: 'service_unavailable' }[
    status
  ];
  const message = `The fault rule "${name}" answered this request.`;
  return errorBody({ status, code: code ?? (status < 500 ? 'invalid_request' : 'internal_error'), message });
}

const byteLength = (text: string) => new TextEncoder().encode(text).length;
