import type { FaultEffect, FaultRule } from '../faults/fault-rule.js';
import { commonConditions } from '../faults/fault-rules.js';
import { methodsOf, parametersOf, rowOf, servesMethod } from '../requests/operation-table.js';
import { statusesWithoutBody } from '../requests/outcome.js';
import { isSafe } from '../requests/request-record.js';
import type { OperationRow, OperationRows } from '../requests/service.js';
import type { WireFault } from '../requests/wire-fault.js';
import type { Step } from '../validation/issue.js';
import { type Entries, type Input, type Output, refine, type Schema, transform } from '../validation/schema.js';
import {
  anything,
  boolean,
  either,
  fields,
  list,
  mapOf,
  number,
  oneOf,
  optional,
  string,
} from '../validation/schemas.js';
import { between, count, duration, int64, isJson, matching, text, whole } from '../validation/value-schemas.js';
import { type JsonValue, stringifyJson } from '../values/json.js';
import { operationNames } from './operations.js';
import type { ServiceSchema } from './service-schema.js';

const fromOne = whole(1);
/** Schema of a share: a number from 0 to 1, or text such as `50%`. Converts to a number. */
const fraction = either(
  between(0, 1),
  transform(
    matching(/^(?:100|\d{1,2}(?:\.\d+)?)\s*%$/, 'a number from 0 to 1, or a share such as "50%"'),
    (value) => Number.parseFloat(value) / 100,
  ),
);
const yes = oneOf(true);

/** Creates a schema that accepts one value or a list of values, and converts a single value to a list. */
const oneOrMore = <Out, In>(item: Schema<Out, In>): Schema<Out[], In | In[]> =>
  either(
    transform(item, (value): Out[] => [value]),
    list(item),
  );

/**
 * Schema of response header names that Node and browsers accept (RFC 9110 section 5). An invalid name is reported in
 * the scenario instead of failing in a response.
 */
export const headerName = refine(
  matching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'a header name'),
  (name) => !/^(?:content-length|transfer-encoding|trailer)$/i.test(name),
  'a header that does not frame the body (for a wrong Content-Length, use the effect contentLength)',
);
export const headerValue = refine(
  transform(either(string, number), String),
  (value) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  'a header value without line breaks, in Latin-1',
);

/** Whether a path in a scenario is a response header, whose number is sent as written: `1.10`. */
export const isHeaderValue = (steps: readonly Step[]): boolean =>
  steps.length === 6 && steps[0] === 'faults' && steps[3] === 'respond' && steps[4] === 'headers';

/** Returns the conditions of fault rules that an operation has: its path parameters, and query parameters of its row. */
export const conditionsOf = (row: OperationRow): string[] =>
  [...parametersOf(row), ...(row.conditions ?? [])].filter((name) => !commonConditions.includes(name));

const pathValue = either(int64, text);
const queryValue = transform(either(text, number, boolean), String);

/**
 * Creates the schemas of the conditions that operations have.
 * @param known schemas of the main service's conditions, which another service may name, too, with other values
 */
export const conditionSchemas = (rows: OperationRows, known: ServiceSchema['conditions']): Entries =>
  Object.fromEntries(
    Object.values(rows).flatMap((row) =>
      conditionsOf(row).map((name) => {
        const value = row.query?.[name] ?? (parametersOf(row).includes(name) ? pathValue : queryValue);
        const other = (known as Entries)[name];
        return [name, optional(other === undefined ? value : either(other, value))];
      }),
    ),
  );

