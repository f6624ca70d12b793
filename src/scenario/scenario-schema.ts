import { hostileResetForms, hostileRetryAfterForms } from '../faults/hostile-headers.js';
import { type AssumptionId, type ChoiceId, type Settings, settingValues } from '../petstore/settings.js';
import { errorCodes } from '../requests/error-codes.js';
import { type Input, type Output, refine, type Schema } from '../validation/schema.js';
import { anything, either, fields, list, mapOf, oneOf, optional, string } from '../validation/schemas.js';
import {
  count,
  instant,
  int64,
  positive,
  signedDuration,
  text,
  whole,
  wholeSeconds,
} from '../validation/value-schemas.js';
import { banFields, banValues } from './ban-schema.js';
import { clientSchema } from './client-schema.js';
import { expectationSchema } from './expectation.js';
import { faultSchema } from './fault-schema.js';
import { keyFields, keyText } from './key-schema.js';
import { operationName } from './operations.js';
import { scenarioPetSchema } from './pet-schema.js';

/** How many pets can be generated: what fits into the memory of a small machine. */
const maximumPets = 10_000_000;

const limit = whole(1, 1e9, 'a whole number from 1 to 1,000,000,000');

const planLimits = fields({ minute: limit, day: limit });

type ValueSchemas = { [Id in AssumptionId]: Schema<Settings[Id]> };

/** What the values of an assumption with an open set are. */
const openValues: Omit<ValueSchemas, ChoiceId> = {
  errorCodes: mapOf(oneOf(...errorCodes), text),
  limitsApply: either(oneOf('all', 'none'), list(operationName)),
  enterpriseLimits: planLimits,
  ...banValues,
  cors: either(oneOf('loopback', 'hidden', 'off'), list(text)),
};

/** The form of each assumption's value: its own where the set is open, else the default and the others. */
const optionalValues = Object.fromEntries(
  Object.entries(settingValues).map(([id, value]) => [
    id,
    optional<unknown, unknown>(
      'others' in value ? oneOf(value.default, ...value.others) : openValues[id as keyof typeof openValues],
    ),
  ]),
) as { [Id in AssumptionId]: Schema<Settings[Id] | undefined> };

/** The names of the ready-made limit and ban rules. */
export const banPresetNames = ['default', 'strict', 'binance', 'strava', 'penalty', 'off'] as const;
export type BanPresetName = (typeof banPresetNames)[number];

/** Rate-limit headers as badly written services send them. */
const hostileHeadersSchema = fields({
  retryAfter: optional(oneOf(...hostileRetryAfterForms)),
  reset: optional(oneOf(...hostileResetForms)),
  remaining: optional(count),
  html: optional(oneOf(true)),
});

/** The one source of the type `Scenario` and of the checks. */
export const scenarioSchema = fields({
  $schema: optional(string),
  name: optional(string),
  description: optional(string),
  group: optional(string),
  extends: optional(string),
  seed: optional(count),
  clock: optional(
    fields({
      start: optional(instant),
      mode: optional(oneOf('real', 'frozen')),
      speed: optional(positive),
      skew: optional(signedDuration),
    }),
  ),
  ids: optional(fields({ start: optional(int64) })),
  categories: optional(list(int64)),
  pets: optional(
    either(
      list(scenarioPetSchema),
      fields({
        generate: refine(
          fields({
            available: optional(count),
            pending: optional(count),
            sold: optional(count),
            locale: optional(string),
          }),
          ({ available = 0, pending = 0, sold = 0 }) => available + pending + sold <= maximumPets,
          'at most 10,000,000 pets in all',
        ),
      }),
      fields({ file: string }),
    ),
  ),
  // What is left out of a plan of the service stays as it is there.
  plans: optional(mapOf(string, fields({ minute: optional(limit), day: optional(limit) }))),
  windows: optional(fields({ minute: optional(wholeSeconds), day: optional(wholeSeconds) })),
  keys: optional(mapOf(keyText, fields(keyFields))),
  limits: optional(
    either(
      oneOf('off'),
      fields({
        appliesTo: optionalValues.limitsApply,
        algorithm: optionalValues.algorithm,
        windowStart: optionalValues.windowStart,
        rejectedCounts: optionalValues.rejectedCounts,
        reportedWindow: optionalValues.reportedWindow,
        retryAfterForm: optionalValues.retryAfterForm,
        unauthorizedHeaders: optionalValues.unauthorizedHeaders,
      }),
    ),
  ),
  ban: optional(
    either(
      oneOf(...banPresetNames),
      fields({ ...banFields, extend: optionalValues.banExtend, status: optionalValues.banStatus }),
    ),
  ),
  faults: optional(list(faultSchema)),
  hostileHeaders: optional(hostileHeadersSchema),
  background: optional(
    mapOf(
      keyText,
      refine(positive, (value) => value <= 10_000, 'at most 10,000 requests a second', { maximum: 10_000 }),
    ),
  ),
  assumptions: optional(fields(optionalValues)),
  /** Read by `readStart`, which only those bring along who need it. */
  state: optional(anything),
  client: optional(clientSchema),
  expect: optional(expectationSchema),
});

/** What a simulator starts with and does. Everything is optional; what is left out comes from the default scenario. */
export type Scenario = Input<typeof scenarioSchema>;
/** A scenario after the checks: durations in milliseconds (windows in seconds), instants in Unix milliseconds. */
export type CheckedScenario = Output<typeof scenarioSchema>;
