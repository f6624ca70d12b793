import type { OperationName, PlanLimits } from './contract.js';
import type { ErrorCode } from './errors.js';

/** One point that the interface document leaves open, what the simulator does by default, and what it can do instead. */
export interface Assumption<Value> {
  question: string;
  /** The words of the document that are silent on it. */
  silent: string;
  default: Value;
  /** Every other value; for an open set (a number, a list, a map) a telling example of each kind. */
  alternatives: readonly Value[];
  /** What values are possible where they cannot all be listed. */
  form?: string;
  /** Where a scenario may also set it, when not under `assumptions`. */
  alsoAt?: string;
}

/** An assumption with a closed set of values. */
const choice = <const Value>(assumption: Assumption<Value>): Assumption<Value> => assumption;

/** An assumption with an open set of values. */
const open = <Value>(assumption: Assumption<Value> & { form: string }): Assumption<Value> => assumption;

const limitsSilent = 'Whether these plan limits apply to the pet endpoints above: not shown.';
const windowSilent = '"Requests remaining in the current window." How windows start, count and overlap: not shown.';
const banSilent =
  '"Continuing to send requests after a 429 may lead to a temporary ban of the API key." When and how long: not shown.';
const pagingSilent = 'Paging parameters other than limit, and any paging envelope or cursor: not shown.';
const invalidSilent =
  '"400 when the body is missing required fields or contains invalid values." Which values are invalid: not shown.';

