import { type SettingId, settingValues } from '../../petstore/settings.js';
import type { ErrorCode } from '../../requests/error-codes.js';
import { type Exchange, placeOf } from '../../traffic-files/exchange.js';

/**
 * Subject of an observation about a real API: undocumented behavior, an error code, or a contradiction of the
 * documentation.
 */
export type Subject = SettingId | `errorCodes.${ErrorCode}` | 'document';

/** Observation: what one response of a service reveals about its behavior where the API document leaves this open. */
export interface Observation {
  readonly about: Subject;
  /** Values of a setting (or of an error code) that would explain the response. Empty if no value would. */
  readonly possibleValues: readonly unknown[];
  /** Short description of the response for the user. */
  readonly description: string;
  /** Whether the response may be a coincidence, so that it does not prove the API's behavior. */
  readonly isLikely?: boolean | undefined;
  /**
   * Properties of the request that may also explain its rejection. The rejection proves nothing until the API has
   * accepted each of them in another request.
   */
  readonly preconditions?: readonly string[] | undefined;
}

/**
 * Creates an observation: a response of an API shows that its behavior at the point `about` is one of `possibleValues`.
 * The point is usually one that the API's documentation leaves open.
 */
export const observation = (
  about: Subject,
  possibleValues: readonly unknown[],
  description: string,
  more?: Pick<Observation, 'isLikely' | 'preconditions'>,
): Observation => ({ about, possibleValues, description, ...more });

/** Creates the observation that a response contradicts the API document. */
export const contradiction = (description: string): Observation => observation('document', [], description);

/**
 * Extracts the error code from a name such as `errorCodes.not_found`. Returns `undefined` for a name without the prefix
 * `errorCodes`.
 */
export const codeOf = (about: string): ErrorCode | undefined =>
  /^errorCodes\.(.*)$/.exec(about)?.[1] as ErrorCode | undefined;

export type KnowledgeState = 'certain' | 'likely' | 'not asked' | 'contradicted';

/**
 * Conclusion from an API's responses about one question that the API's documentation leaves open, with its evidence.
 */
export interface Knowledge {
  readonly about: Subject;
  readonly state: KnowledgeState;
  /**
   * Value of the setting that describes how the API under test behaves, derived from its responses. Present only if
   * `state` is `certain` or `likely`.
   */
  readonly value?: unknown;
  /**
   * Values of the setting that fit all observations. Empty if the observations contradict each other, and before the
   * first observation (`state` is `not asked`).
   */
  readonly left: readonly unknown[];
  /**
   * Descriptions of the responses that are evidence about the open question (a behavior that the API's documentation
   * leaves open). If `state` is `contradicted`, the last description is about the contradicting response.
   */
  readonly evidence: readonly string[];
  /**
   * Ids of the requests whose responses are evidence about the open question (a behavior that the API's documentation
   * leaves open).
   */
  readonly requests: readonly number[];
}

/**
 * Returns the initial knowledge about one question that the real API's documentation leaves open: state `not asked`,
 * because no response has shown the answer yet.
 */
export const notAsked = (about: Subject): Knowledge => ({
  about,
  state: 'not asked',
  left: [],
  evidence: [],
  requests: [],
});

/** Creates a `Knowledge` with the certain or likely value of an assumption. */
export const decided = (
  about: Subject,
  state: 'certain' | 'likely',
  value: unknown,
  evidence: readonly string[],
): Knowledge => ({ ...notAsked(about), state, value, left: [value], evidence });

export const isDecided = ({ state }: Knowledge): boolean => state === 'certain' || state === 'likely';

/**
 * Possible values of an assumption after at least one observation. The list `left` is empty if observations contradict
 * each other.
 */
interface ObservedValues extends Pick<Knowledge, 'left' | 'evidence' | 'requests'> {
  readonly isLikely: boolean;
}

/**
 * Maximum number of responses that a report shows as evidence for each question that the API's documentation leaves
 * open. The latest responses are shown.
 */
const shownEvidence = 3;

/**
 * Collects observations about a real API, and derives the values that are possible for each setting that the
 * documentation leaves open. The order of observations matters only for contradictions: the report names the last of
 * two contradicting observations.
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

  /** Subjects of the collected observations about the API: settings, or error codes such as `errorCodes.not_found`. */
  get subjects(): Subject[] {
    return [...this.#gathered.keys()];
  }
}

/**
 * Returns all possible values of a setting for service behavior that the API document leaves open; `undefined` if the
 * values have no fixed list.
 */
function choicesOf(about: Subject): readonly unknown[] | undefined {
  const values = Object.hasOwn(settingValues, about) ? settingValues[about as SettingId] : undefined;
  return values !== undefined && 'others' in values ? [values.default, ...values.others] : undefined;
}

const includes = (values: readonly unknown[], value: unknown) =>
  values.some((each) => each === value || JSON.stringify(each) === JSON.stringify(value));
