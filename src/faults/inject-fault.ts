import { errorBody } from '../requests/api-error.js';
import { emptyOutcome, type Outcome } from '../requests/outcome.js';
import { arrivesWhole, isSent } from '../requests/wire-fault.js';
import { writeWaits } from '../values/written-waits.js';
import type { FaultEffect, FaultRule } from './fault-rule.js';
import { htmlPage } from './hostile-headers.js';

/**
 * Applies a fault rule to a request, after the rule's delay.
 * @param first outcome of an operation that ran before the delay, because the rule has `phase: after`
 * @param nowMs time of the response, from which a stated wait counts
 * @param run runs the operation; not called if `first` is defined or the rule replaces the operation's response
 */
export function injectFault(rule: FaultRule, first: Outcome | undefined, nowMs: number, run: () => Outcome): Outcome {
  return corrupt(first ?? (needsOperation(rule) ? run() : emptyOutcome), rule, nowMs);
}

/**
 * Whether the API operation of a request must run although a fault rule applies. `false` if the fault rule sets the
 * response instead of the operation.
 */
export const needsOperation = ({ effect, phase }: FaultRule): boolean => effect.kind === 'none' || phase === 'after';

/** Effects by whether the client can read the response. */
const isReadable: Record<Exclude<FaultEffect['kind'], 'wire'>, boolean> = {
  none: true,
  respond: true,
  ban: true,
  malformed: false,
  empty: false,
  html: false,
  truncateFraction: false,
};

/**
 * Whether a fault makes the response unreadable for the client. Another status, a ban, a delay or a slow body stays
 * readable.
 */
export function makesUnreadable({ effect }: FaultRule, method: string): boolean {
  if (method === 'HEAD') return effect.kind === 'wire' && !isSent(effect.wire);
  return effect.kind === 'wire' ? !arrivesWhole(effect.wire) : !isReadable[effect.kind];
}

const comma = 44;

function corrupt(outcome: Outcome, { effect, name }: FaultRule, nowMs: number): Outcome {
  const { status, body, raw } = outcome;
  // The response body `raw` is never a stream, because a custom route with a fault rule buffers its body.
  const bytes = raw instanceof Uint8Array ? raw : undefined;
  switch (effect.kind) {
    case 'none':
    // A fault rule with the effect `ban` leaves the response unchanged, because the response already reports the ban.
    case 'ban':
      return outcome;
    case 'respond':
      return respond(effect, name, nowMs);
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

function respond(effect: Extract<FaultEffect, { kind: 'respond' }>, name: string, nowMs: number): Outcome {
  const { status, headers, body = defaultBody(status, name), waitMs, isForeign } = effect;
  const fill = (text: string) => (waitMs === undefined ? text : writeWaits(text, nowMs + waitMs, nowMs));
  const filled = Object.entries(headers).map(([header, value]) => [header, value && fill(value)]);
  return {
    status,
    body: fill(body),
    headers: Object.fromEntries(filled),
    ...(effect.body === undefined && status >= 400 && { error: { message: messageOf(name) } }),
    ...(isForeign && { hasOwnLimits: true, refusedBy: 'fault' }),
  };
}

/**
 * Default response body of a fault rule that sets only a status: the API's `Error` JSON. Empty for a status below 400.
 */
function defaultBody(status: number, name: string): string {
  if (status < 400) return '';
  const code = { 401: 'unauthorized', 404: 'not_found', 429: 'rate_limit_exceeded', 503: 'service_unavailable' }[
    status
  ];
  return errorBody({
    status,
    code: code ?? (status < 500 ? 'invalid_request' : 'internal_error'),
    message: messageOf(name),
  });
}

const messageOf = (name: string) => `The fault rule "${name}" answered this request.`;

const byteLength = (text: string) => new TextEncoder().encode(text).length;
