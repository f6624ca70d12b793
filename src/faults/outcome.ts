import { type ApiError, errorBody } from '../contract/api-error.js';
import type { AssumptionId, Settings } from '../contract/settings.js';
import type { WireFault } from './fault-rule.js';

/** What a request leads to: an answer before the headers that every answer carries. */
export interface Outcome {
  status: number;
  body: string;
  /** Where the same body is answered again and again: one object that stands for it. */
  bodyKey?: object | undefined;
  /** On top of those that every answer carries; `null` removes one. */
  headers?: Readonly<Record<string, string | null>> | undefined;
  /** A refusal over a limit or in a ban, which carries Retry-After. */
  isRefusal?: boolean;
  /** The id of the pet that was stored. */
  storedId?: string | undefined;
  wire?: WireFault | undefined;
  /** The assumption that decided, where the document leaves the answer open. */
  assumption?: AssumptionId | undefined;
}

/** The outcome of a request whose answer something else gives: a fault rule, or an extension. */
export const emptyOutcome: Outcome = { status: 200, body: '' };

/** The Error object, with the code that the assumption `errorCodes` gives it. */
export function errorOutcome(
  { status, code, message, headers, assumption }: ApiError,
  { errorCodes }: Settings,
): Outcome {
  return { status, body: errorBody({ code: errorCodes[code] ?? code, message, status }), headers, assumption };
}

/** RFC 9110 section 15: such an answer has no body. Node sends none, and `Response` takes none. */
export const statusesWithoutBody: readonly number[] = [204, 205, 304];
