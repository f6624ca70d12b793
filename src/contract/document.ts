/**
 * What the interface document says, each value beside its quote. Nothing else in the code decides these.
 * Points that the document leaves open stand in assumptions.ts.
 */

/** "{base_url} is the production address and already ends in the version segment /v1." */
export const basePath = '/v1';

/** "The interface version is 1.0.0." */
export const interfaceVersion = '1.0.0';

/** "Allowed values: available, pending, sold." */
export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

/** "Minimum 1, maximum 100, default 20. Maximum number of animals returned." */
export const listLimit = { minimum: 1, maximum: 100, default: 20 } as const;

/** "Operation name: listPets", "Operation name: createPet", "Operation name: getPet". */
export const operationNames = ['listPets', 'createPet', 'getPet'] as const;
export type OperationName = (typeof operationNames)[number];

/** Requests that one API key may make in each window. */
export interface PlanLimits {
  minute: number;
  day: number;
}

/** "Free 60 / 1,000; Pro 300 / 10,000; Business 1,000 / 100,000; Enterprise Custom / Custom." */
export const documentedPlans = {
  free: { minute: 60, day: 1_000 },
  pro: { minute: 300, day: 10_000 },
  business: { minute: 1_000, day: 100_000 },
} as const satisfies Record<string, PlanLimits>;

/** "Requests per minute", "Requests per day": the two windows, with their length in seconds. */
export const windowSeconds = { minute: 60, day: 86_400 } as const;
export type WindowName = keyof typeof windowSeconds;

/** "Every API response carries these headers." */
export const rateLimitHeaders = {
  /** "The limit in force." */
  limit: 'X-RateLimit-Limit',
  /** "Requests remaining in the current window." */
  remaining: 'X-RateLimit-Remaining',
  /** "Unix timestamp at which the limit resets." */
  reset: 'X-RateLimit-Reset',
} as const;

/** "The client waits for the time given in the Retry-After header before retrying." */
export const retryAfterHeader = 'Retry-After';

/** "This operation is scheduled for removal on 5 December 2030." The hour and zone are our choice: 00:00 UTC. */
export const getPetRemovedAtMs = Date.UTC(2030, 11, 5);
