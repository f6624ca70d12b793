import { recordedPetstore } from '../../petstore/operations.js';
import type { Settings } from '../../petstore/settings.js';
import { type SettingId, settingValues } from '../../petstore/settings.js';
import type { ErrorCode } from '../../requests/error-codes.js';
import { isOfService } from '../../traffic-files/address.js';
import type { Exchange } from '../../traffic-files/exchange.js';
import { correctBanLengths, lengthKnowledge } from './ban-lengths.js';
import { type BanRules, readBanRules, strikeKnowledge } from './ban-rules.js';
import { BanWatch } from './ban-watch.js';
import { LimitHypotheses, limitsText } from './limit-hypotheses.js';
import { type LimitAssumption, limitAssumptions } from './limit-rules.js';
import { listObservations } from './list-observations.js';
import {
  codeOf,
  decided,
  isDecided,
  type Knowledge,
  notAsked,
  type Observation,
  Observations,
  observation,
  type Subject,
} from './observation.js';
import { isRefusal } from './observed-rate.js';
import { petObservations, responseObservations } from './response-observations.js';
import type { ServiceClock } from './service-clock.js';
import { type ParsedExchange, parseExchange, ServiceFacts } from './service-facts.js';
import { isOfBackend } from './unusable-response.js';
import { writeObservations } from './write-observations.js';

/**
 * Maximum number of responses from which limits are learned. Each is simulated under all possible rules, which takes
 * time.
 */
const maximumResponsesForLimits = 2_000;

/**
 * Learns from a service's responses how it behaves where the API document leaves this open. Rate-limit rules are
 * learned from all responses together, other assumptions from single ones.
 */
export class Learner {
  readonly facts = new ServiceFacts();
  readonly limits = new LimitHypotheses();
  readonly #observations = new Observations();
  /** Observations of recorded query parameters that the document does not name; the service may have them. */
  readonly #recordedParameters = new Observations();
  readonly #bans = new BanWatch();
  /** Responses that contradict a sentence of the API document. */
  readonly contradictions: { observation: Observation; exchange: Exchange }[] = [];

  /** List of observations of requests for whose rejection several reasons are still possible. */
  #waiting: { observation: Observation; exchange: Exchange }[] = [];

  constructor(exchanges: Iterable<Exchange> = []) {
    for (const exchange of exchanges) this.add(exchange);
  }

  add(exchange: Exchange): void {
    if (isOfBackend(exchange)) return;
    const parsed = parseExchange(exchange);
    const isMarked = this.#bans.isMarked(parsed);
    const isFull = this.limits.explainedResponses >= maximumResponsesForLimits;
    const isBan = isFull ? isMarked : this.limits.add(exchange, isMarked);
    const observations = [
      ...this.#bans.add(parsed, isBan),
      ...responseObservations(parsed),
      ...listObservations(parsed, this.facts),
      ...petObservations(parsed, this.facts),
      ...writeObservations(parsed, this.facts),
      ...questionObservations(parsed),
    ];
    for (const observation of observations) {
      if (observation.about !== 'document') this.#waiting.push({ observation, exchange });
      // The document says nothing about other paths of the service.
      else if (exchange.question !== undefined || isOfService(exchange.path, recordedPetstore))
        this.contradictions.push({ observation, exchange });
    }
    this.facts.note(parsed);
    this.#addControlled();
  }

