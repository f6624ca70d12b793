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

/** Maximum number of generated pets, limited by the memory of a small machine. */
const maximumPets = 10_000_000;

const limit = whole(1, 1e9, 'a whole number from 1 to 1,000,000,000');

const planLimits = fields({ minute: limit, day: limit });

type ValueSchemas = { [Id in AssumptionId]: Schema<Settings[Id]> };

/** Schemas of assumptions with an open set of values. */
const openValues: Omit<ValueSchemas, ChoiceId> = {
  errorCodes: mapOf(oneOf(...errorCodes), text),
  limitsApply: either(oneOf('all', 'none'), list(operationName)),
  enterpriseLimits: planLimits,
  ...banValues,
  cors: either(oneOf('loopback', 'hidden', 'off'), list(text)),
};

/** Schemas of all assumptions, optional. For a closed set: the default and the alternatives. */
const optionalValues = Object.fromEntries(
  Object.entries(settingValues).map(([id, value]) => [
    id,
    optional<unknown, unknown>(
      'others' in value ? oneOf(value.default, ...value.others) : openValues[id as keyof typeof openValues],
    ),
  ]),
) as { [Id in AssumptionId]: Schema<Settings[Id] | undefined> };

/** Names of predefined limit and ban rules. */
export const banPresetNames = ['default', 'strict', 'binance', 'strava', 'penalty', 'off'] as const;
export type BanPresetName = (typeof banPresetNames)[number];

/** Schema of invalid rate-limit headers, as faulty services send them. */
const hostileHeadersSchema = fields({
  retryAfter: optional(oneOf(...hostileRetryAfterForms)),
  reset: optional(oneOf(...hostileResetForms)),
  remaining: optional(count),
  html: optional(oneOf(true)),
});

/** Schema of a scenario: the single source of the type `Scenario` and of the checks. */
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
  // Limits that a scenario omits for a documented plan retain their documented values.
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
  /** Read by `readStart`, which only programs that need it import. */
  state: optional(anything),
  client: optional(clientSchema),
  expect: optional(expectationSchema),
});

/**
 * A scenario: initial state and behavior of a simulator. All fields are optional; the default scenario fills in the
 * rest.
 */
export type Scenario = Input<typeof scenarioSchema>;
/** A checked scenario. Durations are in milliseconds (windows in seconds), instants in Unix milliseconds. */
export type CheckedScenario = Output<typeof scenarioSchema>;
