import * as v from 'valibot';
import { statusesWithoutBody } from '../api-call.js';
import { operationNames, petStatuses } from '../interface/contract.js';
import { normalizeInteger } from '../interface/int64.js';
import { type JsonValue, stringifyJson } from '../interface/json.js';
import type { FaultEffect, FaultRule } from '../policies/faults.js';
import { count, duration, fields, int64, mapOf, text } from './values.js';

const fromOne = v.pipe(count, v.minValue(1, 'expected a whole number from 1'));
const fractionForm = 'expected a number from 0 to 1';
const fraction = v.pipe(v.number(), v.minValue(0, fractionForm), v.maxValue(1, fractionForm));
const statusForm = 'expected a status from 200 to 599';
const yes = v.literal(true);

/** One value or a list of them, as a list. */
const oneOrMore = <Item extends v.GenericSchema<string>>(item: Item) =>
  v.pipe(
    v.union([item, v.array(item)]),
    v.transform((value) => [value].flat() as v.InferOutput<Item>[]),
  );

/** RFC 9110 section 5: what Node and browsers accept as a header, so that a bad one fails here and not in an answer. */
const headerName = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected a header name'),
  v.check(
    (name) => !/^(?:content-length|transfer-encoding|trailer)$/i.test(name),
    'expected a header that does not frame the body (for a wrong Content-Length there is the effect contentLength)',
  ),
);
const headerValue = v.pipe(
  v.union([v.string(), v.number()]),
  v.transform(String),
  v.regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'expected a header value without line breaks, in Latin-1'),
);

/** The values of JSON, with whole numbers beyond 2^53-1 as bigints. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint' || value === null)
    return true;
  return typeof value === 'object' && Object.values(value).every(isJson);
}

const when = fields({
  operation: v.optional(oneOrMore(v.picklist(operationNames))),
  method: v.optional(v.picklist(['GET', 'POST'])),
  key: v.optional(oneOrMore(v.string())),
  plan: v.optional(v.string()),
  status: v.optional(v.picklist(petStatuses)),
  petId: v.optional(v.pipe(int64, v.transform(normalizeInteger))),
  nth: v.optional(fromOne),
  every: v.optional(fromOne),
  first: v.optional(fromOne),
  probability: v.optional(fraction),
  after: v.optional(duration),
  for: v.optional(duration),
  times: v.optional(fromOne),
});

const effects = {
  respond: v.optional(
    v.pipe(
      fields({
        status: v.pipe(count, v.minValue(200, statusForm), v.maxValue(599, statusForm)),
        headers: v.optional(mapOf(headerName, v.nullable(headerValue))),
        body: v.optional(v.union([text, mapOf(v.string(), v.unknown()), v.array(v.unknown())])),
      }),
      v.check(({ body }) => body === undefined || isJson(body), 'expected a body that JSON can hold'),
      v.check(
        ({ status, body }) => body === undefined || body === '' || !statusesWithoutBody.includes(status),
        `expected no body: an answer with status ${statusesWithoutBody.join(', ')} has none`,
      ),
    ),
  ),
  reset: v.optional(yes),
  close: v.optional(yes),
  hang: v.optional(yes),
  truncate: v.optional(v.union([fields({ fraction }), fields({ bytes: count })])),
  drip: v.optional(fields({ bytes: fromOne, every: duration })),
  malformed: v.optional(yes),
  empty: v.optional(yes),
  contentLength: v.optional(count),
  contentType: v.optional(v.literal('text/html')),
};

/** Effects that change the operation's own answer, so that the operation must have run. */
const shaping = ['truncate', 'drip', 'malformed', 'empty', 'contentLength', 'contentType'] as const;

const effectNames = Object.keys(effects) as (keyof typeof effects)[];

const then = v.pipe(
  fields({
    ...effects,
    delay: v.optional(
      v.union([
        duration,
        fields({ fixed: duration }),
        v.pipe(
          fields({ p50: duration, p99: duration }),
          v.check(({ p50, p99 }) => p50 > 0 && p99 >= p50, 'expected p50 above 0 and p99 not below it'),
        ),
      ]),
    ),
    phase: v.optional(v.picklist(['before', 'after'])),
    countsQuota: v.optional(v.boolean()),
    failTimes: v.optional(fromOne),
  }),
  v.check(
    (value) => value.delay !== undefined || effectNames.some((name) => value[name] !== undefined),
    `expected an effect: delay or one of ${effectNames.join(', ')}`,
  ),
  v.check(
    (value) => effectNames.filter((name) => value[name] !== undefined).length <= 1,
    `expected one of ${effectNames.join(', ')}, and not more (delay may go with it)`,
  ),
  v.check(
    (value) => value.phase !== 'before' || !shaping.some((name) => value[name] !== undefined),
    `expected phase after: ${shaping.join(', ')} change the answer of the operation, which must have run`,
  ),
);

/** One fault rule of a scenario: `when` it applies and what happens `then`. */
export const faultSchema = fields({
  name: v.optional(v.pipe(text, v.minLength(1))),
  when: v.optional(when, {}),
  then,
});

/** A fault rule as a scenario or a caller writes it. */
export type Fault = v.InferInput<typeof faultSchema>;
type CheckedFault = v.InferOutput<typeof faultSchema>;

/** @param fallbackName the name of a rule that has none */
export function toFaultRule(fault: CheckedFault, fallbackName: string): FaultRule {
  const { delay, failTimes, countsQuota = true } = fault.then;
  const shapes = shaping.some((name) => fault.then[name] !== undefined);
  const name = fault.name ?? fallbackName;
  return {
    name,
    definition: { name, when: fault.when, then: fault.then },
    when: fault.when,
    effect: toEffect(fault.then),
    delayMs: typeof delay === 'number' ? { fixed: delay } : delay,
    phase: fault.then.phase ?? (shapes ? 'after' : 'before'),
    countsQuota,
    failTimes,
  };
}

function toEffect(checked: CheckedFault['then']): FaultEffect {
  const { respond, truncate, drip, contentLength } = checked;
  if (respond !== undefined) {
    const { status, headers = {}, body } = respond;
    return {
      kind: 'respond',
      status,
      headers,
      body: typeof body === 'object' ? stringifyJson(body as JsonValue) : body,
    };
  }
  if (checked.reset) return { kind: 'wire', wire: { kind: 'reset' } };
  if (checked.close) return { kind: 'wire', wire: { kind: 'close' } };
  if (checked.hang) return { kind: 'wire', wire: { kind: 'hang' } };
  if (truncate !== undefined) {
    if ('fraction' in truncate) return { kind: 'truncateFraction', fraction: truncate.fraction };
    return { kind: 'wire', wire: { kind: 'truncate', bytes: truncate.bytes } };
  }
  if (drip !== undefined) return { kind: 'wire', wire: { kind: 'drip', bytes: drip.bytes, everyMs: drip.every } };
  if (contentLength !== undefined) return { kind: 'wire', wire: { kind: 'contentLength', value: contentLength } };
  if (checked.malformed) return { kind: 'malformed' };
  if (checked.empty) return { kind: 'empty' };
  return checked.contentType === undefined ? { kind: 'none' } : { kind: 'html' };
}
