import type { AssumptionId } from '../../petstore/assumptions.js';
import { settingValues } from '../../petstore/settings.js';
import type { ErrorCode } from '../../requests/error-codes.js';
import { type Exchange, placeOf } from '../../traffic-files/exchange.js';

/** What a clue is about: an assumption, one code of `errorCodes`, or a sentence of the document itself. */
export type Subject = AssumptionId | `errorCodes.${ErrorCode}` | 'document';

/** What one answer says about one choice of the service. */
export interface Clue {
  readonly about: Subject;
  /** The values that explain the answer; none: no assumption does. */
  readonly allows: readonly unknown[];
  /** The answer, in a few words. */
  readonly says: string;
  /** Whether it may be so by chance. */
  readonly isLikely?: boolean | undefined;
  /** The features that other requests must have had accepted, before the clue counts. */
  readonly needs?: readonly string[] | undefined;
}

export type KnowledgeState = 'certain' | 'likely' | 'not asked' | 'contradicted';

/** What is known of one choice of the service. */
export interface Knowledge {
  readonly about: Subject;
  readonly state: KnowledgeState;
  /** The value; only where the state is `certain` or `likely`. */
  readonly value?: unknown;
  /** Of a choice that is not decided, the values that are left; empty where nothing was seen of it. */
  readonly left: readonly unknown[];
  /** What was seen, each with its place. Of a contradiction the last one is the answer that broke it. */
  readonly evidence: readonly string[];
  /** The numbers of the requests that decided it. */
  readonly requests: readonly number[];
}

/** What is known of a choice of which nothing was seen. */
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

/** As many places as a person reads. */
const shownEvidence = 3;

/** Gathers clues, and says what they leave possible. Order does not matter, but for which answer broke the last. */
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

  /** Every subject that a clue was about. */
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
