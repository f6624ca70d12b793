import { errorBody } from '../contract/api-error.js';
import type { Outcome } from '../simulator/request-pipeline.js';
import type { FaultEffect, FaultMatch, FaultRule } from './faults.js';
import { htmlPage } from './hostile-headers.js';

/**
 * What a fault makes of a request: at once, or after its delay.
 * @param run runs the operation; called once, or never where the rule's phase is `before` and its effect answers alone
 * @param sleep waits on the clock
 */
export function applyFault(
  { rule, delayMs }: FaultMatch,
  run: () => Outcome,
  sleep: (ms: number) => Promise<void>,
): Outcome | Promise<Outcome> {
  const { effect, phase, name } = rule as FaultRule;
  const runsFirst = phase === 'after';
  const isAnswered = effect.kind !== 'none' && !runsFirst;
  if (delayMs === 0) return corrupt(isAnswered ? nothing : run(), effect, name);
  const first = runsFirst ? run() : undefined;
  return sleep(delayMs).then(() => corrupt(first ?? (isAnswered ? nothing : run()), effect, name));
}

/** What stands for the operation's answer when the operation does not run. */
const nothing: Outcome = { status: 200, body: '' };

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