/** Every point that the document leaves open, by id. A scenario sets each under `assumptions` or where `alsoAt` says. */
export const assumptions = {
  defaultStatus: choice({
    question: 'Which status does a new animal have when the body names none?',
    silent: 'Default of status when omitted: not shown.',
    default: 'available',
    alternatives: ['pending', 'sold', 'absent'],
  }),
  unknownCategory: choice({
    question: 'Is a categoryId accepted that the scenario does not list under categories?',
    silent: 'Category resource and its fields: not shown.',
    default: 'accept',
    alternatives: ['reject'],
  }),
  unknownFields: choice({
    question: 'What happens to body fields that NewPet does not have?',
    silent: invalidSilent,
    default: 'ignore',
    alternatives: ['reject', 'echo'],
  }),
  emptyName: choice({
    question: 'Is an empty name accepted?',
    silent: invalidSilent,
    default: 'accept',
    alternatives: ['reject'],
  }),
  listOrder: choice({
    question: 'In which order are animals listed?',
    silent: '"A JSON array of Pet objects." Its order: not shown.',
    default: 'id-ascending',
    alternatives: ['newest-first', 'shuffled'],
  }),
  paging: choice({
    question: 'How does a client reach the animals after the first page? (a Link header, RFC 8288)',
    silent: pagingSilent,
    default: 'none',
    alternatives: ['cursor', 'offset', 'page'],
  }),
  limitOutOfRange: choice({
    question: 'What happens to a limit that is not a whole number from 1 to 100?',
    silent: '"Minimum 1, maximum 100, default 20." listPets documents no 400.',
    default: 'reject',
    alternatives: ['clamp', 'default'],
  }),
  unknownStatusFilter: choice({
    question: 'What does a list with an unknown status filter answer?',
    silent: '"Filters by availability status." listPets documents no 400.',
    default: 'reject',
    alternatives: ['empty', 'ignore'],
  }),
  unknownQuery: choice({
    question: 'What happens to query parameters that the document does not name?',
    silent: pagingSilent,
    default: 'ignore',
    alternatives: ['reject'],
  }),
  malformedPetId: choice({
    question: 'What does a petId answer that is not canonical int64 text?',
    silent: '"Path parameter: petId, integer (int64)." getPet documents 401 and 404 only.',
    default: 'not-found',
    alternatives: ['reject'],
  }),
  contentType: choice({
    question: 'What does a body answer whose Content-Type is not application/json?',
    silent: '"All bodies are application/json." What happens otherwise: not shown.',
    default: 'reject',
    alternatives: ['accept', 'unsupported'],
  }),
  bodyTooLarge: choice({
    question: 'What does a body over 64 KiB answer?',
    silent: invalidSilent,
    default: 'payload-too-large',
    alternatives: [],
  }),
  unknownRoute: choice({
    question: 'What does a path answer that the document does not name?',
    silent: 'Other operations (updating or deleting animals, store orders, categories): not shown.',
    default: 'not-found',
    alternatives: [],
  }),
  unknownMethod: choice({
    question: 'What does a known path answer to another method?',
    silent: 'Other operations (updating or deleting animals, store orders, categories): not shown.',
    default: 'method-not-allowed',
    alternatives: ['not-found'],
  }),
  errorCodes: open<Partial<Record<ErrorCode, string>>>({
    question: 'Which values does the Error field code take?',
    silent: 'The set of values of the code field: not shown.',
    default: {},
    alternatives: [{ rate_limit_exceeded: 'RATE_LIMITED', not_found: 'PET_NOT_FOUND' }],
    form: 'a map from the code listed under Errors to another',
  }),
  acceptAnyKey: choice({
    question: 'Does an unknown API key work, on the free plan?',
    silent: 'How keys are issued or revoked: not shown.',
    default: false,
    alternatives: [true],
  }),
  unauthorizedHeaders: choice({
    question: 'What do the X-RateLimit headers of a 401 say?',
    silent: '"Every API response carries these headers." Their values without a valid key: not shown.',
    default: 'full',
    alternatives: ['omit', 'remaining-zero'],
    alsoAt: 'limits.unauthorizedHeaders',
  }),
  limitsApply: open<'all' | 'none' | readonly OperationName[]>({
    question: 'Which operations do the plan limits apply to?',
    silent: limitsSilent,
    default: 'all',
    alternatives: ['none', ['createPet']],
    form: 'all, none or a list of operations',
    alsoAt: 'limits.appliesTo, limits: off',
  }),
  enterpriseLimits: open<PlanLimits>({
    question: 'What are the limits of the Enterprise plan?',
    silent: 'Enterprise: Custom, Custom.',
    default: { minute: 5_000, day: 1_000_000 },
    alternatives: [{ minute: 10, day: 50 }],
    form: 'requests per minute and per day',
    alsoAt: 'plans.enterprise',
  }),
  algorithm: choice({
    question: 'How are requests counted?',
    silent: windowSilent,
    default: 'fixed-window',
    alternatives: ['sliding-log', 'token-bucket'],
    alsoAt: 'limits.algorithm',
  }),
  windowStart: choice({
    question: 'When does a fixed window start: at the first request of the key, or aligned to the clock?',
    silent: windowSilent,
    default: 'first-request',
    alternatives: ['clock'],
    alsoAt: 'limits.windowStart',
  }),
  rejectedCounts: choice({
    question: 'Does a request refused by one window count?',
    silent: windowSilent,
    default: 'none',
    alternatives: ['other-windows', 'all'],
    alsoAt: 'limits.rejectedCounts',
  }),
  reportedWindow: choice({
    question: 'Which window do the X-RateLimit headers of a served request describe?',
    silent: windowSilent,
    default: 'least-remaining',
    alternatives: ['minute', 'day'],
    alsoAt: 'limits.reportedWindow',
  }),
  retryAfterForm: choice({
    question: 'Is Retry-After written as seconds or as an HTTP date?',
    silent: '"The client waits for the time given in the Retry-After header." Its form: not shown.',
    default: 'seconds',
    alternatives: ['http-date'],
    alsoAt: 'limits.retryAfterForm',
  }),
  banAfter: open<number>({
    question: 'How many strikes (refused requests that came too early) ban a key?',
    silent: banSilent,
    default: 3,
    alternatives: [1, 0],
    form: 'a count; 0 never bans',
    alsoAt: 'ban.after',
  }),
  banGraceMs: open<number>({
    question: 'How long after the first refusal is a refused request no strike (a parallel burst)?',
    silent: banSilent,
    default: 1_000,
    alternatives: [0],
    form: 'milliseconds',
    alsoAt: 'ban.graceMs',
  }),
  banToleranceMs: open<number>({
    question: 'How much too early may a request come without a strike?',
    silent: banSilent,
    default: 50,
    alternatives: [0],
    form: 'milliseconds',
    alsoAt: 'ban.toleranceMs',
  }),
  banSeconds: open<number>({
    question: 'How long does a ban last?',
    silent: banSilent,
    default: 120,
    alternatives: [5],
    form: 'seconds',
    alsoAt: 'ban.seconds',
  }),
  banExtend: choice({
    question: 'Does a request during a ban start the ban again?',
    silent: banSilent,
    default: false,
    alternatives: [true],
    alsoAt: 'ban.extend',
  }),
  banEscalation: open<false | { factor: number; maxSeconds: number }>({
    question: 'Is each further ban of a key longer?',
    silent: banSilent,
    default: false,
    alternatives: [{ factor: 2, maxSeconds: 259_200 }],
    form: 'false, or a factor and the longest ban in seconds',
    alsoAt: 'ban.escalation',
  }),
  banStatus: choice({
    question: 'With which status is a banned key refused?',
    silent: banSilent,
    default: 429,
    alternatives: [403, 401, 418],
    alsoAt: 'ban.status',
  }),
  deprecation: choice({
    question: 'Does an answer of getPet say that the operation is deprecated?',
    silent: 'Deprecated: this operation is scheduled for removal on 5 December 2030. A header for it: not shown.',
    default: 'silent',
    alternatives: ['headers'],
  }),
  afterRemoval: choice({
    question: 'What does getPet answer from 5 December 2030, 00:00 UTC?',
    silent: 'Versioning policy beyond this: not shown.',
    default: 'not-found',
    alternatives: ['gone', 'keep'],
  }),
  cors: open<'loopback' | 'hidden' | 'off' | readonly string[]>({
    question: 'Which origins may a browser page call the HTTP server from, and can it read the rate-limit headers?',
    silent: 'Cross-origin use from a browser: not shown.',
    default: 'loopback',
    alternatives: ['hidden', 'off', ['https://app.example']],
    form: 'loopback, hidden (loopback, but headers not exposed), off, or a list of origins',
  }),
} satisfies Record<string, Assumption<unknown>>;

export type AssumptionId = keyof typeof assumptions;

/** What the simulator does at every open point: one value an assumption. */
export type Settings = {
  -readonly [Id in AssumptionId]: (typeof assumptions)[Id] extends Assumption<infer Value> ? Value : never;
};

/** The default of every assumption. */
export const defaultSettings = Object.fromEntries(
  Object.entries(assumptions).map(([id, assumption]) => [id, assumption.default]),
) as unknown as Settings;