const createConditions = ({ conditions, ...service }: FaultParts) =>
  fields({
    operation: optional(transform(oneOrMore(operationNames(service)), (names) => [...new Set(names.flat())])),
    method: optional(oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')),
    key: optional(oneOrMore(string)),
    plan: optional(string),
    ...conditions,
    nth: optional(fromOne),
    every: optional(fromOne),
    first: optional(fromOne),
    probability: optional(fraction),
    after: optional(duration),
    for: optional(duration),
    times: optional(fromOne),
  });

/**
 * Creates the check that at least one operation can match all conditions of a fault rule, and its expectation as
 * text. Operations without a row, such as the user's own routes, match any method and no condition of the service.
 */
function matchingOperations({ rows, conditions }: FaultParts) {
  const names = Object.keys(rows);
  const ofService = Object.keys(conditions);
  const fits = (name: string, field: string, value?: unknown) => {
    const row = rowOf(rows, name);
    if (field === 'method') return row === undefined || servesMethod(row, value as string);
    return row !== undefined && conditionsOf(row).includes(field);
  };
  const canMatch = (when: Readonly<Record<string, unknown>>) =>
    ((when.operation as readonly string[] | undefined) ?? [...names, 'own']).some((name) =>
      ['method', ...ofService].every((field) => when[field] === undefined || fits(name, field, when[field])),
    );
  const only = (subject: string, field = subject) =>
    `${subject} only with ${names.filter((name) => fits(name, field, subject)).join(' or ')}`;
  const expected = [
    ...methodsOf(Object.values(rows)).flatMap((method) => (isSafe(method) ? [] : only(method, 'method'))),
    ...ofService.map((condition) => only(condition)),
  ];
  return [canMatch, `conditions of one operation: ${expected.join(', ')}`] as const;
}

const createWhen = (parts: FaultParts) =>
  refine(
    refine(createConditions(parts), ...matchingOperations(parts)),
    ({ nth, every = 1, first = Number.POSITIVE_INFINITY }) => (nth ?? every) <= first && (nth ?? every) % every === 0,
    'nth to be a multiple of every, and both at most first; otherwise no request matches',
  );

/** Row of an effect: its schema in `then`, and the effect that a value means. */
const effect = <Out, In>(schema: Schema<Out, In>, toEffect: (value: Out) => FaultEffect, isShaping = false) => ({
  schema: optional(schema),
  toEffect,
  /** Whether the effect changes the operation's own response, so that the operation must run first. */
  isShaping,
});
const wireEffect = (wire: WireFault): FaultEffect => ({ kind: 'wire', wire });

/** Services in whose words a fault rule can refuse a request. `refusals` of `petstore-sim/node` has their words. */
export const refusingServices = [
  'anthropic',
  'aws',
  'azure',
  'discord',
  'github',
  'github-secondary',
  'google',
  'notion',
  'openai',
  's3',
  'salesforce',
  'shopify',
  'slack',
  'stripe',
  'telegram',
  'x',
] as const;

const respond = refine(
  refine(
    refine(
      fields({
        like: optional(oneOf(...refusingServices)),
        status: optional(whole(200, 599, 'a status from 200 to 599')),
        headers: optional(mapOf(headerName, either(headerValue, oneOf(null)))),
        body: optional(either(text, mapOf(string, anything), list(anything))),
        wait: optional(duration),
      }),
      ({ status }, isRight) => status !== undefined || !isRight,
      'a status; only scenario files and control requests may have `like` alone (see refusals of petstore-sim/node)',
    ),
    ({ body }) => body === undefined || isJson(body),
    'a body that can be serialized as JSON',
  ),
  ({ status, body }) => body === undefined || body === '' || !statusesWithoutBody.includes(status ?? 0),
  `no body, because responses with status ${statusesWithoutBody.join(', ')} have none`,
);

/** Effects of fault rules, in the order in which messages list them. */
const effects = {
  respond: effect(respond, ({ like, status = 200, headers = {}, body, wait: waitMs }) => {
    const text = typeof body === 'object' ? stringifyJson(body as JsonValue) : body;
    return { kind: 'respond', status, headers, body: text, waitMs, isForeign: like !== undefined };
  }),
  reset: effect(yes, () => wireEffect({ kind: 'reset' })),
  close: effect(yes, () => wireEffect({ kind: 'close' })),
  hang: effect(yes, () => wireEffect({ kind: 'hang' })),
  ban: effect(
    refine(duration, (ms) => ms > 0, 'a duration above 0'),
    (forMs) => ({ kind: 'ban', forMs }),
  ),
  truncate: effect(
    either(fields({ fraction }), fields({ bytes: count })),
    (part) =>
      'fraction' in part
        ? { kind: 'truncateFraction', fraction: part.fraction }
        : wireEffect({ kind: 'truncate', bytes: part.bytes }),
    true,
  ),
  drip: effect(
    fields({ bytes: fromOne, every: duration }),
    ({ bytes, every }) => wireEffect({ kind: 'drip', bytes, everyMs: every }),
    true,
  ),
  malformed: effect(yes, () => ({ kind: 'malformed' }), true),
  empty: effect(yes, () => ({ kind: 'empty' }), true),
  contentLength: effect(count, (value) => wireEffect({ kind: 'contentLength', value }), true),
  contentType: effect(oneOf('text/html'), () => ({ kind: 'html' }), true),
};

export type EffectName = keyof typeof effects;
export const effectNames = Object.keys(effects) as EffectName[];
const shaping = effectNames.filter((name) => effects[name].isShaping);
const effectSchemas = Object.fromEntries(effectNames.map((name) => [name, effects[name].schema])) as {
  [Name in EffectName]: (typeof effects)[Name]['schema'];
};

const delay = either(
  duration,
  fields({ fixed: duration }),
  refine(
    fields({ p50: duration, p99: duration }),
    ({ p50, p99 }) => !(p50 <= 0 || p99 < p50),
    'p50 above 0 and p99 not below it',
  ),
);

const thenFields = fields({
  ...effectSchemas,
  delay: optional(delay),
  phase: optional(oneOf('before', 'after')),
  countsQuota: optional(boolean),
  failTimes: optional(fromOne),
});

const effectsOf = (value: Output<typeof thenFields>) => effectNames.filter((name) => value[name] !== undefined);

const withEffect = refine(
  thenFields,
  // Reports a missing effect only if the fault rule has no other mistake, because the other mistake is often the
  // misspelt name of the effect.
  (value, isRight) => !isRight || value.delay !== undefined || effectsOf(value).length > 0,
  `an effect: delay or one of ${effectNames.join(', ')}`,
);
const withOneEffect = refine(
  withEffect,
  (value) => effectsOf(value).length <= 1,
  `one of ${effectNames.join(', ')}, and no second effect except delay`,
);
const withBanAlone = refine(
  withOneEffect,
  ({ ban, phase, countsQuota, failTimes }) => ban === undefined || (phase ?? countsQuota ?? failTimes) === undefined,
  'ban without phase, countsQuota or failTimes (only delay is allowed)',
);
const then = refine(
  withBanAlone,
  (value) => value.phase !== 'before' || !shaping.some((name) => value[name] !== undefined),
  `phase after: ${shaping.join(', ')} change the operation's response, so the operation must run`,
);

type FaultParts = Pick<ServiceSchema, 'rows' | 'basePath' | 'conditions'>;

/** Creates the schema of a fault rule: `when` (its conditions) and `then` (its effect). */
export const createFaultSchema = (parts: FaultParts) =>
  fields({
    name: optional(refine(text, (name) => name !== '', 'a name', { minLength: 1 })),
    when: optional(createWhen(parts), {}),
    then,
  });

export type FaultSchema = ReturnType<typeof createFaultSchema>;

/** A fault rule, as written in a scenario or in code. */
export interface Fault extends Input<FaultSchema> {}
type CheckedFault = Output<FaultSchema>;

/**
 * Converts a checked fault rule of a scenario to a rule for the simulator.
 * @param written the same rule before the check, frozen
 * @param fallbackName name for a rule without a name
 */
export function toFaultRule(fault: CheckedFault, written: Fault, fallbackName: string): FaultRule {
  const { delay, failTimes, countsQuota = true } = fault.then;
  const shapes = shaping.some((name) => fault.then[name] !== undefined);
  const name = fault.name ?? fallbackName;
  return {
    name,
    definition: { name, when: written.when ?? {}, then: written.then },
    when: fault.when,
    effect: toEffect(fault.then),
    delayMs: typeof delay === 'number' ? { fixed: delay } : delay,
    phase: fault.then.phase ?? (shapes ? 'after' : 'before'),
    // Counts no quota for the request if the fault rule bans the key, because a refused request uses no quota.
    countsQuota: countsQuota && fault.then.ban === undefined,
    failTimes,
  };
}

function toEffect(checked: CheckedFault['then']): FaultEffect {
  const [name] = effectsOf(checked);
  return name === undefined ? { kind: 'none' } : effects[name].toEffect(checked[name] as never);
}
