import type { AssumptionId } from '../../petstore/assumptions.js';
import { settingValues } from '../../petstore/settings.js';
import type { ErrorCode } from '../../requests/error-codes.js';
import { type Exchange, placeOf } from '../../traffic-files/exchange.js';

/**
 * Subject of an observation about a service: an open question, the text of one of its error codes, or a sentence of the
 * interface document.
 */
export type Subject = AssumptionId | `errorCodes.${ErrorCode}` | 'document';

/** Observation: what one response of a service reveals about its behavior where the API document leaves this open. */
export interface Observation {
  readonly about: Subject;
  /** Values of the open question that explain the response. Empty if none does. */
  readonly possibleValues: readonly unknown[];
  /** Short description of the response for the user. */
  readonly description: string;
  /** Whether the observation is only likely, because the response could also be a coincidence. */
  readonly isLikely?: boolean | undefined;
  /**
   * Features of a rejected request, such as a field, that the service must have accepted in other requests. Until then
   * the rejection is no evidence, because it may have another reason.
   */
  readonly needs?: readonly string[] | undefined;
}

export type KnowledgeState = 'certain' | 'likely' | 'not asked' | 'contradicted';

/** Knowledge about one assumption, derived from the responses of a service. */
export interface Knowledge {
  readonly about: Subject;
  readonly state: KnowledgeState;
  /** What the service does in this open question, if known: only in the states `certain` and `likely`. */
  readonly value?: unknown;
  /**
   * Values that are still possible for the open question. Empty before the first observation, although all are possible
   * then.
   */
  readonly left: readonly unknown[];
  /**
   * Observations about the assumption, each with its request. If the state is `contradicted`, the last one is the
   * contradiction.
   */
  readonly evidence: readonly string[];
  /** Ids of the requests that revealed a value for the open question about the service. */
  readonly requests: readonly number[];
}

/** Returns the state of an open question about the service before the first observation. */
export const notAsked = (about: Subject): Knowledge => ({
  about,
  state: 'not asked',
  left: [],
  evidence: [],
  requests: [],
});

interface ObservedValues {
  left: readonly unknown[] | undefined;
  isLikely: boolean;
  isContradicted: boolean;
  evidence: string[];
  requests: number[];
}

/** Maximum number of observations that are shown per open question about the service. */
const shownEvidence = 3;

/**
 * Collects observations of a service and derives the values that are possible for each open question. The order of
 * observations does not matter, except that the last of two contradicting ones is named in the report.
 */
export class Observations {
  readonly #gathered = new Map<Subject, ObservedValues>();

  add({ about, possibleValues, description, isLikely = false }: Observation, exchange: Exchange): void {
    const known = this.#gathered.get(about) ?? emptyGathered(about);
    this.#gathered.set(about, known);
    if (known.isContradicted) return;
    const left = known.left?.filter((value) => includes(possibleValues, value)) ?? possibleValues;
    const isTelling = known.left === undefined || left.length < known.left.length;
    const becomesCertain = known.isLikely && !isLikely && left.length > 0;
    if (left.length === 0) known.isContradicted = true;
    else if (known.evidence.length > 0 && !isTelling && !becomesCertain) return;
    known.isLikely = left.length === (known.left?.length ?? -1) ? known.isLikely && isLikely : isLikely;
    known.left = left;
    known.evidence = [...known.evidence, `${placeOf(exchange)}: ${description}`].slice(-shownEvidence);
    known.requests = [...known.requests, exchange.id].slice(-shownEvidence);
  }

  about(subject: Subject): Knowledge {
    const { left = [], isLikely, isContradicted, evidence, requests } = this.#gathered.get(subject) ?? nothing;
    const base = { about: subject, evidence, requests };
    if (isContradicted) return { ...base, state: 'contradicted', left: [] };
    if (evidence.length === 0 || left.length !== 1)
      return { ...base, state: 'not asked', left: evidence.length > 0 ? left : [] };
    return { ...base, state: isLikely ? 'likely' : 'certain', value: left[0], left };
  }

  /** Open questions about the service with at least one observation. */
  get subjects(): Subject[] {
    return [...this.#gathered.keys()];
  }
}

const nothing: ObservedValues = { left: undefined, isLikely: false, isContradicted: false, evidence: [], requests: [] };

const emptyGathered = (about: Subject): ObservedValues => ({
  ...nothing,
  left: choicesOf(about),
  evidence: [],
  requests: [],
});

/** Returns all possible values of a question about the service; `undefined` if they are unlimited. */
export function choicesOf(about: Subject): readonly unknown[] | undefined {
  const values = Object.hasOwn(settingValues, about) ? settingValues[about as AssumptionId] : undefined;
  return values !== undefined && 'others' in values ? [values.default, ...values.others] : undefined;
}

const includes = (values: readonly unknown[], value: unknown) =>
  values.some((each) => each === value || JSON.stringify(each) === JSON.stringify(value));
