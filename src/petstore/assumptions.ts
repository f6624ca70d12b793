import { type AssumptionId, type ChoiceId, type Settings, settingValues } from './settings.js';

export type { AssumptionId, Settings } from './settings.js';

/** A point that the interface document leaves open, with the simulator's default and the alternatives. */
export interface Assumption<Value> {
  question: string;
  /** Sentence of the document that leaves the point open. */
  documentQuote: string;
  default: Value;
  /** All values except the default. For an open set (a number, a list, a map), one example of each kind. */
  alternatives: readonly Value[];
  /** Description of the possible values, for an open set. */
  form?: string;
  /** Other places in a scenario that set this assumption, besides `assumptions`. */
  alsoAt?: string;
}

/** Texts of an assumption. The values are in settings.ts, so that browser pages load them without these texts. */
type AssumptionText<Id extends AssumptionId> = Id extends ChoiceId
  ? Pick<Assumption<Settings[Id]>, 'question' | 'documentQuote' | 'alsoAt'>
  : Omit<Assumption<Settings[Id]>, 'default'> & { form: string };

const limitsSilent = 'Whether these plan limits apply to the pet endpoints above: not shown.';
const windowSilent = '"Requests remaining in the current window." How windows start, count and overlap: not shown.';
const banSilent =
  '"Continuing to send requests after a 429 may lead to a temporary ban of the API key." When and how long: not shown.';
const pagingSilent = 'Paging parameters other than limit, and any paging envelope or cursor: not shown.';
const invalidSilent =
  '"400 when the body is missing required fields or contains invalid values." Which values are invalid: not shown.';

