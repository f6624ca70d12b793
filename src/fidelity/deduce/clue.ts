import type { AssumptionId } from '../../petstore/assumptions.js';
import { settingValues } from '../../petstore/settings.js';
import type { ErrorCode } from '../../requests/error-codes.js';
import { type Exchange, placeOf } from '../../traffic-files/exchange.js';

/** Subject of a clue: an assumption, one code of `errorCodes`, or a sentence of the document. */
export type Subject = AssumptionId | `errorCodes.${ErrorCode}` | 'document';

/** Evidence of one response about one choice of the service. */
export interface Clue {
  readonly about: Subject;
  /** Values that explain the response; empty if no assumption does. */
  readonly allows: readonly unknown[];
  /** Short description of the response. */
  readonly says: string;
  /** Whether chance may explain the response. */
  readonly isLikely?: boolean | undefined;
  /** Features that must have been accepted in other requests before the clue counts. */
  readonly needs?: readonly string[] | undefined;
}

export type KnowledgeState = 'certain' | 'likely' | 'not asked' | 'contradicted';

/** Knowledge of one choice of the service. */
export interface Knowledge {
  readonly about: Subject;
  readonly state: KnowledgeState;
  /** Value of a choice that is `certain` or `likely`. */
  readonly value?: unknown;
  /** Remaining values of a choice; empty before the first observation. */
  readonly left: readonly unknown[];
  /** Observations, each with its place. The last one of a contradicted choice is the contradiction. */
  readonly evidence: readonly string[];
  /** Numbers of the requests that decided the choice. */
  readonly requests: readonly number[];
}

/** Initial knowledge of a choice: no observation. */
export const notAsked = (about: Subject): Knowledge => ({
  about,
  state: 'not asked',
  left: [],
  evidence: [],
  requests: [],
});

interface Gathered {
  left: readonly unknown[] | undefined;
  isLikely: boolean;
  isContradicted: boolean;
  evidence: string[];
  requests: number[];
}

/** Largest number of observations to show. */
const shownEvidence = 3;

/** Collects clues, and derives the remaining values. Their order decides only which response is the contradiction. */
export class Clues {
  readonly #gathered = new Map<Subject, Gathered>();

  add({ about, allows, says, isLikely = false }: Clue, exchange: Exchange): void {
    const known = this.#gathered.get(about) ?? emptyGathered(about);
    this.#gathered.set(about, known);
    if (known.isContradicted) return;
    const left = known.left?.filter((value) => includes(allows, value)) ?? allows;
    const isTelling = known.left === undefined || left.length < known.left.length;
    const becomesCertain = known.isLikely && !isLikely && left.length > 0;
    if (left.length === 0) known.isContradicted = true;
    else if (known.evidence.length > 0 && !isTelling && !becomesCertain) return;
    known.isLikely = left.length === (known.left?.length ?? -1) ? known.isLikely && isLikely : isLikely;
    known.left = left;
    known.evidence = [...known.evidence, `${placeOf(exchange)}: ${says}`].slice(-shownEvidence);
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

  /** Subjects with at least one clue. */
  get subjects(): Subject[] {
    return [...this.#gathered.keys()];
  }
}

const nothing: Gathered = { left: undefined, isLikely: false, isContradicted: false, evidence: [], requests: [] };

const emptyGathered = (about: Subject): Gathered => ({
  ...nothing,
  left: choicesOf(about),
  evidence: [],
  requests: [],
});

/** Every value of an assumption with a closed set; `undefined` for an open one. */
export function choicesOf(about: Subject): readonly unknown[] | undefined {
  const values = Object.hasOwn(settingValues, about) ? settingValues[about as AssumptionId] : undefined;
  return values !== undefined && 'others' in values ? [values.default, ...values.others] : undefined;
}

const includes = (values: readonly unknown[], value: unknown) =>
  values.some((each) => each === value || JSON.stringify(each) === JSON.stringify(value));
