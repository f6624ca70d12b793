import { hostileResetForms, hostileRetryAfterForms } from '../faults/hostile-headers.js';
import { maximumCost } from '../rate-limits/plan-limits.js';
import { errorCodes } from '../requests/error-codes.js';
import { type AnySchema, type Input, type Output, refine, type Schema, transform } from '../validation/schema.js';
import { anything, either, fields, list, mapOf, oneOf, optional, string } from '../validation/schemas.js';
import {
  count,
  instant,
  matching,
  positive,
  signedDuration,
  text,
  whole,
  wholeSeconds,
} from '../validation/value-schemas.js';
import { isOrigin } from '../values/is-origin.js';
import { documentedNames } from '../values/window-fields.js';
import { banFields, banValues } from './ban-schema.js';
import { expectationSchema } from './expectation.js';
import type { FaultSchema } from './fault-schema.js';
import { keyFields, keyFrom, keyText } from './key-schema.js';
import { operationName, operationNames } from './operations.js';
import { perWindow, windowName } from './per-window.js';
import type { ServiceSchema } from './service-schema.js';
import type { SettingId, Settings } from './settings.js';
import { wordsSchema } from './words-schema.js';

const limit = whole(1, 1e9, 'a whole number from 1 to 1,000,000,000');

const reportedWindows = oneOf('least-remaining', ...documentedNames);

const limitChanges = perWindow(either(limit, oneOf(null)));

/** Schema for the origin of a page. A file that a browser opens has the origin `null`. */
const origin = refine(text, (value) => value === 'null' || isOrigin(value), 'an origin such as "https://app.example"');

/**
 * Creates an optional schema for each assumption, a scenario setting for API behavior that the documentation leaves
 * open.
 */
function optionalValues({ settings, ...service }: Pick<ServiceSchema, 'rows' | 'basePath' | 'settings'>) {
  /**
   * Schemas of the API settings (`assumptions` of a scenario) that have no fixed list of values, by the setting's id.
   */
  const openValues: { [Id in SettingId]?: Schema<Settings[Id], unknown> } = {
    errorCodes: mapOf(oneOf(...errorCodes), text),
    limitsApply: either(
      oneOf('all', 'none'),
      transform(list(operationNames(service)), (names) => [...new Set(names.flat())]),
    ),
    enterpriseLimits: limitChanges,
    // The names of the scenario's own windows are checked later.
    reportedWindow: { ...either(reportedWindows, string), labels: reportedWindows.labels },
    ...banValues,
    cors: either(oneOf('loopback', 'hidden', 'off'), list(origin)),
  };
  return Object.fromEntries(
    Object.entries(settings).map(([id, value]) => [
      id,
      optional<unknown, unknown>(
        (openValues[id as SettingId] as AnySchema | undefined) ??
          oneOf(...([value.default, ...('others' in value ? value.others : [])] as (string | number | boolean)[])),
      ),
    ]),
  ) as { [Id in SettingId]: Schema<Settings[Id] | undefined> };
}

/** Names of predefined ban rules, for a scenario's `ban` field. */
export const banPresetNames = ['default', 'strict', 'binance', 'strava', 'penalty', 'off'] as const;
export type BanPresetName = (typeof banPresetNames)[number];

/** Schema of a scenario's `hostileHeaders`: invalid rate-limit headers, as sent by faulty services. */
const hostileHeadersSchema = fields({
  retryAfter: optional(oneOf(...hostileRetryAfterForms)),
  reset: optional(oneOf(...hostileResetForms)),
  remaining: optional(count),
  html: optional(oneOf(true)),
});

/** Header, or path of a field in the JSON body, by which the response of a backend or handler states the cost. */
const statedCost = matching(/^(?:header [!#$%&'*+.^`|~\w-]+|body [^\s.]+(?:\.[^\s.]+)*)$/, 'header NAME or body PATH');

/** Creates the schema of a scenario's `client` field: which calls the client under test should send. */
const clientSchema = (service: ServiceSchema) =>
  fields({
    key: optional(keyText),
    operation: optional(operationName(service)),
    calls: optional(whole(1, 100_000)),
    parallel: optional(whole(1, 1_000)),
  });

/**
 * Creates the schema of scenarios, from which the type `Scenario` is derived.
 * @param service scenario fields and operation names of the simulated API, such as the Petstore
 */
export function createScenarioSchema(service: ServiceSchema, faultSchema: FaultSchema) {
  const values = optionalValues(service);
  return fields({
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
    ...service.fields,
    keyFrom: optional(keyFrom),
    cost: optional(either(statedCost, mapOf(text, whole(0, maximumCost)))),
    // An omitted limit of a documented plan has the value in the API's documentation.
    plans: optional(mapOf(string, limitChanges)),
    windows: optional(perWindow(wholeSeconds, windowName)),
    keys: optional(mapOf(keyText, fields(keyFields))),
    limits: optional(
      either(
        oneOf('off'),
        fields({
          appliesTo: values.limitsApply,
          algorithm: values.algorithm,
          windowStart: values.windowStart,
          rejectedCounts: values.rejectedCounts,
          reportedWindow: values.reportedWindow,
          retryAfterForm: values.retryAfterForm,
          unauthorizedHeaders: values.unauthorizedHeaders,
        }),
      ),
    ),
    ban: optional(
      either(oneOf(...banPresetNames), fields({ ...banFields, extend: values.banExtend, status: values.banStatus })),
    ),
    faults: optional(list(faultSchema)),
    hostileHeaders: optional(hostileHeadersSchema),
    words: optional(wordsSchema),
    background: optional(
      mapOf(
        keyText,
        refine(positive, (value) => value <= 10_000, 'at most 10,000 requests a second', { maximum: 10_000 }),
      ),
    ),
    assumptions: optional(fields(values)),
    /**
     * Exported state of another simulator, with which the simulator starts. This schema accepts any value. The check is
     * in another module (`readStart`), so that programs without such states need not load it.
     */
    state: optional(anything),
    client: optional(clientSchema(service)),
    expect: optional(expectationSchema),
  });
}

export type ScenarioSchema = ReturnType<typeof createScenarioSchema>;

/**
 * A scenario: initial state and behavior of a simulator. All fields are optional; the default scenario fills in the
 * rest.
 */
export interface Scenario extends Input<ScenarioSchema> {}
/**
 * A scenario after the schema check. Durations are in milliseconds, window lengths in seconds, points in time in Unix
 * milliseconds.
 */
export interface CheckedScenario extends Output<ScenarioSchema> {}