/** All points that the document leaves open, by id. A scenario sets each under `assumptions` or at `alsoAt`. */
export const assumptions = /* @__PURE__ */ withValues({
  defaultStatus: {
    question: 'Which status does a new pet have when the body names none?',
    documentQuote: 'Default of status when omitted: not shown.',
  },
  unknownCategory: {
    question: 'Is a categoryId accepted that the scenario does not list under categories?',
    documentQuote: 'Category resource and its fields: not shown.',
  },
  unknownFields: {
    question: 'What happens to body fields that NewPet does not have?',
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
    question: 'How does a client reach the pets after the first page? (a Link header, RFC 8288)',
    documentQuote: pagingSilent,
  },
  limitOutOfRange: {
    question: 'What happens to a limit that is not a whole number from 1 to 100?',
    documentQuote: '"Minimum 1, maximum 100, default 20." listPets documents no 400.',
  },
  unknownStatusFilter: {
    question: 'What does a list with an unknown status filter answer?',
    documentQuote: '"Filters by availability status." listPets documents no 400.',
  },
  unknownQuery: {
    question: 'What happens to query parameters that the document does not name?',
    documentQuote: pagingSilent,
  },
  malformedPetId: {
    question: 'What does a petId answer that is not canonical int64 text?',
    documentQuote: '"Path parameter: petId, integer (int64)." getPet documents 401 and 404 only.',
  },
  contentType: {
    question: 'What does a body answer whose Content-Type is not application/json?',
    documentQuote: '"All bodies are application/json." What happens otherwise: not shown.',
  },
  bodyTooLarge: {
    question: 'What does a body over 64 KiB answer?',
    documentQuote: invalidSilent,
  },
  unknownRoute: {
    question: 'What does a path answer that the document does not name?',
    documentQuote: 'Other operations (updating or deleting pets, store orders, categories): not shown.',
  },
  unknownMethod: {
    question: 'What does a known path answer to another method?',
    documentQuote: 'Other operations (updating or deleting pets, store orders, categories): not shown.',
  },
  errorCodes: {
    question: 'Which values does the Error field code take?',
    documentQuote: 'The set of values of the code field: not shown.',
    alternatives: [{ rate_limit_exceeded: 'RATE_LIMITED', not_found: 'PET_NOT_FOUND' }],
    form: 'a map from the code listed under Errors to another',
  },
  acceptAnyKey: {
    question: 'Does an unknown API key work, on the free plan?',
    documentQuote: 'How keys are issued or revoked: not shown.',
  },
  unauthorizedHeaders: {
    question: 'What do the X-RateLimit headers of a 401 say?',
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
    question: 'What are the limits of the Enterprise plan?',
    documentQuote: 'Enterprise: Custom, Custom.',
    alternatives: [{ minute: 10, day: 50 }],
    form: 'requests per minute and per day',
    alsoAt: 'plans.enterprise',
  },
  algorithm: {
    question: 'How are requests counted?',
    documentQuote: windowSilent,
    alsoAt: 'limits.algorithm',
  },
  windowStart: {
    question: 'When does a fixed window start: at the first request of the key, or aligned to the clock?',
    documentQuote: windowSilent,
    alsoAt: 'limits.windowStart',
  },
  rejectedCounts: {
    question: 'Does a request refused by one window count?',
    documentQuote: windowSilent,
    alsoAt: 'limits.rejectedCounts',
  },
  reportedWindow: {
    question: 'Which window do the X-RateLimit headers of a served request describe?',
    documentQuote: windowSilent,
    alsoAt: 'limits.reportedWindow',
  },
  retryAfterForm: {
    question: 'Is Retry-After written as seconds or as an HTTP date?',
    documentQuote: '"The client waits for the time given in the Retry-After header." Its form: not shown.',
    alsoAt: 'limits.retryAfterForm',
  },
  rateLimitFields: {
    question:
      'Which RateLimit fields of the IETF draft stand beside the X-RateLimit headers, by the shape of their values?',
    documentQuote: '"Every API response carries these headers." Further ones: not shown.',
  },
  banAfter: {
    question: 'How many strikes (refused requests that came too early) ban a key?',
    documentQuote: banSilent,
    alternatives: [1, 0],
    form: 'a count; 0 never bans',
    alsoAt: 'ban.after',
  },
  banGraceMs: {
    question: 'How long after the first refusal is a refused request no strike (a parallel burst)?',
    documentQuote: banSilent,
    alternatives: [0],
    form: 'milliseconds',
    alsoAt: 'ban.grace',
  },
  banToleranceMs: {
    question: 'How much too early may a request come without a strike?',
    documentQuote: banSilent,
    alternatives: [0],
    form: 'milliseconds',
    alsoAt: 'ban.tolerance',
  },
  banSeconds: {
    question: 'How long does a ban last?',
    documentQuote: banSilent,
    alternatives: [5],
    form: 'seconds',
    alsoAt: 'ban.for',
  },
  banExtend: {
    question: 'Does a request during a ban start the ban again?',
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
    question: 'With which status is a banned key refused?',
    documentQuote: banSilent,
    alsoAt: 'ban.status',
  },
  deprecation: {
    question: 'Does an answer of getPet say that the operation is deprecated?',
    documentQuote:
      'Deprecated: this operation is scheduled for removal on 5 December 2030. A header for it: not shown.',
  },
  afterRemoval: {
    question: 'What does getPet answer from 5 December 2030, 00:00 UTC?',
    documentQuote: 'Versioning policy beyond this: not shown.',
  },
  cors: {
    question: 'Which origins may a browser page call the HTTP server from, and can it read the rate-limit headers?',
    documentQuote: 'Cross-origin use from a browser: not shown.',
    alternatives: ['hidden', 'off', ['https://app.example']],
    form: 'loopback, hidden (loopback, but headers not exposed), off, or a list of origins',
  },
});

function withValues(texts: { [Id in AssumptionId]: AssumptionText<Id> }) {
  const entries = Object.entries(settingValues).map(([id, values]) => {
    const { question, documentQuote, ...more } = texts[id as AssumptionId];
    const alternatives = 'others' in values ? values.others : [];
    return [id, { question, documentQuote, default: values.default, alternatives, ...more }];
  });
  return Object.fromEntries(entries) as { readonly [Id in AssumptionId]: Assumption<Settings[Id]> };
}
