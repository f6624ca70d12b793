import { type ChoiceId, type SettingId, type Settings, settingValues } from './settings.js';

export type { Settings } from './settings.js';

/** Values of the assumptions that no scenario can change, because there is one value. */
const fixedValues = {
  bodyTooLarge: 'payload-too-large',
  unknownRoute: 'not-found',
} as const;

type FixedId = keyof typeof fixedValues;
type ValueOf<Id extends AssumptionId> = Id extends FixedId ? (typeof fixedValues)[Id] : Settings[Id & SettingId];
export type AssumptionId = SettingId | FixedId;

/** Assumption: a point that the API's documentation leaves open, with the simulator's default and the alternatives. */
export interface Assumption<Value> {
  question: string;
  /** Sentence of the API's documentation that leaves the answer to `question` open. */
  documentQuote: string;
  default: Value;
  /** Possible values of this setting besides its default. Contains only examples if the values have no fixed list. */
  alternatives: readonly Value[];
  /** Description of the possible values of an assumption. Set only if the values are not a fixed list. */
  form?: string;
  /** Scenario field outside `assumptions` that also sets this undocumented API behavior, such as `limits.algorithm`. */
  alsoAt?: string;
}

/**
 * Texts about an assumption, a choice that the API's documentation leaves open: the question, and the related quote of
 * the documentation. The values of settings are in settings.ts, so that web pages can load them without these texts.
 */
type AssumptionText<Id extends AssumptionId> = Id extends ChoiceId | FixedId
  ? Pick<Assumption<ValueOf<Id>>, 'question' | 'documentQuote' | 'alsoAt'>
  : Omit<Assumption<ValueOf<Id>>, 'default'> & { form: string };

const limitsSilent = 'Whether these plan limits apply to the pet endpoints above: not shown.';
const windowSilent = '"Requests remaining in the current window." How windows start, count and overlap: not shown.';
const banSilent =
  '"Continuing to send requests after a 429 may lead to a temporary ban of the API key." When and how long: not shown.';
const pagingSilent = 'Paging parameters other than limit, and any paging envelope or cursor: not shown.';
const otherOperationsSilent = 'Other operations (updating or deleting pets, store orders, categories): not shown.';
const invalidSilent =
  '"400 when the body is missing required fields or contains invalid values." Which values are invalid: not shown.';

/**
 * All assumptions, by id. A scenario sets an assumption that has alternatives in its field `assumptions`. `alsoAt` names
 * another scenario field that also sets the assumption, if any.
 */
