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
  /**
   * Possible values of the assumption with which the response is explained. Empty if no value explains the response.
   */
  readonly possibleValues: readonly unknown[];
  /** Short description of the response for the user. */
  readonly description: string;
  /** Whether the observation is only likely, because the response could also be a coincidence. */
  readonly isLikely?: boolean | undefined;
  /**
   * Properties of the observed request, such as a body field, that the service must have accepted in other requests.
   * Until then the observation is ignored, because such a property may be the true reason for a rejection.
   */
  readonly needs?: readonly string[] | undefined;
}

/** Creates the observation that a response shows one of `possibleValues` of an assumption. */
export const observation = (
  about: Subject,
  possibleValues: readonly unknown[],
  description: string,
  more?: Pick<Observation, 'isLikely' | 'needs'>,
): Observation => ({ about, possibleValues, description, ...more });

/** Creates the observation that a response contradicts the API document. */
export const contradiction = (description: string): Observation => observation('document', [], description);

/** Returns the error code in a subject (`errorCodes.CODE`) of an observation; `undefined` for another subject. */
export const codeOf = (about: string): ErrorCode | undefined =>
  /^errorCodes\.(.*)$/.exec(about)?.[1] as ErrorCode | undefined;

export type KnowledgeState = 'certain' | 'likely' | 'not asked' | 'contradicted';

/** Knowledge about one assumption, derived from the responses of a service. */
export interface Knowledge {
  readonly about: Subject;
  readonly state: KnowledgeState;
  /**
   * Value with which the service decides this assumption (a question that the API document leaves open). Present only
   * if `state` is `certain` or `likely`.
   */
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
  /**
   * Ids of the requests whose responses are evidence about the open question (a behavior that the API's documentation
   * leaves open).
   */
  readonly requests: readonly number[];
}

/** Returns the knowledge about an open question on a service before the first observation: state `not asked`. */
export const notAsked = (about: Subject): Knowledge => ({
  about,
  state: 'not asked',
  left: [],
  evidence: [],
  requests: [],
});

/** Creates the knowledge about an assumption whose value is known, certainly or probably. */
export const decided = (
  about: Subject,
  state: 'certain' | 'likely',
  value: unknown,
  evidence: readonly string[],
): Knowledge => ({ ...notAsked(about), state, value, left: [value], evidence });

export const isDecided = ({ state }: Knowledge): boolean => state === 'certain' || state === 'likely';

/** Possible values of an assumption after at least one observation. No value is left after a contradiction. */
interface ObservedValues extends Pick<Knowledge, 'left' | 'evidence' | 'requests'> {
  readonly isLikely: boolean;
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
    const known = this.#gathered.get(about);
    const before = known?.left ?? choicesOf(about);
    const left = before?.filter((value) => includes(possibleValues, value)) ?? possibleValues;
    const isUnchanged = left.length === before?.length;
    const becomesCertain = known?.isLikely === true && !isLikely;
    if (known?.left.length === 0 || (known !== undefined && isUnchanged && !becomesCertain)) return;
    this.#gathered.set(about, {
      left,
      isLikely: isLikely && (known?.isLikely === true || !isUnchanged),
      evidence: [...(known?.evidence ?? []), `${placeOf(exchange)}: ${description}`].slice(-shownEvidence),
      requests: [...(known?.requests ?? []), exchange.id].slice(-shownEvidence),
    });
  }

  about(about: Subject): Knowledge {
    const known = this.#gathered.get(about);
    if (known === undefined) return notAsked(about);
    const { isLikely, ...base } = known;
    const [value, ...others] = known.left;
    if (known.left.length === 0) return { about, ...base, state: 'contradicted' };
    if (others.length > 0) return { about, ...base, state: 'not asked' };
    return { about, ...base, state: isLikely ? 'likely' : 'certain', value };
  }

  /** Open questions about the service with at least one observation. */
  get subjects(): Subject[] {
    return [...this.#gathered.keys()];
  }
}

/** Returns all possible values of a question about the service; `undefined` if they are unlimited. */
function choicesOf(about: Subject): readonly unknown[] | undefined {
  const values = Object.hasOwn(settingValues, about) ? settingValues[about as AssumptionId] : undefined;
  return values !== undefined && 'others' in values ? [values.default, ...values.others] : undefined;
}

const includes = (values: readonly unknown[], value: unknown) =>
  values.some((each) => each === value || JSON.stringify(each) === JSON.stringify(value));