  /** Counts an observation of the API's behavior as evidence once only one explanation is left. */
  #addControlled(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) {
      const isControlled = each.observation.preconditions?.every((feature) => this.facts.accepted.has(feature)) ?? true;
      const isRecorded = each.observation.about === 'unknownQuery' && each.exchange.question === undefined;
      const observations = isRecorded ? this.#recordedParameters : this.#observations;
      if (isControlled) observations.add(each.observation, each.exchange);
      else this.#waiting.push(each);
    }
  }

  /** Number of observed bans. */
  get bans(): number {
    return this.#bans.lengths.length;
  }

  get banRules(): BanRules {
    return readBanRules(this.#bans.episodes);
  }

  /** Range of the difference between the service's clock and the recording machine's. */
  get clockOffset(): ServiceClock['offset'] {
    return this.#bans.clock.offset;
  }

  about(subject: Subject): Knowledge {
    if (limitAssumptions.includes(subject as LimitAssumption)) return this.limits.about(subject as LimitAssumption);
    const ofBans = this.#aboutBans().find(({ about }) => about === subject);
    if (ofBans !== undefined) return ofBans;
    if (subject === 'unknownQuery') return this.#unknownQuery();
    return subject === 'enterpriseLimits' ? this.#enterprise() : this.#observations.about(subject);
  }

  /**
   * Returns how the API treats unknown query parameters. Recorded parameters may be the service's own, so that one is
   * accepted and another is rejected. Only a made-up parameter is certainly unknown.
   */
  #unknownQuery(): Knowledge {
    const asked = this.#observations.about('unknownQuery');
    if (asked.state !== 'not asked') return asked;
    const recorded = this.#recordedParameters.about('unknownQuery');
    if (recorded.state === 'contradicted') return { ...recorded, state: 'not asked' };
    return recorded.state === 'certain' ? { ...recorded, state: 'likely' } : recorded;
  }

  /**
   * Returns what an API's responses show about each behavior that the API's documentation leaves open. Each observed
   * error code has a separate result.
   */
  knowledge(): Knowledge[] {
    const ids = Object.keys(settingValues) as SettingId[];
    const codes = this.#observations.subjects.filter(codeOf);
    return ids.flatMap((id) => {
      if (id !== 'errorCodes') return [this.about(id)];
      return codes.length > 0 ? codes.map((code) => this.about(code)) : [this.about(id)];
    });
  }

  /** Returns the settings that the observed responses of the real API show as certain or likely. */
  settings(): Partial<Settings> {
    const known: Record<string, unknown> = {};
    const errorCodes: Partial<Record<ErrorCode, string>> = {};
    for (const { about, value } of this.knowledge().filter(isDecided)) {
      const code = codeOf(about);
      if (code === undefined) known[about] = value;
      else if (value !== code) errorCodes[code] = value as string;
    }
    return { ...known, ...(Object.keys(errorCodes).length > 0 && { errorCodes }) };
  }

  #aboutBans(): Knowledge[] {
    const { unexplained, candidates } = this.limits;
    const roundings = new Set(candidates.map(({ rules }) => rules.rounding));
    const lengths = correctBanLengths(this.#bans.lengths, this.#bans.waits, roundings);
    return [...strikeKnowledge(this.#bans.episodes, unexplained === undefined), ...lengthKnowledge(lengths)];
  }

  /**
   * Returns the limits of the Enterprise plan, which the API's documentation does not state, as far as the responses
   * show them. The evidence is a key whose limits belong to no documented plan.
   */
  #enterprise(): Knowledge {
    const about = 'enterpriseLimits';
    const plan = this.limits.enterprise;
    if (plan === undefined) return notAsked(about);
    const { token, limits } = plan;
    const evidence = [`${token} has a limit of ${limitsText(limits, ' and ')}, unlike any documented plan`];
    if (!Object.values(limits).includes(undefined)) return decided(about, 'certain', limits, evidence);
    return { ...notAsked(about), left: [limits], evidence };
  }
}

/** Concludes from test requests of `calibrate` how the API handles unusual keys, paths, methods and origins. */
function questionObservations(exchange: ParsedExchange): Observation[] {
  const { question, status } = exchange;
  if (question === undefined || status === 0 || status >= 500 || isRefusal(exchange)) return [];
  const description = `answered with ${status}`;
  if (question === 'acceptAnyKey') {
    const possibleValues = { 401: [false], 200: [true] }[status] ?? [];
    return [observation(question, possibleValues, `a made-up key was ${description}`)];
  }
  if (question === 'unknownMethod' && status !== 401) {
    const possibleValues = { 404: ['not-found'], 405: ['method-not-allowed'] }[status] ?? [];
    return [observation(question, possibleValues, description)];
  }
  return question === 'cors' ? [corsObservation(exchange)] : [];
}

function corsObservation({ headers, requestHeaders: { origin } }: ParsedExchange): Observation {
  const { 'Access-Control-Allow-Origin': allowed, 'Access-Control-Expose-Headers': exposed = '' } = headers;
  const description =
    allowed === undefined
      ? `no Access-Control-Allow-Origin for a page of ${origin}`
      : `a page of ${allowed} may read the response`;
  if (allowed === undefined) return observation('cors', ['off', 'a list of origins'], description);
  if (allowed !== origin) return observation('cors', [], description);
  const shows = /x-ratelimit-remaining/i.test(exposed) && /retry-after/i.test(exposed);
  return shows
    ? observation('cors', ['loopback'], description)
    : observation('cors', ['hidden'], `${description}, but not the rate-limit headers`);
}
