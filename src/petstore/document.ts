import type { DocumentedWindow } from '../values/window-fields.js';

/**
 * Values from the API's documentation, each with the sentence that states the value. Choices that the documentation
 * leaves open are in assumptions.ts.
 */

/**
 * Version segment at the end of the API's base URL. The API's documentation: "{base_url} is the production address and
 * already ends in the version segment /v1."
 */
export const basePath = '/v1';

/** Version of the simulated API, as stated in the API's documentation: "The interface version is 1.0.0." */
export const interfaceVersion = '1.0.0';

/** Status values of a pet in the API's documentation: "Allowed values: available, pending, sold." */
export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

/**
 * Bounds and default of the query parameter `limit` of listPets. The API's documentation: "Minimum 1, maximum 100,
 * default 20. Maximum number of animals returned."
 */
export const listLimit = { minimum: 1, maximum: 100, default: 20 } as const;

/**
 * Requests of each plan in the windows of src/values/window-fields.ts. The API's documentation: "Free 60 / 1,000; Pro 300 / 10,000; Business
 * 1,000 / 100,000; Enterprise Custom / Custom." Enterprise is omitted, because the documentation has no numbers for
 * this plan.
 */
export const documentedPlans = {
  free: { minute: 60, day: 1_000 },
  pro: { minute: 300, day: 10_000 },
  business: { minute: 1_000, day: 100_000 },
} as const satisfies Record<string, Record<DocumentedWindow, number>>;

/**
 * Time at which the simulator removes getPet. The API's documentation: "This operation is scheduled for removal on 5
 * December 2030." The document has no time of day, so the simulator uses 00:00 UTC.
 */
export const getPetRemovedAtMs = Date.UTC(2030, 11, 5);
