import { errorBody } from '../contract/api-error.js';
import type { FaultEffect, FaultRule } from './fault-rule.js';
import type { FaultMatch } from './fault-rules.js';
import { htmlPage } from './hostile-headers.js';
import { emptyOutcome, type Outcome } from './outcome.js';

/**
 * What a fault rule makes of a request: at once, or after its delay.
 * @param run runs the operation; called once, or never where the rule's phase is `before` and its effect is the answer
 * @param sleep waits on the clock
 */
export function injectFault(
  { rule, delayMs }: FaultMatch & { rule: FaultRule },
  run: () => Outcome,
  sleep: (ms: number) => Promise<void>,
): Outcome | Promise<Outcome> {
  const { effect, phase, name } = rule;
  const runsFirst = phase === 'after';
  const isAnswered = effect.kind !== 'none' && !runsFirst;
  if (delayMs === 0) return corrupt(isAnswered ? emptyOutcome : run(), effect, name);
  const first = runsFirst ? run() : undefined;
  return sleep(delayMs).then(() => corrupt(first ?? (isAnswered ? emptyOutcome : run()), effect, name));
}

/** Whether the rule keeps the client from reading the answer. Another status, a delay and a slow body can all be read. */
export const makesUnreadable = ({ effect }: FaultRule) =>
  effect.kind === 'wire' ? effect.wire.kind !== 'drip' : effect.kind !== 'none' && effect.kind !== 'respond';

function corrupt(outcome: Outcome, effect: FaultEffect, name: string): Outcome {
  const { status, body } = outcome;
  switch (effect.kind) {
    case 'none':
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