export const assumptions = /* @__PURE__ */ withValues({
  defaultStatus: {
    question: 'Which status does a new pet have if the body has none?',
    documentQuote: 'Default of status when omitted: not shown.',
  },
  unknownCategory: {
    question: 'Is a categoryId accepted that is not one of the scenario’s categories?',
    documentQuote: 'Category resource and its fields: not shown.',
  },
  unknownFields: {
    question: 'Are unknown body fields ignored, rejected or returned?',
    documentQuote: invalidSilent,
  },
  emptyName: {
    question: 'Is an empty name accepted?',
    documentQuote: invalidSilent,
  },
  listOrder: {
    question: 'In which order are pets listed?',
    documentQuote: '"A JSON array of Pet objects." Its order: not shown.',
  },
  paging: {
    question: 'Which form of paging does a list offer, in a Link header (RFC 8288)?',
    documentQuote: pagingSilent,
  },
  limitOutOfRange: {
    question: 'Is a limit that is not a whole number from 1 to 100 rejected, clamped or replaced by the default?',
    documentQuote: '"Minimum 1, maximum 100, default 20." listPets documents no 400.',
  },
  unknownStatusFilter: {
    question: 'Is an unknown status filter rejected or ignored, or is the list empty?',
    documentQuote: '"Filters by availability status." listPets documents no 400.',
  },
  unknownQuery: {
    question: 'Are undocumented query parameters ignored or rejected?',
    documentQuote: pagingSilent,
  },
  malformedPetId: {
    question: 'Does a petId that is not canonical int64 text receive 404 or 400?',
    documentQuote: '"Path parameter: petId, integer (int64)." getPet documents 401 and 404 only.',
  },
  contentType: {
    question: 'Is a body accepted whose Content-Type is not application/json?',
    documentQuote: '"All bodies are application/json." What happens otherwise: not shown.',
  },
  bodyTooLarge: {
    question: 'Which error does a body over 64 KiB receive?',
    documentQuote: invalidSilent,
  },
  unknownRoute: {
    question: 'Which error does an undocumented path receive?',
    documentQuote: otherOperationsSilent,
  },
  unknownMethod: {
    question: 'Which error does an undocumented method of a known path receive?',
    documentQuote: otherOperationsSilent,
  },
  errorCodes: {
    question: 'Which values does the Error field code have?',
    documentQuote: 'The set of values of the code field: not shown.',
    alternatives: [{ rate_limit_exceeded: 'RATE_LIMITED', not_found: 'PET_NOT_FOUND' }],
    form: 'a map from default codes to other codes',
  },
  acceptAnyKey: {
    question: 'Does an unknown API key work, on the free plan?',
    documentQuote: 'How keys are issued or revoked: not shown.',
  },
  unauthorizedHeaders: {
    question: 'Which X-RateLimit headers does a 401 have?',
    documentQuote: '"Every API response carries these headers." Their values without a valid key: not shown.',
    alsoAt: 'limits.unauthorizedHeaders',
  },
  limitsApply: {
    question: 'Which operations do the plan limits apply to?',
    documentQuote: limitsSilent,
    alternatives: ['none', ['createPet']],
    form: 'all, none or a list of operations',
    alsoAt: 'limits.appliesTo, limits: off',
  },
  enterpriseLimits: {
    question: 'Which limits does the Enterprise plan have?',
    documentQuote: 'Enterprise: Custom, Custom.',
    alternatives: [{ minute: 10, day: 50 }],
    form: 'requests per window',
    alsoAt: 'plans.enterprise',
  },
  algorithm: {
    question: 'Which algorithm counts requests?',
    documentQuote: windowSilent,
    alsoAt: 'limits.algorithm',
  },
  windowStart: {
    question: 'When does a fixed window start: at the first request of the key, or aligned to the clock?',
    documentQuote: windowSilent,
    alsoAt: 'limits.windowStart',
  },
  rejectedCounts: {
    question: 'In which windows does a rejected request count?',
    documentQuote: windowSilent,
    alsoAt: 'limits.rejectedCounts',
  },
  reportedWindow: {
    question: 'Which window do the X-RateLimit headers of a success describe?',
    documentQuote: windowSilent,
    alsoAt: 'limits.reportedWindow',
  },
  retryAfterForm: {
    question: 'Is Retry-After written as seconds or as an HTTP date?',
    documentQuote: '"The client waits for the time given in the Retry-After header." Its form: not shown.',
    alsoAt: 'limits.retryAfterForm',
  },
  rateLimitFields: {
    question: 'Which RateLimit fields of the IETF draft do responses have, in addition to X-RateLimit headers?',
    documentQuote: '"Every API response carries these headers." Further ones: not shown.',
  },
  banAfter: {
    question:
      'After how many strikes (rejected requests before the promised time, except the first rejection and the first after a ban) is a key banned?',
    documentQuote: banSilent,
    alternatives: [1, 0],
    form: 'a count; 0 never bans',
    alsoAt: 'ban.after',
  },
  banGraceMs: {
    question: 'How long after the first rejection do rejected requests not count as strikes?',
    documentQuote: banSilent,
    alternatives: [0],
    form: 'milliseconds',
    alsoAt: 'ban.grace',
  },
  banToleranceMs: {
    question: 'By how much may a request be early without a strike?',
    documentQuote: banSilent,
    alternatives: [0],
    form: 'milliseconds',
    alsoAt: 'ban.tolerance',
  },
  banSeconds: {
    question: 'For how many seconds is a key banned?',
    documentQuote: banSilent,
    alternatives: [5],
    form: 'seconds',
    alsoAt: 'ban.for',
  },
  banExtend: {
    question: 'Does a request during a ban restart it, for the length of a ban by strikes?',
    documentQuote: banSilent,
    alsoAt: 'ban.extend',
  },
  banEscalation: {
    question: 'Is each further ban of a key longer?',
    documentQuote: banSilent,
    alternatives: [{ factor: 2, maxSeconds: 259_200 }],
    form: 'false, or a factor and the longest ban in seconds',
    alsoAt: 'ban.escalation',
  },
  banStatus: {
    question: 'With which status is a banned key rejected?',
    documentQuote: banSilent,
    alsoAt: 'ban.status',
  },
  deprecation: {
    question: 'Does a response of getPet have deprecation headers?',
    documentQuote:
      'Deprecated: this operation is scheduled for removal on 5 December 2030. A header for it: not shown.',
  },
  afterRemoval: {
    question: 'Which response does getPet have from 5 December 2030, 00:00 UTC?',
    documentQuote: 'Versioning policy beyond this: not shown.',
  },
  cors: {
    question: 'Which origins may a browser page call the HTTP server from, and can it read the rate-limit headers?',
    documentQuote: 'Cross-origin use from a browser: not shown.',
    alternatives: ['hidden', 'off', ['https://app.example']],
    form: 'loopback, hidden (loopback, but headers not exposed), off, or a list of origins besides loopback',
  },
});

function withValues(texts: { [Id in AssumptionId]: AssumptionText<Id> }) {
  const entries = Object.entries(texts).map(([id, { question, documentQuote, ...more }]) => {
    const values = id in fixedValues ? { default: fixedValues[id as FixedId] } : settingValues[id as SettingId];
    const alternatives = 'others' in values ? values.others : [];
    return [id, { question, documentQuote, default: values.default, alternatives, ...more }];
  });
  return Object.fromEntries(entries) as { readonly [Id in AssumptionId]: Assumption<ValueOf<Id>> };
}
