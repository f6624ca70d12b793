/** Kinds of requests by their result, from worst to best. `rejected` is a 4xx other than a 401, a 429 or a ban. */
export const requestKinds = ['banned', 'strike', 'refused', 'unauthorized', 'rejected', 'failed', 'served'] as const;
export type RequestKind = (typeof requestKinds)[number];

interface Observed {
  readonly status: number;
  readonly isRefused: boolean;
  readonly isUnreadable: boolean;
  readonly isAbandoned: boolean;
}

/**
 * Whether the client cannot know if its request succeeded: the response was cut, unreadable, abandoned, or a 5xx that is
 * no refusal.
 */
export const isUnknown = ({ isUnreadable, isAbandoned, status, isRefused }: Observed) =>
  isUnreadable || isAbandoned || status === 0 || (status >= 500 && !isRefused);

/** Whether the client got a readable response below 500 that is no refusal (429 or ban). */
export const isAnswered = (request: Observed) => !request.isRefused && !isUnknown(request);

/** Whether the request succeeded and the client could read the response. Verdicts count such requests as `served`. */
export const isServed = (request: Observed) => isAnswered(request) && request.status < 400;

/**
 * Whether a response shows that the service accepts the key again: 2xx, 304, or 4xx other than a 401. A 5xx may come from
 * a gateway, and a redirect from a server in front of the limit.
 */
export const isAdmitted = ({ status, isRefused }: Pick<Observed, 'status' | 'isRefused'>) =>
  !isRefused && status > 0 && (status < 300 || status === 304 || (status >= 400 && status < 500)) && status !== 401;

/** Determines the kind of a request, such as `served` or `refused`, for lists, timelines and counts. */
export function requestKind(request: Observed & { readonly isBan: boolean }, isStrike: boolean): RequestKind {
  if (isStrike) return 'strike';
  if (request.isBan) return 'banned';
  if (request.isRefused) return 'refused';
  if (isUnknown(request)) return 'failed';
  if (request.status === 401) return 'unauthorized';
  return isServed(request) ? 'served' : 'rejected';
}
