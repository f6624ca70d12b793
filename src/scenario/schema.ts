import * as v from 'valibot';
import { operationNames, petStatuses } from '../interface/contract.js';
import { errorCodes } from '../interface/errors.js';
import { type AssumptionId, type Settings, settingValues } from '../interface/settings.js';
import { findingCodes } from '../verdict/finding.js';
import { faultSchema } from './fault-schema.js';
import { hostileHeadersSchema } from './hostile-schema.js';
import {
  count,
  duration,
  fields,
  instant,
  int64,
  mapOf,
  positive,
  signedDuration,
  text,
  wholeSeconds,
} from './values.js';

const limitForm = 'expected a whole number from 1 to 1,000,000,000';
const limit = v.pipe(count, v.minValue(1, limitForm), v.maxValue(1e9, limitForm));

/** RFC 6750 section 2.1, without what a list of header values would take apart. */
export const keyText = v.pipe(
  v.string(),
  v.regex(/^[^\s,\p{C}]+$/u, 'expected an API key without spaces, commas and control characters'),
);

const planLimits = fields({ minute: limit, day: limit });

/** Where an assumption has an open set of values, what they are. */
const openValues = {
  errorCodes: mapOf(v.picklist(errorCodes), text),
  limitsApply: v.union([v.picklist(['all', 'none']), v.array(v.picklist(operationNames))]),
  enterpriseLimits: planLimits,
  banAfter: count,
  banGraceMs: count,
  banToleranceMs: count,
  banSeconds: v.pipe(count, v.minValue(1)),
  banEscalation: v.union([
    v.literal(false),
    fields({ factor: v.pipe(positive, v.minValue(1)), maxSeconds: v.pipe(count, v.minValue(1)) }),
  ]),
  cors: v.union([v.picklist(['loopback', 'hidden', 'off']), v.array(text)]),
};

type ValueSchemas = { [Id in AssumptionId]: v.GenericSchema<Settings[Id]> };

/** The schema of each assumption's value: its own where the set is open, else the default and the alternatives. */
const values = Object.fromEntries(
  Object.entries(settingValues).map(([id, value]) => [
    id,
    'others' in value
      ? v.picklist([value.default, ...value.others] as string[])
      : openValues[id as keyof typeof openValues],
  ]),
) as unknown as ValueSchemas;

const pet = fields({
  id: v.optional(int64),
  name: text,
  categoryId: int64,
  status: v.optional(v.picklist(petStatuses)),
});

/** The fields of an API key. */
export const keyFields = {
  plan: v.optional(v.string()),
  state: v.optional(v.picklist(['active', 'revoked'])),
  expiresAt: v.optional(instant),
  expiresIn: v.optional(duration),
  usage: v.optional(fields({ minute: v.optional(count), day: v.optional(count) })),
  bannedFor: v.optional(duration),
};

const optionalValues = Object.fromEntries(
  Object.entries(values).map(([id, schema]) => [id, v.optional(schema)]),
) as unknown as { [Id in AssumptionId]: v.OptionalSchema<ValueSchemas[Id], undefined> };

/** The names of the ready-made limit and ban rules. */
export const banPresetNames = ['default', 'strict', 'binance', 'strava', 'penalty', 'off'] as const;
export type BanPresetName = (typeof banPresetNames)[number];

/** The one source of the type `Scenario` and of the checks. */
export const scenarioSchema = fields({
  $schema: v.optional(v.string()),
  name: v.optional(v.string()),
  description: v.optional(v.string()),
  group: v.optional(v.string()),
  extends: v.optional(v.string()),
  seed: v.optional(count),
  clock: v.optional(
    fields({
      start: v.optional(instant),
      mode: v.optional(v.picklist(['real', 'frozen'])),
      speed: v.optional(positive),
      skew: v.optional(signedDuration),
    }),
  ),
  ids: v.optional(fields({ start: v.optional(int64) })),
  categories: v.optional(v.array(int64)),
  pets: v.optional(
    v.union([
      v.array(pet),
      fields({
        generate: fields({
          available: v.optional(count),
          pending: v.optional(count),
          sold: v.optional(count),
        }),
      }),
      fields({ file: v.string() }),
    ]),
  ),
  plans: v.optional(mapOf(v.string(), planLimits)),
  windows: v.optional(fields({ minute: v.optional(wholeSeconds), day: v.optional(wholeSeconds) })),
  keys: v.optional(mapOf(keyText, fields(keyFields))),
  limits: v.optional(
    v.union([
      v.literal('off'),
      fields({
        appliesTo: optionalValues.limitsApply,
        algorithm: optionalValues.algorithm,
        windowStart: optionalValues.windowStart,
        rejectedCounts: optionalValues.rejectedCounts,
        reportedWindow: optionalValues.reportedWindow,
        retryAfterForm: optionalValues.retryAfterForm,
        unauthorizedHeaders: optionalValues.unauthorizedHeaders,
      }),
    ]),
  ),
  ban: v.optional(
    v.union([
      v.picklist(banPresetNames),
      fields({
        after: optionalValues.banAfter,
        graceMs: optionalValues.banGraceMs,
        toleranceMs: optionalValues.banToleranceMs,
        seconds: optionalValues.banSeconds,
        extend: optionalValues.banExtend,
        escalation: optionalValues.banEscalation,
        status: optionalValues.banStatus,
      }),
    ]),
  ),
  faults: v.optional(v.array(faultSchema)),
  hostileHeaders: v.optional(hostileHeadersSchema),
  background: v.optional(
    mapOf(keyText, v.pipe(positive, v.maxValue(10_000, 'expected at most 10,000 requests a second'))),
  ),
  assumptions: v.optional(fields(optionalValues)),
  expect: v.optional(
    fields({
      verdict: v.optional(v.literal('pass')),
      served: v.optional(v.boolean()),
      fail: v.optional(v.array(v.picklist(findingCodes))),
    }),
  ),
});

/** What a simulator starts with and does. Everything is optional; what is left out comes from the default scenario. */
export type Scenario = v.InferInput<typeof scenarioSchema>;
/** A scenario after the checks: durations in milliseconds (windows in seconds), instants in Unix milliseconds. */
export type CheckedScenario = v.InferOutput<typeof scenarioSchema>;
