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
export function injectFault(rule: FaultRule, first: Outcome | undefined, run: () => Outcome): Outcome {
  return corrupt(first ?? (needsOperation(rule) ? run() : emptyOutcome), rule);
}

/** Whether the response to a rule is the operation's, changed or not, so that the operation must run. */
export const needsOperation = ({ effect, phase }: FaultRule): boolean => effect.kind === 'none' || phase === 'after';

const readable: readonly FaultEffect['kind'][] = ['none', 'respond', 'ban'];

/** Whether the rule keeps the client from reading the answer. Another status, a ban, a delay and a slow body can all be read. */
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
