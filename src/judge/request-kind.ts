/** Kinds of requests, from worst to best. `rejected` is any other 4xx, such as 400 or 404. */
export const requestKinds = ['banned', 'strike', 'refused', 'unauthorized', 'rejected', 'failed', 'served'] as const;
export type RequestKind = (typeof requestKinds)[number];

interface Observed {
  readonly status: number;
  readonly isRefused: boolean;
  readonly isUnreadable: boolean;
  readonly isAbandoned: boolean;
}

/** Whether the client cannot know the result of its request: the response was cut, unreadable, abandoned, or a 5xx. */
export const isUnknown = ({ isUnreadable, isAbandoned, status }: Omit<Observed, 'isRefused'>) =>
  isUnreadable || isAbandoned || status === 0 || status >= 500;

/** Whether the client got a usable response other than a refusal: a success or a definite error. */
export const isAnswered = (request: Observed) => !request.isRefused && !isUnknown(request);

/** Whether the request succeeded and the client can read the response. Counted as `served`. */
export const isServed = (request: Observed) => isAnswered(request) && request.status < 400;

/** Kind of a request, used in all lists, timelines and counts. */
export function requestKind(request: Observed & { readonly isBan: boolean }, isStrike: boolean): RequestKind {
  if (isStrike) return 'strike';
  if (request.isBan) return 'banned';
  if (request.isRefused) return 'refused';
  if (isUnknown(request)) return 'failed';
  if (request.status === 401) return 'unauthorized';
  return isServed(request) ? 'served' : 'rejected';
}
